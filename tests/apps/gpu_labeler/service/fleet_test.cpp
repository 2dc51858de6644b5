// Many labelers, one API server that applies, and a network between them, in virtual time.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/sim_network.hpp>

#include "apps/gpu_labeler/support/tokens.hpp"
#include "node/label_store.hpp"
#include "service/follow_registration.hpp"
#include "service/labeler.hpp"
#include "support/how_much.hpp"

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
           const hardware& gpus, std::string token_file)
        : keeper_(env, loop_settings(cron::schedule::parse("@every 60s", cron::time_zone::utc()).value()),
                  [&gpus](std::stop_token) { return read(gpus); }, make_node_store(std::move(api), name), {}) {
        begin(ex, keeper_.run(stop_.get_token()));
        const std::function<void()> renewed = [this] { keeper_.node_renewed(); };
        begin(ex, follow_registration(env, std::move(token_file), renewed, {}, stop_.get_token()));
    }
    void stop() { stop_.request_stop(); }
    bool ended() const noexcept { return running_ == 0; }
    bool settled() const noexcept { return keeper_.status().settled; }

private:
    void begin(const kcontrol::executor& ex, awaitable<void> work) {
        ++running_;
        boost::asio::co_spawn(ex, std::move(work), [this](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
            --running_;
        });
    }

    std::stop_source stop_;
    int running_ = 0;
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
            register_node(i);
            give_token(i);
            machines.emplace_back();
        }
    }
    ~fleet() { stop_all(); }

    // What a kubelet does when it starts: it registers its Node, and gives its pods new tokens, in this or that order.
    void register_node(std::size_t i) {
        (void)api.create({{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name(i)}}}}).value();
    }
    std::string give_token(std::size_t i) {
        const auto node = api.get(nodes, {"", name(i)});
        const std::string uid = node ? std::string(kcontrol::json::get_string(*node, {"metadata", "uid"})) : "";
        const auto issued = std::chrono::floor<std::chrono::seconds>(env.now().time_since_epoch()).count();
        const auto token = gpu_labeler_test::pod_token(
            issued, R"({"name":")" + name(i) + (uid.empty() ? "\"}" : R"(","uid":")" + uid + "\"}"));
        env.write_file(token_file(i), token);
        return token;
    }
    void remove_node(std::size_t i) { REQUIRE(api.remove(nodes, {"", name(i)})); }

    void start_all() {
        for (std::size_t i = 0; i < machines.size(); ++i) {
            kcontrol::auth::cluster_config config;
            config.server(kcontrol::http::endpoint("https", "api", 443)).token_file(token_file(i));
            const kcontrol::executor ex = boost::asio::make_strand(context.get_executor());
            auto client = kcontrol::client::connect(env, ex, config, network_.factory()).value();
            daemons.push_back(
                std::make_unique<daemon>(env, ex, std::move(client), name(i), machines[i], token_file(i)));
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
        const auto node = api.get(nodes, {"", "n" + std::to_string(of)});
        if (!node) return {};
        return std::string(kcontrol::json::get_string(*node, {"metadata", "labels", name}));
    }

    kcontrol::testing::sim_context context{20261121};
    kcontrol::testing::sim_environment env{context};
    std::vector<kcontrol::time_point> arrivals;
    std::vector<hardware> machines;
    std::vector<std::unique_ptr<daemon>> daemons;

private:
    static std::string name(std::size_t i) { return "n" + std::to_string(i); }
    static std::string token_file(std::size_t i) { return "/tokens/" + name(i); }

    kcontrol::testing::sim_network network_{context, env};
    kcontrol::executor server_strand_ = boost::asio::make_strand(context.get_executor());

public:
    kcontrol::testing::api_server api{env, server_strand_};

private:
    kcontrol::http::handler handler_ = api.handler();
};

}  // namespace

TEST_CASE("fleet: a start of 5,000 has no peak") {
    const auto size = kcontrol::test::as_many_as(5000, 10);
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
    fleet f(8);
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
    CHECK(f.arrivals.size() == 8);
    CHECK(f.api.resource_version() == version + 1);
    // What others take away is put back by the resync, and nothing else is written.
    (void)f.api.patch(nodes, {"", "n3"}, {{"metadata", {{"labels", {{"nvidia.com/gpu.count", nullptr}}}}}}).value();
    f.arrivals.clear();
    f.context.run_for(10h + 1min);
    CHECK(f.label(3, "nvidia.com/gpu.count") == "8");
    CHECK(f.arrivals.size() >= 9);
    CHECK(f.arrivals.size() <= 18);
    CHECK(f.api.resource_version() == version + 3);
}

