#include "haproxy/plan.hpp"

#include "views.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace follow;
using namespace follow::haproxy;
using namespace follow::tests;

namespace {

server one(std::string address, server_state state, std::uint16_t port = 80) {
    auto name = "kc_" + address + ":" + std::to_string(port);
    return server(std::move(name), std::move(address), port, state);
}
constexpr auto r = server_state::ready, d = server_state::drain, m = server_state::maint;

std::vector<std::string> planned(const std::vector<endpoint>& endpoints, std::vector<server> present,
                                 const std::string& options = {}) {
    std::sort(present.begin(), present.end());
    const auto wanted = wanted_servers(endpoints);
    std::vector<std::string> out;
    for (const auto& each : plan(wanted, present, "web", options)) out.push_back(each.text);
    return out;
}

using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("plan: from what there is to what is wanted") {
    struct row {
        const char* what;
        std::vector<endpoint> endpoints;
        std::vector<server> present;
        lines commands;
    };
    const row rows[] = {
        {"nothing", {}, {}, {}},
        {"a new one",
         {ready("10.0.0.1")},
         {},
         {"add server web/kc_10.0.0.1:80 10.0.0.1:80", "set server web/kc_10.0.0.1:80 state ready"}},
        {"IPv6",
         {ready("fd00::1")},
         {},
         {"add server web/kc_fd00::1:80 [fd00::1]:80", "set server web/kc_fd00::1:80 state ready"}},
        {"all is right", {ready("10.0.0.1"), terminating("10.0.0.2")}, {one("10.0.0.1", r), one("10.0.0.2", d)}, {}},
        {"one terminates",
         {terminating("10.0.0.1")},
         {one("10.0.0.1", r)},
         {"set server web/kc_10.0.0.1:80 state drain"}},
        {"one is not ready",
         {not_ready("10.0.0.1")},
         {one("10.0.0.1", r)},
         {"set server web/kc_10.0.0.1:80 state maint"}},
        {"one is ready again",
         {ready("10.0.0.1")},
         {one("10.0.0.1", d)},
         {"set server web/kc_10.0.0.1:80 state ready"}},
        {"one that waits for its removal comes back",
         {ready("10.0.0.1")},
         {one("10.0.0.1", m)},
         {"set server web/kc_10.0.0.1:80 state ready"}},
        {"what is not ready is not added", {terminating("10.0.0.1"), not_ready("10.0.0.2")}, {}, {}},
        {"one is gone",
         {},
         {one("10.0.0.1", r)},
         {"set server web/kc_10.0.0.1:80 state maint", "del server web/kc_10.0.0.1:80"}},
        {"one that could not be removed", {}, {one("10.0.0.1", m)}, {"del server web/kc_10.0.0.1:80"}},
        {"new ones come first, and those that go away last",
         {terminating("10.0.0.2"), ready("10.0.0.3")},
         {one("10.0.0.1", r), one("10.0.0.2", r)},
         {"add server web/kc_10.0.0.3:80 10.0.0.3:80", "set server web/kc_10.0.0.3:80 state ready",
          "set server web/kc_10.0.0.2:80 state drain", "set server web/kc_10.0.0.1:80 state maint",
          "del server web/kc_10.0.0.1:80"}},
        {"two ports of one address",
         {ready("10.0.0.1"), ready("10.0.0.1", 81)},
         {one("10.0.0.1", r)},
         {"add server web/kc_10.0.0.1:81 10.0.0.1:81", "set server web/kc_10.0.0.1:81 state ready"}},
        {"an address that somebody changed",
         {ready("10.0.0.1")},
         {server("kc_10.0.0.1:80", "10.9.9.9", 80, r)},
         {"set server web/kc_10.0.0.1:80 addr 10.0.0.1 port 80"}},
        {"no address, and a command in its place", {ready("web.example"), ready("10.0.0.1\nshutdown")}, {}, {}},
    };
    for (const auto& each : rows) {
        CAPTURE(each.what);
        CHECK(planned(each.endpoints, each.present) == each.commands);
    }
}

TEST_CASE("plan: the options of new servers") {
    CHECK(planned({ready("10.0.0.1")}, {}, "maxconn 100") ==
          lines{"add server web/kc_10.0.0.1:80 10.0.0.1:80 maxconn 100", "set server web/kc_10.0.0.1:80 state ready"});
    CHECK(planned({ready("10.0.0.1")}, {}, "check inter 2s") ==
          lines{"add server web/kc_10.0.0.1:80 10.0.0.1:80 check inter 2s", "enable health web/kc_10.0.0.1:80",
                "set server web/kc_10.0.0.1:80 state ready"});
    // The word, not a part of one.
    CHECK(planned({ready("10.0.0.1")}, {}, "no-check-ssl").size() == 2);
}

TEST_CASE("plan: applied to a model, any change ends at what is wanted, and one pass more does nothing") {
    // All pairs of states of three addresses: absent, ready, terminating, not ready.
    const auto endpoints_of = [](int code) {
        std::vector<endpoint> out;
        for (int i = 1; i <= 3; ++i, code /= 4) {
            const std::string address = "10.0.0." + std::to_string(i);
            if (code % 4 == 1) out.push_back(ready(address));
            if (code % 4 == 2) out.push_back(terminating(address));
            if (code % 4 == 3) out.push_back(not_ready(address));
        }
        return out;
    };
    for (int from = 0; from < 64; ++from) {
        for (int to = 0; to < 64; ++to) {
            CAPTURE(from);
            CAPTURE(to);
            const auto before = wanted_servers(endpoints_of(from));
            const auto wanted = wanted_servers(endpoints_of(to));
            std::map<std::string, server> model;
            for (const auto& s : before) model[s.name] = s;
            bool was_empty = std::none_of(before.begin(), before.end(), [](auto& s) { return s.state == r; });
            for (const auto& each : plan(wanted, before, "web", "")) {
                const auto name = each.text.substr(each.text.find("web/") + 4);
                const auto key = name.substr(0, name.find(' '));
                if (each.text.starts_with("add ")) model[key] = one(key.substr(3, key.size() - 6), m);
                if (each.text.starts_with("del ")) {
                    REQUIRE(model.at(key).state == m);
                    model.erase(key);
                }
                if (each.text.ends_with(" ready")) model.at(key).state = r;
                if (each.text.ends_with(" drain")) model.at(key).state = d;
                if (each.text.ends_with(" maint")) model.at(key).state = m;
                const bool empty =
                    std::none_of(model.begin(), model.end(), [](auto& s) { return s.second.state == r; });
                const bool may = std::none_of(wanted.begin(), wanted.end(), [](auto& s) { return s.state == r; });
                CHECK((!empty || was_empty || may));
                was_empty = empty;
            }
            std::vector<server> after;
            for (const auto& [name, s] : model) after.push_back(s);
            for (const auto& s : wanted) CHECK((s.state != r || model.at(s.name) == s));
            for (const auto& s : after) CHECK(std::find(wanted.begin(), wanted.end(), s) != wanted.end());
            CHECK(plan(wanted, after, "web", "").empty());
        }
    }
}
