#include "haproxy/backend.hpp"

#include <kcontrol/testing/run.hpp>

#include "haproxy/fake_haproxy.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

using namespace follow;
using namespace follow::haproxy;
using namespace follow::tests;

namespace {

struct fixture {
    boost::asio::io_context context;
    fake_haproxy proxy;
    backend servers{proxy.ask(), "web", "", {}};

    kcontrol::result<outcome> apply(std::vector<endpoint> endpoints) {
        return kcontrol::testing::run(context, servers.apply(std::move(endpoints), {}));
    }
    std::string refused(std::vector<endpoint> endpoints) {
        const auto done = apply(std::move(endpoints));
        REQUIRE(!done);
        return done.error().message();
    }
};

}  // namespace

TEST_CASE("parse_servers: the table of HAProxy 2.6, and only its own servers") {
    const auto found = parse_servers(
        "1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight "
        "srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state "
        "bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr "
        "srv_agent_addr srv_agent_port\n"
        "3 be 1 own 127.0.0.1 0 5 1 1 1 1 0 0 8 0 0 0 - 18999 - 0 0 - - 0\n"
        "3 be 3 kc_fd00::1:80 fd00::1 2 8 1 1 0 1 0 2 6 0 0 0 - 80 - 0 0 - - 0\n"
        "3 be 2 kc_10.77.0.5:8080 10.77.0.5 2 0 1 1 0 1 0 0 0 0 0 0 - 8080 - 0 0 - - 0\n"
        "3 be 4 kc_10.77.0.6:8080 10.77.0.6 0 33 1 1 0 1 0 0 0 0 0 0 - 8080 - 0 0 - - 0\n");
    REQUIRE_MESSAGE(found.has_value(), found.error().message());
    CHECK(*found == std::vector<server>{server("kc_10.77.0.5:8080", "10.77.0.5", 8080, server_state::ready),
                                        server("kc_10.77.0.6:8080", "10.77.0.6", 8080, server_state::maint),
                                        server("kc_fd00::1:80", "fd00::1", 80, server_state::drain)});
}

TEST_CASE("parse_servers: what is no such table") {
    const std::pair<const char*, const char*> rows[] = {
        {"", "HAProxy: \"\""},
        {"Permission denied", "HAProxy: \"Permission denied\""},
        {"1\n# be_id srv_name srv_addr srv_port\n",
         "HAProxy's table of servers has no column srv_admin_state; HAProxy 2.6 or newer is needed"},
        {"1\n# srv_name srv_addr srv_admin_state srv_port\nkc_a 10.0.0.1 x 80\n",
         "HAProxy's table of servers has no numbers for \"kc_a\""},
    };
    for (const auto& each : rows) {
        const auto& [text, message] = each;
        CAPTURE(each.first);
        const auto found = parse_servers(text);
        REQUIRE(!found);
        CHECK(found.error().message() == message);
    }
}

TEST_CASE_FIXTURE(fixture, "backend: added, drained, removed; others are left alone") {
    proxy.servers["own"] = server("own", "10.9.9.9", 80, server_state::ready);
    REQUIRE(apply({ready("10.0.0.1"), ready("10.0.0.2")}));
    CHECK(proxy.servers.at("kc_10.0.0.1:80").state == server_state::ready);
    CHECK(proxy.servers.size() == 3);
    REQUIRE(apply({terminating("10.0.0.1"), ready("10.0.0.2")}));
    CHECK(proxy.servers.at("kc_10.0.0.1:80").state == server_state::drain);
    CHECK(apply({ready("10.0.0.2")})->commands == 2);
    CHECK(!proxy.servers.contains("kc_10.0.0.1:80"));
    CHECK(apply({ready("10.0.0.2")})->commands == 0);
    REQUIRE(apply({}));
    CHECK(proxy.servers.size() == 1);
    CHECK(proxy.servers.at("own").state == server_state::ready);
}

TEST_CASE_FIXTURE(fixture, "backend: a server with open connections is removed when they have ended") {
    REQUIRE(apply({ready("10.0.0.1")}));
    proxy.busy.insert("kc_10.0.0.1:80");
    auto done = apply({});
    REQUIRE(done);
    CHECK(done->pending == 1);
    CHECK(proxy.servers.at("kc_10.0.0.1:80").state == server_state::maint);
    done = apply({});
    CHECK(done->commands == 1);
    CHECK(done->pending == 1);
    proxy.busy.clear();
    CHECK(apply({})->pending == 0);
    CHECK(proxy.servers.empty());
}

TEST_CASE_FIXTURE(fixture, "backend: a HAProxy that was restarted is filled again") {
    REQUIRE(apply({ready("10.0.0.1"), ready("10.0.0.2")}));
    proxy.servers.clear();
    CHECK(apply({ready("10.0.0.1"), ready("10.0.0.2")})->commands == 4);
    CHECK(proxy.servers.size() == 2);
}

TEST_CASE_FIXTURE(fixture, "backend: what HAProxy refuses") {
    proxy.admin = false;
    CHECK(refused({ready("10.0.0.1")}) ==
          "HAProxy refused \"add server web/kc_10.0.0.1:80 10.0.0.1:80\": \"Permission denied\"; its socket needs "
          "`level admin`");
    CHECK(proxy.commands.size() == 2);  // the first refusal does not keep the others from being given
    proxy.running = false;
    CHECK(refused({}) == "/sock: Connection refused");
    proxy.running = true;
    backend other(proxy.ask(), "shop", "", {});
    const auto done = kcontrol::testing::run(context, other.apply({}, {}));
    REQUIRE(!done);
    CHECK(done.error().message() == "--backend \"shop\": HAProxy has no backend of that name");
}
