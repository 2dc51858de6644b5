// PB-20: how soon a scheduler answers a new pod with a binding. The program runs against an API server in this
// process, over TLS, with 5,000 nodes; 50 pods a second are created.
//
// usage: scheduler_reaction SCHEDULER_PROGRAM [NODES [RATE [SECONDS]]]       5000, 50, 20
// Rows of "phase TAB value TAB unit". The time runs from the write of a pod in the server, before its event is sent,
// to the binding's request as the server has read it: the server's part and both ways through the kernel are in it.
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include "measure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol_bench;
using kcontrol::awaitable;
namespace asio = boost::asio;
namespace http = kcontrol::http;
namespace testing = kcontrol::testing;

constexpr const char* scheduler_name = "bench";

class load {
public:
    int nodes = 5'000, rate = 50, seconds = 20;
};

/// A child process; it ends with this object.
class child {
public:
    explicit child(std::vector<std::string> words) : pid_(::fork()) {
        if (pid_ < 0) throw std::runtime_error("fork failed");
        if (pid_ > 0) return;
        std::vector<char*> arguments;
        for (auto& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        ::execv(arguments[0], arguments.data());
        std::_Exit(127);
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }

private:
    ::pid_t pid_;
};

kcontrol::json::value node(int number) {
    const std::string name = "node-" + std::to_string(number);
    return {
        {"apiVersion", "v1"},
        {"kind", "Node"},
        {"metadata",
         {{"name", name},
          {"labels",
           {{"kubernetes.io/hostname", name}, {"topology.kubernetes.io/zone", "zone-" + std::to_string(number % 3)}}}}},
        {"status", {{"allocatable", {{"cpu", "32"}, {"memory", "256Gi"}, {"pods", "110"}}}}}};
}

kcontrol::json::value pod(const std::string& name) {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec",
             {{"schedulerName", scheduler_name},
              {"containers",
               {{{"name", "main"},
                 {"image", "registry.example.com/web:1"},
                 {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "64Mi"}}}}}}}}}}};
}

class measurement {
public:
    measurement(testing::api_server& api, kcontrol::environment& env, load how) : api_(api), env_(env), how_(how) {
        api_.set_faults([this](const http::server_request& ask) {
            see(ask.target);
            return testing::fault();
        });
    }

    awaitable<void> run() {
        create("first");
        co_await until([this] { return created_.empty(); });
        took_us_.clear();
        const auto begun = env_.now();
        for (int i = 0; i < how_.rate * how_.seconds; ++i) {
            co_await kcontrol::sleep_until(env_, begun + std::chrono::microseconds(1'000'000LL * i / how_.rate),
                                           never_);
            create("pod-" + std::to_string(i));
        }
        co_await until([this] { return created_.empty(); });
        std::sort(took_us_.begin(), took_us_.end());
        const std::string phase =
            std::to_string(how_.nodes) + " nodes, " + std::to_string(how_.rate) + " pods/s, event to binding";
        print(phase.c_str(), at(0.50), "us p50");
        print(phase.c_str(), at(0.99), "us p99");
        print(phase.c_str(), at(1.0), "us slowest");
    }

private:
    void create(const std::string& name) {
        created_.emplace(name, env_.now());
        api_.create(pod(name)).value();
    }

    void see(const std::string& target) {
        constexpr std::string_view end = "/binding", before = "/pods/";
        const auto name = target.rfind(before);
        if (!target.ends_with(end) || name == std::string::npos) return;
        const auto from = name + before.size();
        const auto found = created_.find(target.substr(from, target.size() - end.size() - from));
        if (found == created_.end()) return;
        took_us_.push_back(std::chrono::duration<double, std::micro>(env_.now() - found->second).count());
        created_.erase(found);
    }

    template <class Condition>
    awaitable<void> until(Condition holds) {
        const auto deadline = env_.now() + std::chrono::minutes(2);
        while (!holds()) {
            if (env_.now() > deadline) throw std::runtime_error("a pod is not bound after 2 min");
            co_await kcontrol::sleep_for(env_, std::chrono::milliseconds(5), never_);
        }
    }

    double at(double q) const {
        return took_us_.at(static_cast<std::size_t>(q * static_cast<double>(took_us_.size() - 1)));
    }

    testing::api_server& api_;
    kcontrol::environment& env_;
    load how_;
    std::stop_token never_;
    std::map<std::string, kcontrol::time_point> created_;  // without a binding yet
    std::vector<double> took_us_;
};

void measure(const std::string& program, const load& how) {
    kcontrol::system_environment env;
    asio::io_context context(1);
    testing::local_api_server server(env, context.get_executor());
    for (int i = 0; i < how.nodes; ++i) server.api().create(node(i)).value();
    server.start().value();
    const auto folder = std::filesystem::temp_directory_path() / ("scheduler_reaction." + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    const auto kubeconfig = folder / "kubeconfig";
    std::ofstream(kubeconfig) << server.kubeconfig();
    std::exception_ptr failure;
    {
        const child scheduler(
            {program, "--kubeconfig", kubeconfig.string(), "--scheduler-name", scheduler_name, "--leader-elect=false"});
        measurement figures(server.api(), env, how);
        asio::co_spawn(context, figures.run(), [&](std::exception_ptr thrown) {
            failure = std::move(thrown);
            context.stop();
        });
        context.run();
    }
    std::filesystem::remove_all(folder);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

int main(int count, char** words) {
    try {
        if (count < 2) throw std::runtime_error("usage: scheduler_reaction SCHEDULER_PROGRAM [NODES [RATE [SECONDS]]]");
        load how;
        int* const numbers[] = {&how.nodes, &how.rate, &how.seconds};
        for (int i = 2; i < count && i <= 4; ++i) *numbers[i - 2] = std::stoi(words[i]);
        measure(words[1], how);
    } catch (const std::exception& failed) {
        std::fprintf(stderr, "scheduler_reaction: %s\n", failed.what());
        return 1;
    }
    return 0;
}
