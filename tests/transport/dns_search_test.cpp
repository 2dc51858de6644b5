// The decisions of a look-up, as tables: no socket, no time.
#include <kcontrol/transport/impl/dns_search.hpp>

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using kcontrol::http::detail::dns_answer;
using kcontrol::http::detail::dns_search;
using kcontrol::http::detail::parse_resolver_config;
using texts = std::vector<std::string>;

namespace {

constexpr const char* pod = "nameserver 10.0.0.1\nsearch a.svc svc\noptions ndots:2\n";
constexpr const char* two_servers = "nameserver 10.0.0.1\nnameserver 10.0.0.2\noptions attempts:2 timeout:4\n";

// All that is asked if each answer is `answer`: "name@server".
texts asked(dns_search& search, dns_answer answer) {
    texts out;
    while (!search.over()) {
        const auto now = search.current();
        out.push_back(now.name + "@" + now.server.address().to_string());
        search.take(answer);
    }
    return out;
}

texts names_for(const std::string& host, const char* config) {
    dns_search search(host, parse_resolver_config(config));
    texts out = asked(search, dns_answer::no_such_name);
    for (auto& text : out) text.resize(text.find('@'));
    return out;
}

std::string failure_of(const std::string& host, const char* config, std::initializer_list<dns_answer> answers) {
    dns_search search(host, parse_resolver_config(config));
    for (const auto answer : answers) {
        REQUIRE_FALSE(search.over());
        search.take(answer);
    }
    REQUIRE(search.over());
    REQUIRE_FALSE(search.found());
    return search.failure();
}

}  // namespace

TEST_CASE("names: dots decide what comes first, and a dot at the end leaves nothing else") {
    CHECK(names_for("api", pod) == texts{"api.a.svc", "api.svc", "api"});
    CHECK(names_for("api.b", pod) == texts{"api.b.a.svc", "api.b.svc", "api.b"});
    CHECK(names_for("api.b.svc", pod) == texts{"api.b.svc", "api.b.svc.a.svc", "api.b.svc.svc"});
    CHECK(names_for("api.", pod) == texts{"api"});
    CHECK(names_for("api", "search .\n") == texts{"api"});
    CHECK(names_for("api", "search . a\n") == texts{"api", "api.a"});
    CHECK(names_for("x.y", "search . a\n") == texts{"x.y", "x.y.a"});
    CHECK(names_for("api", "") == texts{"api"});
    CHECK(names_for("api", "search a\noptions ndots:0\n") == texts{"api", "api.a"});
}

TEST_CASE("servers: the next one is asked where one has nothing to say about the name, and all of them again") {
    for (const auto answer :
         {dns_answer::failed, dns_answer::refused, dns_answer::invalid, dns_answer::unreachable, dns_answer::none}) {
        dns_search search("api", parse_resolver_config(two_servers));
        CHECK(asked(search, answer) == texts{"api@10.0.0.1", "api@10.0.0.2", "api@10.0.0.1", "api@10.0.0.2"});
    }
    for (const auto answer : {dns_answer::found, dns_answer::no_such_name, dns_answer::no_address,
                              dns_answer::not_a_name, dns_answer::out_of_memory}) {
        dns_search search("api", parse_resolver_config(two_servers));
        CHECK(asked(search, answer) == texts{"api@10.0.0.1"});
        CHECK(search.found() == (answer == dns_answer::found));
    }
    dns_search second("api", parse_resolver_config(two_servers), 1);
    CHECK(asked(second, dns_answer::none) == texts{"api@10.0.0.2", "api@10.0.0.1", "api@10.0.0.2", "api@10.0.0.1"});
}

TEST_CASE("time: twice as much for each further server, shared among them") {
    dns_search search("api", parse_resolver_config(two_servers));
    CHECK(search.current().timeout == 4s);
    search.take(dns_answer::none);
    CHECK(search.current().timeout == 4s);  // 4 s * 2 / 2
    search.take(dns_answer::none);
    CHECK(search.current().timeout == 4s);  // the second attempt
    CHECK(dns_search("api", parse_resolver_config("options timeout:1\n")).current().timeout == 1s);
}

