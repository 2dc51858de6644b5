#include "lead_stage.hpp"
#include "support/print.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

std::size_t count_of(const std::vector<std::string>& lines, const std::string& beginning) {
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const auto& one) { return one.starts_with(beginning); }));
}

std::string annotation(lead_stage& s) {
    return std::string(json::get_string(s.lease(), {"metadata", "annotations", service::address_annotation}));
}

bool stop(lead_stage& s, lead_process& one, duration drain = 30s) {
    bool returned = false, done = false;
    asio::co_spawn(one.ex, one.lead->stop(drain), [&](std::exception_ptr, bool well) {
        returned = well;
        done = true;
    });
    REQUIRE(s.until([&] { return done; }, 2min));
    return returned;
}

}  // namespace

TEST_CASE("lead: the leader has a token, its address stands in the Lease, and its pod alone has the label") {
    lead_stage s(3);
    s.add_pod("old", true);  // of a leader that was killed
    for (auto& one : s.processes) one->start();
    REQUIRE(s.until([&] { return s.leader() != nullptr; }, 10s));
    lead_process& leader = *s.leader();
    REQUIRE(s.until([&] { return s.labelled() == leader.name; }, 1s));
    CHECK(leader.told == " leads");
    CHECK(leader.lead->now().leading());
    CHECK(leader.lead->left() <= 2s);
    CHECK(leader.lead->token() == s.acquired.rbegin()->first);
    CHECK(leader.tokens == std::vector<std::uint64_t>{leader.lead->token()});
    CHECK(annotation(s) == leader.options.address());
    CHECK(leader.lead->leader() == leader.name);
    for (auto& one : s.processes) CHECK(one->leading() == (one.get() == &leader));
    s.pass(1min);
    CHECK(s.labelled() == leader.name);
    CHECK(s.longest_two == 0s);
    CHECK(s.accepted > 100);
    CHECK(s.refused == 0);
}

TEST_CASE("lead: at a stop the label is taken off before the Lease is given up, and the next one leads at once") {
    lead_stage s(2);
    s[0].start();
    REQUIRE(s.until([&] { return s.labelled() == "a"; }, 10s));
    s[1].start();
    s.pass(5s);
    std::string when_free = "not free";
    const auto watching =
        s.server_api.on_change([&](const testing::resource_type& type, testing::change, const json::value& object) {
            if (type.id() == lead_leases && json::get_string(object, {"spec", "holderIdentity"}).empty()) {
                when_free = s.labelled();
            }
        });
    const auto first = s[0].lead->token();
    CHECK(stop(s, s[0]));
    CHECK(when_free.empty());
    CHECK(s[0].told == " leads lost");
    CHECK(s[0].lead->left() == 0s);
    REQUIRE(s.until([&] { return s.labelled() == "b"; }, 1s));
    CHECK(s[1].lead->token() > first);
    CHECK(annotation(s) == s[1].options.address());
    // And again.
    s[0].start();
    s.pass(5s);
    CHECK(stop(s, s[1]));
    REQUIRE(s.until([&] { return s.labelled() == "a"; }, 1s));
    CHECK(s[0].told == " leads lost leads");
}

TEST_CASE("lead: an address of a former leader does not stay when the next one has none") {
    lead_stage s(2);
    s[1].options.address("");
    s[1].make();
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 10s));
    CHECK(annotation(s) == "10.0.0.1:80");
    s[1].start();
    s.pass(3s);
    stop(s, s[0]);
    REQUIRE(s.until([&] { return s[1].leading(); }, 10s));
    CHECK(annotation(s).empty());
}

TEST_CASE("lead: a container that comes again takes its label off, also if another one leads") {
    lead_stage s(2);
    s[0].start();
    REQUIRE(s.until([&] { return s.labelled() == "a"; }, 10s));
    s[0].kill();
    SUBCASE("nobody else is there") {
        // Its name stands in the Lease, so it would lead again at once, perhaps before it has looked at its label.
        bool refused = true;
        s.server_api.set_faults([&refused](const http::server_request& asked) {
            testing::fault out;
            if (refused && asked.target.find("/leases") != std::string::npos) out.status(503, "Unavailable", "later");
            return out;
        });
        s[0].make();
        s[0].start();
        REQUIRE(s.until([&] { return s.labelled().empty(); }, 1s));
        s.pass(1s);
        CHECK(s.labelled().empty());
        refused = false;
        REQUIRE(s.until([&] { return s.labelled() == "a"; }, 10s));
        s.server_api.set_faults(nullptr);
    }
    SUBCASE("another one takes over") {
        s[1].start();
        REQUIRE(s.until([&] { return s.labelled() == "b"; }, 10s));
        s[0].make();
        s[0].start();
        s.pass(10s);
        CHECK(s.labelled() == "b");
    }
    CHECK(s.longest_two == 0s);
}

