// The queue and its replicas by hand-computed examples; the command's answers; what HPA would do.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "simulate/fleet.hpp"
#include "simulate/hpa.hpp"
#include "simulate/simulate_command.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using namespace inference_autoscaler;
using kcontrol::errc;

namespace {

const std::string scaler_head = R"({"apiVersion":"autoscaling.kcontrol.dev/v1alpha1","kind":"InferenceScaler",)"
                                R"("metadata":{"name":"a"},"spec":{"target":{"apiVersion":"apps/v1",)"
                                R"("kind":"Deployment","name":"a"},"metrics":{"pods":{"port":1}},)";

class files {
public:
    std::string write(const std::string& name, const std::string& text) {
        std::ofstream(path(name)) << text;
        return path(name);
    }
    std::string path(const std::string& name) { return folder_.path() + "/" + name; }
    kcontrol::result<std::string> simulate(const std::string& load, const std::string& spec,
                                           std::vector<std::string_view> more = {}) {
        const std::string load_file = write("load.csv", load), scaler_file = write("scaler.json", scaler_head + spec);
        std::vector<std::string_view> arguments{"--load", load_file, "--scaler", scaler_file};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return simulate_command(arguments, env_);
    }
    std::string message(const std::string& load, const std::string& spec = R"("maxReplicas":2}})",
                        std::vector<std::string_view> more = {}) {
        const auto said = simulate(load, spec, std::move(more));
        if (said) return *said;
        CHECK(said.error().code() == errc::invalid_argument);
        std::string out = said.error().message();
        for (const char* name : {"load.csv", "scaler.json"}) {
            if (const auto at = out.find(path(name)); at != out.npos) out.replace(at, path(name).size(), name);
        }
        return out;
    }

private:
    kcontrol::testing::temporary_directory folder_;
    kcontrol::system_environment env_;
};

}  // namespace

TEST_CASE("one queue, first come first served, by warm replicas alone") {
    fleet all({{0, 2, 1000}, {1, 1, 500}}, 10);  // at 0, 0.5 and 1
    all.resize(1, -1);
    all.advance(5);
    CHECK(all.latencies() == std::vector<double>{1000, 1500, 1500});
    CHECK(all.is_done());
    CHECK(all.p95(5) == 1.5);
    CHECK(all.p95(120) == 0);

    fleet two({{0, 4, 1000}}, 10);
    two.resize(1, -1);
    two.resize(2, 0);  // warm at 10
    two.advance(2);
    CHECK(two.warm(2) == 1);
    CHECK(two.waiting() == 2);
    CHECK(two.is_busy(1.5));
    two.resize(1, 2);  // the one that is not warm goes
    CHECK(two.warm(2) == 1);
    two.advance(20);
    CHECK(two.latencies() == std::vector<double>{1000, 1750, 2500, 3250});

    fleet goes({{0, 2, 3000}}, 0);
    goes.resize(2, -1);
    goes.advance(1);
    goes.resize(1, 1);  // the other one finishes its request
    goes.advance(10);
    CHECK(goes.latencies() == std::vector<double>{3000, 3000});
}

TEST_CASE("a simulation by hand: violations, percentiles, replica seconds, and the timeline") {
    files in;
    const std::string timeline = in.path("timeline.csv");
    const auto said = in.simulate("second,requests,service_ms\n0,1,100\n1,1,900\n3,1,200\n",
                                  R"("minReplicas":2,"maxReplicas":2}})", {"--timeline", timeline});
    REQUIRE_MESSAGE(said.has_value(), (said ? "" : said.error().what()));
    CHECK(*said == R"({"requests":3,"sloViolations":1,"p50Ms":200,"p95Ms":200,"replicaSeconds":8,"scaleUps":0,)"
                   R"("scaleDowns":0,"flaps":0})"
                   "\n");
    std::stringstream text;
    text << std::ifstream(timeline).rdbuf();
    CHECK(text.str() == "second,replicas,warm\n0,2,2\n1,2,2\n2,2,2\n3,2,2\n");
}

TEST_CASE("a load that ten replicas need: ours and HPA reach it, each in its way") {
    files in;
    std::string load = "second,requests,service_ms\n";
    for (int second = 0; second < 7200; ++second) load += std::to_string(second) + ",20,400\n";
    const std::string spec = R"("minReplicas":2,"maxReplicas":20,"rules":[{"name":"p95","threshold":0.8,)"
                             R"("pods":{"metric":"http_request_duration_seconds","of":"P95"},)"
                             R"("action":{"proportional":true}}]}})";
    std::vector<std::int64_t> violations;
    for (const char* policy : {"ours", "hpa"}) {
        CAPTURE(policy);
        const auto said = in.simulate(load, spec, {"--policy", policy, "--start-seconds", "60"});
        REQUIRE(said.has_value());
        const auto all = boost::json::parse(*said).as_object();
        CHECK(all.at("requests").as_int64() == 144000);
        CHECK(all.at("scaleUps").as_int64() > 0);
        violations.push_back(all.at("sloViolations").as_int64());
    }
    CHECK(violations[0] < violations[1]);
}