TEST_CASE("a server that fails for one name is asked for the next, one that is not there is not") {
    const auto all = [](dns_answer answer) {
        dns_search search("api", parse_resolver_config("search a b\noptions attempts:1\n"));
        texts out = asked(search, answer);
        for (auto& text : out) text.resize(text.find('@'));
        return out;
    };
    CHECK(all(dns_answer::failed) == texts{"api.a", "api.b", "api"});
    CHECK(all(dns_answer::no_address) == texts{"api.a", "api.b", "api"});
    CHECK(all(dns_answer::not_a_name) == texts{"api.a", "api.b", "api"});
    CHECK(all(dns_answer::refused) == texts{"api.a", "api"});
    CHECK(all(dns_answer::none) == texts{"api.a"});
    CHECK(all(dns_answer::unreachable) == texts{"api.a"});
    CHECK(all(dns_answer::out_of_memory) == texts{"api.a"});
}

TEST_CASE("the name is found wherever it is") {
    dns_search search("api", parse_resolver_config(pod));
    search.take(dns_answer::no_such_name);
    search.take(dns_answer::failed);
    search.take(dns_answer::failed);
    CHECK(search.current().name == "api");
    search.take(dns_answer::found);
    CHECK(search.over());
    CHECK(search.found());
}

TEST_CASE("failures say which it was: no such name, no address, no answer, refused") {
    using enum dns_answer;
    CHECK(failure_of("api", "", {no_such_name}) == "DNS has no such name (NXDOMAIN)");
    CHECK(failure_of("api", "search a\n", {no_such_name, no_such_name}) ==
          "DNS has no such name (NXDOMAIN), asked for api.a, api");
    CHECK(failure_of("api", "", {no_address}) == "DNS knows api but no address of it");
    CHECK(failure_of("api", "search a\n", {no_address, no_such_name}) == "DNS knows api.a but no address of it");
    CHECK(failure_of("api", "", {none, none}) == "the DNS server 127.0.0.1 did not answer");
    CHECK(failure_of("api", "nameserver [::1]:5353\n", {unreachable, unreachable}) ==
          "the DNS server [::1]:5353 can't be reached");
    CHECK(failure_of("api", two_servers, {none, refused, none, refused}) ==
          "the DNS server 10.0.0.1 did not answer, the DNS server 10.0.0.2 refused to answer (REFUSED)");
    CHECK(failure_of("api", two_servers, {failed, invalid, none, invalid}) ==
          "the DNS server 10.0.0.1 did not answer, the DNS server 10.0.0.2 gave no valid answer");
    CHECK(failure_of("api", "options attempts:1\n", {failed}) == "the DNS server 127.0.0.1 failed (SERVFAIL)");
    CHECK(failure_of("a..b", "", {not_a_name}).starts_with("DNS has no such names"));
    CHECK(failure_of("api", "", {out_of_memory}).starts_with("there is not enough memory"));
}

TEST_CASE("of several names, the one that ended the search is reported, or the one that was given") {
    using enum dns_answer;
    constexpr const char* config = "search a\noptions attempts:1\n";
    CHECK(failure_of("api", config, {no_such_name, none}) == "the DNS server 127.0.0.1 did not answer");
    CHECK(failure_of("api", config, {failed, no_such_name}) == "the DNS server 127.0.0.1 failed (SERVFAIL)");
    CHECK(failure_of("x.y", config, {failed, no_such_name}) == "the DNS server 127.0.0.1 failed (SERVFAIL)");
    CHECK(failure_of("x.y", config, {no_such_name, failed}) == "DNS has no such name (NXDOMAIN), asked for x.y, x.y.a");
}

TEST_CASE("while it waits it says for whom") {
    dns_search search("api", parse_resolver_config(two_servers));
    CHECK(search.waiting_for() == "the DNS server 10.0.0.1 has not answered");
    search.take(dns_answer::none);
    CHECK(search.waiting_for() == "the DNS server 10.0.0.2 has not answered");
}
