#include "outputs/haproxy_output.hpp"

#include <kcontrol/testing/run.hpp>

#include "haproxy/fake_haproxy.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

using namespace follow;
using namespace follow::tests;

TEST_CASE("haproxy_output: what is changed and what is left out is logged once") {
    boost::asio::io_context context;
    fake_haproxy proxy;
    std::vector<std::string> logged;
    const kcontrol::logger log(
        [&](const kcontrol::log_record& record) {
            std::string line(record.message);
            for (const auto& [name, value] : record.fields) line += " " + std::string(name) + "=" + std::string(value);
            logged.push_back(std::move(line));
        },
        kcontrol::log_level::info);
    haproxy_output out(haproxy::backend(proxy.ask(), "web", "", log), "/sock", log);
    const auto put = [&](std::vector<endpoint> endpoints) {
        return kcontrol::testing::run(context, out.put(of(std::move(endpoints)), {}));
    };
    CHECK(out.again() == std::chrono::seconds(1));
    REQUIRE(put({ready("10.0.0.1"), ready("web.shop.svc")}));
    REQUIRE(put({ready("10.0.0.1"), ready("web.shop.svc")}));
    CHECK(logged == std::vector<std::string>{"HAProxy takes addresses only; these are left out names=web.shop.svc",
                                             "HAProxy's servers changed socket=/sock commands=2 pending=0"});
    // Waiting for connections to end is no change.
    proxy.busy.insert("kc_10.0.0.1:80");
    REQUIRE(put({}));
    REQUIRE(put({}));
    REQUIRE(logged.size() == 3);
    CHECK(logged[2] == "HAProxy's servers changed socket=/sock commands=2 pending=1");
    proxy.busy.clear();
    REQUIRE(put({}));
    CHECK(logged.size() == 4);
}