TEST_CASE("what is wrong is named by file and line") {
    files in;
    const std::string head = "second,requests,service_ms\n";
    CHECK(in.message("a,b\n") == R"(load.csv:1: "a,b": the first line is second,requests,service_ms)");
    CHECK(in.message(head) == "load.csv:1: there is no load");
    CHECK(in.message(head + "0,1\n") == R"(load.csv:2: "0,1": write three numbers, such as 0,10,200)");
    CHECK(in.message(head + "0,1,x\n") == R"(load.csv:2: "0,1,x": write three numbers, such as 0,10,200)");
    CHECK(in.message(head + "1,1,5\n1,1,5\n") == "load.csv:3: second 1: seconds rise, from 0 to 10000000");
    CHECK(in.message(head + "0,-1,5\n") == "load.csv:2: requests -1: give 0 to 100000");
    CHECK(in.message(head + "0,1,0\n") == "load.csv:2: service_ms: give more than 0, and at most 3600000");
    CHECK(in.message(head + "0,1,nan\n") == "load.csv:2: service_ms: give more than 0, and at most 3600000");
    const std::string load = head + "0,1,5\n";
    CHECK(in.message(load, R"("maxReplicas":2,"minReplicas":3}})") ==
          "scaler.json:1: spec.minReplicas: 3: give at most maxReplicas, 2");
    CHECK(in.message(load, R"("maxReplicas":0}})").find("scaler.json:1: spec.maxReplicas") == 0);
    CHECK(in.message(load, R"("maxReplicas":1,"rules":[{"name":"x","threshold":1,"pods":{"metric":"y"},)"
                           R"("action":{"addReplicas":1}}]}})")
              .find("scaler.json:1: rule x: y: a simulation has") == 0);
    CHECK(in.message(load, "").find("scaler.json") == 0);
    CHECK(in.message(load, R"("maxReplicas":2}})", {"--policy", "keda"}) == R"(--policy "keda": give ours or hpa)");
    CHECK(in.message(load, R"("maxReplicas":2}})", {"--start-seconds", "-1"}) ==
          R"(--start-seconds "-1": give a number from 0 to 86400)");
    CHECK(in.message(load, R"("maxReplicas":2}})", {"x"}).find("belongs to no flag") != std::string::npos);
    const std::string absent = in.path("absent.csv");
    CHECK(in.message(load, R"("maxReplicas":2}})", {"--load", absent}).find("--load: ") == 0);
    CHECK(in.message(load, R"("maxReplicas":2}})", {"--scaler", absent}).find(absent) != std::string::npos);
    // What can't be written is no wrong command line: the program ends with 1.
    const auto unwritten = in.simulate(load, R"("maxReplicas":2}})", {"--timeline", in.path("absent/timeline.csv")});
    REQUIRE_FALSE(unwritten);
    CHECK(unwritten.error().code() != errc::invalid_argument);
}

TEST_CASE("HPA: tolerance, the limit of an up, pods that are not ready, and the highest of five minutes") {
    inference_scaler_spec spec;
    spec.max_replicas = 50;
    scaling_rule rule;
    rule.name = "r";
    rule.threshold = 10;
    rule.pods.emplace();
    const std::vector<scaling_rule> rules{rule};
    facts now;
    hpa_policy hpa;
    const auto ask = [&](int second, double value, std::int32_t warm) {
        now.now = kcontrol::time_point(std::chrono::seconds(second));
        now.warm = warm;
        now.values.rules = {{reading{now.now, value}, {}}};
        now.replicas = hpa.decide(spec, rules, now);
        return now.replicas;
    };
    now.replicas = 4;
    CHECK(ask(0, 10.9, 4) == 4);   // within 10 %
    CHECK(ask(15, 11.1, 4) == 5);  // ceil(4.44)
    CHECK(ask(30, 11.1, 4) == 5);  // the fifth counts as idle: 8.9 on average
    CHECK(ask(45, 100, 5) == 10);  // at most twice as many
    CHECK(ask(60, 1, 10) == 10);   // as before in five minutes
    CHECK(ask(345, 1, 10) == 10);
    CHECK(ask(346, 1, 10) == 1);
}
