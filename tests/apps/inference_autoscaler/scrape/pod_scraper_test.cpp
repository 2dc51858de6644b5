// Asking pods in virtual time.
#include "scrape/pod_scraper.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace inference_autoscaler;
using namespace std::chrono_literals;
using kcontrol::errc;

namespace {

struct scraping {
    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    std::map<std::string, std::shared_ptr<kcontrol::testing::scripted_transport>> pods;
    std::set<std::string> asked;
    pods_source where;
    std::stop_source stop;
    pod_scraper scraper{
        env, context.get_executor(),
        [this](kcontrol::executor, const kcontrol::http::endpoint& to,
               const kcontrol::http::tls_options&) -> kcontrol::result<std::shared_ptr<kcontrol::http::transport>> {
            asked.insert(to.scheme + "://" + to.host + ":" + std::to_string(to.port));
            if (!pods.contains(to.host)) return kcontrol::error(errc::invalid_config, "no such pod");
            return std::shared_ptr<kcontrol::http::transport>(pods[to.host]);
        }};

    scraping() { where.port = 8000; }
    kcontrol::testing::scripted_step& pod(const std::string& ip) {
        auto& net = pods[ip];
        if (!net) net = std::make_shared<kcontrol::testing::scripted_transport>(env);
        return net->expect("GET /metrics");
    }
    pods_said look(std::vector<pod_address> of) {
        return kcontrol::testing::run(context, env, scraper.look(where, std::move(of), {"w"}, stop.get_token()));
    }
};

}  // namespace

TEST_CASE_FIXTURE(scraping, "pods are asked at once; those that give no metrics are silent") {
    pod("10.0.0.1").with_header("Accept", "text/plain;version=0.0.4").reply(200, "w 1\nv 2\n");
    pod("10.0.0.2").hang();
    pod("10.0.0.3").reply(500, "w 1\n");
    pod("10.0.0.4").reply(200, "<html>");
    pod("10.0.0.5").reply(200, "w " + std::string(1 << 20, '1'));
    pod("fd00::6").reply(302, "");
    const auto begun = env.now();
    const auto now = look({{"a", "10.0.0.1"},
                           {"b", "10.0.0.2"},
                           {"c", "10.0.0.3"},
                           {"d", "10.0.0.4"},
                           {"e", "10.0.0.5"},
                           {"f", "fd00::6"},
                           {"g", ""}});
    CHECK(env.now() - begun == 2s);
    CHECK(now.at == begun);
    REQUIRE(now.pods.size() == 1);
    CHECK(now.pods.at("a") == std::vector<metric_sample>{{"w", {}, 1}});
    CHECK(now.names == std::vector<std::string>{"w", "v"});
    CHECK(std::set<std::string>(now.silent.begin(), now.silent.end()) ==
          std::set<std::string>{"b", "c", "d", "e", "f", "g"});
    CHECK(asked.contains("http://fd00::6:8000"));
}

TEST_CASE_FIXTURE(scraping, "why the first pod is silent") {
    struct row {
        int status;
        std::string body;
        missing_reason reason;
    };
    const row rows[] = {{404, "", missing_reason::refused},
                        {200, "<html>", missing_reason::no_answer},
                        {200, std::string((1 << 20) + 1, '#'), missing_reason::too_large}};
    for (const auto& each : rows) {
        pod("10.0.0.1").reply(each.status, each.body);
        const auto now = look({{"a", "10.0.0.1"}});
        CHECK(now.why.reason == each.reason);
        CHECK(now.why.words.starts_with("pod a: "));
    }
}

TEST_CASE_FIXTURE(scraping, "at most 64 pods at a time, and a stop ends all") {
    std::vector<pod_address> all;
    for (int i = 0; i < 100; ++i) {
        pod("10.0.0." + std::to_string(i)).hang();
        all.push_back({"p" + std::to_string(i), "10.0.0." + std::to_string(i)});
    }
    const auto waiting = [](const auto& each) { return each.second->remaining_steps() == 1; };
    pods_said now;
    const auto get = [&]() -> kcontrol::awaitable<void> {
        std::set<std::string, std::less<>> wanted{"w"};
        now = co_await scraper.look(where, all, std::move(wanted), stop.get_token());
    };
    kcontrol::testing::start(context, get());
    env.run_ready(context);
    CHECK(std::count_if(pods.begin(), pods.end(), waiting) == 36);
    env.advance(2s, context);
    CHECK(std::count_if(pods.begin(), pods.end(), waiting) == 0);
    stop.request_stop();
    env.run_ready(context);
    CHECK(now.silent.size() == 100);
}