TEST_CASE("lead: a stopped leader loses the label to the next one, and does not set it again when it goes on") {
    lead_stage s(2);
    s[0].linger = 30s;
    s[0].start();
    REQUIRE(s.until([&] { return s.labelled() == "a"; }, 10s));
    s[1].start();
    s.pass(2s);
    s[0].suspend();
    REQUIRE(s.until([&] { return s.labelled() == "b"; }, 10s));
    s.pass(10s);
    CHECK_FALSE(s[0].leading());
    s[0].resume();
    s.pass(20s);
    CHECK(s[0].told == " leads lost");
    CHECK(s.labelled() == "b");
    CHECK(s.longest_two == 0s);
    CHECK(s.refused > 50);  // it went on writing with its old token
    CHECK(s[1].lead->token() == s.largest);
}

TEST_CASE("lead: missing rights on pods are logged once with the rule, and leading goes on") {
    for (const char* const verb : {"get", "list", "patch"}) {
        CAPTURE(verb);
        lead_stage s(1);
        s.server_api.access().forbid({"*", verb, "pods"});
        s[0].start();
        REQUIRE(s.until([&] { return s[0].leading(); }, 10s));
        s.pass(10min);
        CHECK(s[0].leading());
        CHECK(s.labelled().empty());
        CHECK(count_of(s[0].logged,
                       "the leader's label can't be set: a right is missing rule={apiGroups: [\"\"], "
                       "resources: [\"pods\"], verbs: [\"get\", \"list\", \"patch\"]}") == 1);
        s.server_api.access().permit_all();
        CHECK(s.until([&] { return s.labelled() == "a"; }, 2min));
        CHECK(stop(s, s[0]));
        CHECK(s.labelled().empty());
    }
}

TEST_CASE("lead: a missing right on the Lease is logged once with the rule, and it leads when it is granted") {
    for (const char* const verb : {"get", "create"}) {
        CAPTURE(verb);
        lead_stage s(1);
        s.server_api.access().forbid({"*", verb, "leases"});
        s[0].start();
        s.pass(10min);
        CHECK_FALSE(s[0].leading());
        const auto rule =
            "rule={apiGroups: [\"coordination.k8s.io\"], resources: [\"leases\"], "
            "verbs: [\"get\", \"create\", \"update\", \"watch\"]}";
        CHECK(std::count_if(s[0].logged.begin(), s[0].logged.end(),
                            [&](const auto& one) { return one.find(rule) != std::string::npos; }) == 1);
        s.server_api.access().permit_all();
        CHECK(s.until([&] { return s[0].leading(); }, 2min));
    }
}

TEST_CASE("lead: without a pod of its name it leads without a label, and says so") {
    lead_stage s(1);
    s[0].options.label(service::lead_label().pod("nowhere"));
    s[0].make();
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 10s));
    s.pass(5min);
    CHECK(count_of(s[0].logged, "there is no own pod of that name") == 1);
    CHECK(s.labelled().empty());
    const auto before = s.world.context().now();
    CHECK(stop(s, s[0]));
    CHECK(s.world.context().now() - before < 1s);
}

TEST_CASE("lead: the pod is found by its host name, in the namespace of its service account") {
    lead_stage s(1);
    s.world.env().set_variable("HOSTNAME", "a");
    s[0].options.label(service::lead_label("team/tier", "master"));
    s[0].make();
    s[0].start();
    const auto label = [&] {
        const auto pod = s.server_api.get(lead_pods, {"default", "a"}).value();
        return std::string(json::get_string(pod, {"metadata", "labels", "team/tier"}));
    };
    REQUIRE(s.until([&] { return label() == "master"; }, 10s));
    stop(s, s[0]);
    CHECK(label().empty());
}

TEST_CASE("lead: a server that can't be reached does not keep a stop for long") {
    lead_stage s(1);
    s[0].start();
    REQUIRE(s.until([&] { return s.labelled() == "a"; }, 10s));
    s[0].link(testing::link_state::refused);
    s.world.network().break_connections(s[0].host);
    const auto before = s.world.context().now();
    stop(s, s[0]);
    CHECK(s.world.context().now() - before < 10s);
    CHECK(s[0].told == " leads lost");
}

TEST_CASE("lead: a restored etcd makes it give the Lease up, unless that is accepted") {
    for (const bool accepts : {false, true}) {
        CAPTURE(accepts);
        lead_stage s(1);
        s[0].options.accept_token_reset(accepts);
        s[0].make();
        const auto before = s.server_api.snapshot();
        s[0].start();
        REQUIRE(s.until([&] { return s[0].leading(); }, 10s));
        s.pass(1min);
        const auto token = s[0].lead->token();
        s.server_api.restore(before);
        s.pass(1min);
        CHECK(count_of(s[0].logged, "token_went_back") == 1);
        CHECK(s[0].leading() == accepts);
        // The label as the restored server has it.
        const auto pod = s.server_api.get(lead_pods, {"default", "a"}).value();
        CHECK(json::get_string(pod, {"metadata", "labels", "role"}) == (accepts ? "leader" : ""));
        CHECK(s[0].lead->token() >= (accepts ? 1 : token));
    }
}

