// Many labelers, one API server that applies, and a network between them, in virtual time.
#include <kcontrol/client/client.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/sim_network.hpp>

#include "node/label_store.hpp"
#include "service/labeler.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <doctest/doctest.h>

#include <map>

using namespace gpu_labeler;
using namespace std::chrono_literals;
using kcontrol::awaitable;
using kcontrol::result;

namespace {

const kcontrol::testing::group_resource nodes{"", "nodes"};

struct hardware {
    int gpus = 8;
};

awaitable<result<reading>> read(const hardware& of) {
    reading out;
    out.found.gpus.resize(static_cast<std::size_t>(of.gpus));
    out.marks.labels["nvidia.com/gpu.count"] = std::to_string(of.gpus);
    out.marks.labels["nvidia.com/gpu.product"] = "NVIDIA-A100-SXM4-40GB";
    out.marks.annotations["kcontrol.dev/gpu-topology"] = "{}";
    co_return out;
}

// A process on a node: it starts, and it is ended.
class daemon {
public:
    daemon(kcontrol::environment& env, kcontrol::executor ex, kcontrol::client api, const std::string& name,
           const hardware& gpus)
        : keeper_(env, loop_settings(cron::schedule::parse("@every 60s", cron::time_zone::utc()).value()),
                  [&gpus](std::stop_token) { return read(gpus); }, make_node_store(std::move(api), name), {}) {
        boost::asio::co_spawn(ex, keeper_.run(stop_.get_token()), [this](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
            ended_ = true;
        });
    }
    void stop() { stop_.request_stop(); }
    bool ended() const noexcept { return ended_; }
    bool settled() const noexcept { return keeper_.status().settled; }

private:
    std::stop_source stop_;
    bool ended_ = false;
    labeler keeper_;
};

class fleet {
public:
    explicit fleet(std::size_t size) {
        network_.listen("api", server_strand_,
                        [this](kcontrol::http::server_request r, kcontrol::http::responder& out) {
                            arrivals.push_back(env.now());
                            return handler_(std::move(r), out);
                        });
        for (std::size_t i = 0; i < size; ++i) {
            const auto name = "n" + std::to_string(i);
            (void)api.create({{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}}).value();
            machines.emplace_back();
        }
    }
    ~fleet() { stop_all(); }

    void start_all() {
        kcontrol::auth::cluster_config config;
        config.server(kcontrol::http::endpoint("https", "api", 443));
        for (std::size_t i = 0; i < machines.size(); ++i) {
            const kcontrol::executor ex = boost::asio::make_strand(context.get_executor());
            auto client = kcontrol::client::connect(env, ex, config, network_.factory()).value();
            daemons.push_back(
                std::make_unique<daemon>(env, ex, std::move(client), "n" + std::to_string(i), machines[i]));
        }
    }
    void stop_all() {
        for (const auto& d : daemons) d->stop();
        const auto all_ended = [this] {
            return std::all_of(daemons.begin(), daemons.end(), [](const auto& d) { return d->ended(); });
        };
        CHECK(context.run_until(all_ended, env.now() + 1s));
        daemons.clear();
    }
    bool all_settled() const {
        return std::all_of(daemons.begin(), daemons.end(), [](const auto& d) { return d->settled(); });
    }
    std::string label(std::size_t of, std::string_view name) const {
        const auto node = api.get(nodes, {"", "n" + std::to_string(of)}).value();
        return std::string(kcontrol::json::get_string(node, {"metadata", "labels", name}));
    }

    kcontrol::testing::sim_context context{20261121};
    kcontrol::testing::sim_environment env{context};
    std::vector<kcontrol::time_point> arrivals;
    std::vector<hardware> machines;
    std::vector<std::unique_ptr<daemon>> daemons;

private:
    kcontrol::testing::sim_network network_{context, env};
    kcontrol::executor server_strand_ = boost::asio::make_strand(context.get_executor());

public:
    kcontrol::testing::api_server api{env, server_strand_};

private:
    kcontrol::http::handler handler_ = api.handler();
};

}  // namespace

TEST_CASE("fleet: a start of 5,000 has no peak") {
    constexpr std::size_t size = 5000;
    fleet f(size);
    const auto begin = f.env.now();
    f.start_all();
    f.context.run_for(30s);
    CHECK(f.all_settled());
    CHECK(f.arrivals.size() == 2 * size);  // a look and a write each
    std::map<std::int64_t, std::size_t> by_second;
    for (const auto at : f.arrivals) ++by_second[std::chrono::floor<std::chrono::seconds>(at - begin).count()];
    std::size_t most = 0;
    for (const auto& [second, requests] : by_second) most = std::max(most, requests);
    const auto mean = static_cast<double>(f.arrivals.size()) / static_cast<double>(by_second.size());
    MESSAGE("requests a second: mean " << mean << ", most " << most);
    CHECK(by_second.size() >= 10);
    CHECK(static_cast<double>(most) < 3 * mean);
    CHECK(f.label(size - 1, "nvidia.com/gpu.count") == "8");
}

TEST_CASE("fleet: an idle hour has no request, a change one, a restart only a question") {
    fleet f(20);
    f.start_all();
    f.context.run_for(1min);
    REQUIRE(f.all_settled());
    f.arrivals.clear();
    const auto version = f.api.resource_version();
    f.context.run_for(1h);
    CHECK(f.arrivals.empty());
    f.machines[7].gpus = 7;
    f.context.run_for(2min);
    CHECK(f.arrivals.size() == 1);
    CHECK(f.label(7, "nvidia.com/gpu.count") == "7");
    CHECK(f.api.resource_version() == version + 1);
    f.stop_all();
    f.arrivals.clear();
    f.start_all();
    f.context.run_for(1min);
    CHECK(f.all_settled());
    CHECK(f.arrivals.size() == 20);
    CHECK(f.api.resource_version() == version + 1);
    // What others take away is put back by the resync, and nothing else is written.
    (void)f.api.patch(nodes, {"", "n3"}, {{"metadata", {{"labels", {{"nvidia.com/gpu.count", nullptr}}}}}}).value();
    f.arrivals.clear();
    f.context.run_for(10h + 1min);
    CHECK(f.label(3, "nvidia.com/gpu.count") == "8");
    CHECK(f.arrivals.size() >= 21);
    CHECK(f.arrivals.size() <= 42);
    CHECK(f.api.resource_version() == version + 3);
}