TEST_CASE(
    "fleet: a Node that is deleted and registered again has its labels within a minute, and an idle hour no request") {
    fleet f(11);
    f.start_all();
    f.context.run_for(1min);
    REQUIRE(f.all_settled());
    f.arrivals.clear();
    // Kubelets renew tokens, and some are started anew; the Nodes stay.
    for (std::size_t i = 0; i < 10; ++i) {
        f.context.run_for(6min);
        (void)f.give_token(i);
        if (i % 5 == 0) (void)f.give_token(i + 1);
    }
    CHECK(f.arrivals.empty());

    f.remove_node(7);
    f.context.run_for(30s);
    CHECK(f.arrivals.empty());
    f.register_node(7);
    (void)f.give_token(7);
    const auto registered = f.env.now();
    CHECK(f.context.run_until([&] { return f.label(7, "nvidia.com/gpu.count") == "8"; }, registered + 1min));
    MESSAGE("labels after " << std::chrono::duration<double>(f.env.now() - registered).count() << " s");
    f.context.run_for(1h);
    CHECK(f.arrivals.size() == 2);  // a look and a write

    // A kubelet that asks for the token first: its Node is not there yet.
    f.remove_node(8);
    f.context.run_for(30s);
    (void)f.give_token(8);
    f.context.run_for(12s);
    f.register_node(8);
    CHECK(f.context.run_until([&] { return f.label(8, "nvidia.com/gpu.count") == "8"; }, f.env.now() + 1min));

    // One that nobody's kubelet registered: known when the kubelet renews the token, within the hour.
    f.remove_node(10);
    f.register_node(10);
    f.context.run_for(48min);
    CHECK(f.label(10, "nvidia.com/gpu.count").empty());
    (void)f.give_token(10);
    CHECK(f.context.run_until([&] { return f.label(10, "nvidia.com/gpu.count") == "8"; }, f.env.now() + 1min));

    // One that was away for so long that it is asked for it every five minutes only.
    f.remove_node(9);
    f.machines[9].gpus = 7;
    f.context.run_for(3h);
    f.register_node(9);
    (void)f.give_token(9);
    CHECK(f.context.run_until([&] { return f.label(9, "nvidia.com/gpu.count") == "7"; }, f.env.now() + 1min));
}

TEST_CASE("fleet: 5,000 Nodes that are registered anew at once come without a peak") {
    const auto size = kcontrol::test::as_many_as(5000, 10);
    fleet f(size);
    f.start_all();
    f.context.run_for(30s);
    REQUIRE(f.all_settled());
    f.arrivals.clear();
    for (std::size_t i = 0; i < size; ++i) {
        f.remove_node(i);
        f.register_node(i);
        (void)f.give_token(i);
    }
    const auto begin = f.env.now();
    f.context.run_for(1min);
    CHECK(f.arrivals.size() == 2 * size);
    for (std::size_t i = 0; i < size; ++i) REQUIRE(f.label(i, "nvidia.com/gpu.count") == "8");
    std::map<std::int64_t, std::size_t> by_second;
    for (const auto at : f.arrivals) ++by_second[std::chrono::floor<std::chrono::seconds>(at - begin).count()];
    std::size_t most = 0;
    for (const auto& [second, requests] : by_second) most = std::max(most, requests);
    MESSAGE("requests a second: most " << most << ", over " << by_second.size() << " s");
    CHECK(most < 3 * f.arrivals.size() / by_second.size());
}

// The API server's clock decides how long a token is good; here the file is read again, by a clock that nobody sets.
TEST_CASE("fleet: a wall clock that is set does not keep an expired token in use") {
    for (const kcontrol::duration set : {-9h, 9h}) {
        CAPTURE(set.count());
        fleet f(1);
        const auto old_token = f.give_token(0);
        f.api.access().set_tokens({{old_token, "labeler"}});
        f.start_all();
        f.context.run_for(1min);
        REQUIRE(f.all_settled());
        f.arrivals.clear();
        f.env.set_wall_clock(set);
        const auto fresh = f.give_token(0);
        REQUIRE(fresh != old_token);
        f.api.access().set_tokens({{fresh, "labeler"}});
        f.machines[0].gpus = 7;
        f.context.run_for(1min + 1s);
        CHECK(f.label(0, "nvidia.com/gpu.count") == "7");
        CHECK(f.arrivals.size() <= 2);  // one with the old token at most
        f.env.set_wall_clock(-2 * set);
        f.context.run_for(2h);
        CHECK(f.arrivals.size() <= 2);
    }
}
