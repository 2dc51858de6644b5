// `gpu_scheduler simulate`: flags, files and what is printed.
#include "simulate_command.hpp"

#include <kcontrol/runtime/system_environment.hpp>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace gpu_scheduler;

namespace {

// A folder with a node and two pods, which is deleted at the end.
class files {
public:
    files() {
        std::filesystem::create_directories(folder_);
        write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn,8000,100,2,T4\n");
        write("pods.csv",
              "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n"
              "a,1000,1,1,600,,LS,0,10\nb,1000,1,2,1000,,LS,1,5\n");
    }
    ~files() { std::filesystem::remove_all(folder_); }
    std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
    std::string read(const std::string& name) const {
        std::ifstream file(folder_ / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    kcontrol::result<std::string> simulate(std::vector<std::string> more) const {
        more.insert(more.begin(), {"--nodes", *this / "nodes.csv", "--pods", *this / "pods.csv"});
        return run(more);
    }
    static kcontrol::result<std::string> run(const std::vector<std::string>& arguments) {
        kcontrol::system_environment env;
        return simulate_command({arguments.begin(), arguments.end()}, env);
    }

private:
    std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                    ("gpu-scheduler-" + std::to_string(kcontrol::system_environment().random()));
};

}  // namespace

TEST_CASE("simulate: prints one line of JSON, and writes placements") {
    const files in;
    const auto line = in.simulate({"--placements", in / "out.csv"}).value();
    CHECK(line.ends_with("}\n"));
    const auto report = boost::json::parse(line).as_object();
    CHECK(report.at("pods").as_int64() == 2);
    CHECK(report.at("placed").as_int64() == 1);
    CHECK(report.at("gpuMilliAllocated").as_int64() == 600);
    CHECK_FALSE(report.contains("meanWaitSeconds"));
    CHECK(in.read("out.csv") == "name,node,gpus\na,n,0\n");

    const auto timed = boost::json::parse(in.simulate({"--departures", "--placement=spread"}).value()).as_object();
    CHECK(timed.at("placed").as_int64() == 2);
    CHECK(timed.at("meanWaitSeconds").to_number<double>() == doctest::Approx(4.5));
    CHECK(timed.at("p99WaitSeconds").as_int64() == 9);
}

TEST_CASE("simulate: what is wrong") {
    const files in;
    struct {
        kcontrol::result<std::string> answer;
        kcontrol::errc code;
        std::string message;
    } rows[] = {
        {files::run({"--pods", "p"}), kcontrol::errc::invalid_argument, "--nodes FILE is missing"},
        {files::run({"--nodes", "n"}), kcontrol::errc::invalid_argument, "--pods FILE is missing"},
        {in.simulate({"more"}), kcontrol::errc::invalid_argument,
         "\"more\" belongs to no flag; files are named by flags"},
        {in.simulate({"--placement", "best"}), kcontrol::errc::invalid_argument,
         "--placement: \"best\" is no placement; use fragmentation, best-fit, spread or topology"},
    };
    for (const auto& row : rows) {
        REQUIRE_FALSE(row.answer);
        CHECK(row.answer.error().code() == row.code);
        CHECK(row.answer.error().message() == row.message);
    }
    CHECK(files::run({"--nodes", in / "none", "--pods", in / "pods.csv"}).error().code() ==
          kcontrol::errc::file_failed);
    CHECK(in.simulate({"--placements", in / "no/such/file"}).error().code() == kcontrol::errc::file_failed);
    in.write("pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\na,b,1,1,600,\n");
    const auto bad = in.simulate({});
    CHECK(bad.error().code() == kcontrol::errc::invalid_argument);
    CHECK(bad.error().message().starts_with((in / "pods.csv") + ":2: cpu_milli: \"b\""));
}

TEST_CASE("simulate: the help names each flag") {
    for (const auto* flag : {"--nodes", "--pods", "--placement ", "--placements", "--departures"}) {
        CHECK(simulate_help().find(flag) != std::string_view::npos);
    }
}