TEST_CASE("lead: coroutines wait for a term and for its end") {
    lead_stage s(2);
    std::string seen;
    const auto body = [&]() -> awaitable<void> {
        lead_process& a = s[0];
        const auto token = co_await a.lead->wait_leading();
        CHECK(token);
        CHECK(*token == a.lead->token());
        seen += " leads";
        const auto lost = co_await a.lead->wait_lost(*token);
        CHECK(lost);
        seen += " lost";
        const auto over = co_await a.lead->wait_leading();
        CHECK_FALSE(over);
        CHECK(over.error() == errc::stopped);
        seen += " over";
    };
    s[0].start();
    asio::co_spawn(s[0].ex, body(), asio::detached);
    REQUIRE(s.until([&] { return seen == " leads"; }, 10s));
    stop(s, s[0]);
    REQUIRE(s.until([&] { return seen == " leads lost over"; }, 1s));
    // A stop token ends a wait.
    std::stop_source enough;
    std::optional<result<std::uint64_t>> waited;
    s[1].link(testing::link_state::refused);
    s[1].start();
    asio::co_spawn(s[1].ex, s[1].lead->wait_leading(enough.get_token()),
                   [&](std::exception_ptr, result<std::uint64_t> out) { waited = out; });
    s.pass(3s);
    CHECK_FALSE(waited);
    enough.request_stop();
    REQUIRE(s.until([&] { return waited.has_value(); }, 1s));
    CHECK(waited->error() == errc::stopped);
}

TEST_CASE("lead: a parent's token ends it as a stop does") {
    lead_stage s(1);
    std::stop_source parent;
    (void)s[0].lead->start(parent.get_token()).value();
    REQUIRE(s.until([&] { return s.labelled() == "a"; }, 10s));
    parent.request_stop();
    REQUIRE(s.until([&] { return json::get_string(s.lease(), {"spec", "holderIdentity"}).empty(); }, 10s));
    CHECK(s.labelled().empty());
    CHECK(s[0].told == " leads lost");
    s[0].start();
    REQUIRE(s.until([&] { return s.labelled() == "a"; }, 10s));
}

TEST_CASE("lead: work that awaits the stop itself, and callbacks that throw") {
    lead_stage s(1);
    service::lead_callbacks calls;
    bool returned = false;
    calls.on_change([](bool, std::uint64_t) { throw 7; });
    calls.work([&](std::uint64_t, std::stop_token) -> awaitable<void> {
        co_await sleep_for(s[0].env, 5s, {});
        returned = co_await s[0].lead->stop();
        throw std::runtime_error("and that");
    });
    s[0].lead.reset();
    s[0].lead.emplace(s[0].env, s[0].ex, s[0].direct, s[0].options, calls);
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 10s));
    REQUIRE(s.until([&] { return returned; }, 30s));
    CHECK_FALSE(s[0].leading());
    CHECK(json::get_string(s.lease(), {"spec", "holderIdentity"}).empty());
    CHECK(s.labelled().empty());
}

TEST_CASE("lead: options that can't be meant are refused, with the field and the value") {
    struct row {
        service::lead_options options;
        const char* message;
    };
    const auto lease = [] { return service::lead_options({"default", "l"}); };
    for (const auto& r : {
             row{service::lead_options({"default", ""}), "lease \"\": "},
             row{service::lead_options({"default", "A b"}), "lease \"A b\": "},
             row{service::lead_options({"x.y", "l"}), "lease namespace \"x.y\": "},
             row{lease().identity("a\nb"), "identity \"a\\x0ab\": "},
             row{lease().address("a\x1b"), "address \"a\\x1b\": "},
             row{lease().lease_duration(2500ms).renew_deadline(2s).retry_period(1s), "lease_duration: "},
             row{lease().lease_duration(5s).renew_deadline(10s), "lease"},
             row{lease().label({"a b", "c"}), "label key \"a b\": "},
             row{lease().label({"a", "b c"}), "label value \"b c\": "},
             row{lease().label({"a", ""}), "label value \"\": "},
             row{lease().label(service::lead_label().pod("A")), "label pod \"A\": "},
             row{lease().label(service::lead_label().in_namespace("a.b")), "label namespace \"a.b\": "},
         }) {
        CAPTURE(r.message);
        const auto valid = r.options.validate();
        REQUIRE_FALSE(valid);
        CHECK(valid.error() == errc::invalid_argument);
        CHECK(valid.error().message().find(r.message) != std::string::npos);
    }
    CHECK(lease().label({}).validate());
}

TEST_CASE("lead: an object that is destroyed at any moment calls nothing any more") {
    for (int i = 0; i < 40; ++i) {
        CAPTURE(i);
        lead_stage s(1, static_cast<std::uint64_t>(i + 1));
        s[0].start();
        s.pass(i * 5ms);
        const std::string told = s[0].told;
        s[0].kill();
        s.pass(10s);
        CHECK(s[0].told == told);
    }
}
