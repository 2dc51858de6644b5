// Host names before a DNS server of the test, in virtual time but where c-ares' own clock matters.
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/impl/host_lookup.hpp>

#include "support/dns_server.hpp"
#include "support/overlay_environment.hpp"
#include "support/threads.hpp"
#include "transport/fixture.hpp"

#include <cstdlib>
#include <iterator>

using namespace kcontrol;
using namespace kcontrol::test;
using http::detail::dns_answer;
using http::detail::dns_question;
using http::detail::dns_search;
using http::detail::host_addresses;
using http::detail::host_lookup;
using texts = std::vector<std::string>;

namespace {

texts texts_of(const host_addresses& addresses) {
    texts out;
    for (const auto& one : addresses) out.push_back(one.address().to_string());
    return out;
}

awaitable<void> wait_into(std::shared_ptr<host_lookup> lookup, time_point deadline, std::stop_token stop,
                          std::optional<result<host_addresses>>& out) {
    auto got = co_await lookup->wait(deadline, stop);
    out.emplace(std::move(got));
}

// A machine whose resolv.conf leads to the server.
class machine {
public:
    machine() { resolv_conf(""); }

    void resolv_conf(const std::string& more) { env.files["/etc/resolv.conf"] = server.line() + more; }

    std::shared_ptr<host_lookup> begin(const std::string& host) {
        return host_lookup::start(env, context.get_executor(), host, 6443);
    }

    /// Looks it up; whenever nothing comes, time passes.
    result<host_addresses> look_up(const std::string& host) { return wait(begin(host)); }

    result<host_addresses> wait(std::shared_ptr<host_lookup> lookup) {
        std::optional<result<host_addresses>> out;
        start(context, wait_into(std::move(lookup), env.now() + 1h, {}, out));
        context.restart();
        while (!out) {
            // measures: the server is on this context, too, so nothing is under way then
            if (context.run_one_for(100ms) == 0) env.advance(5s, context);
        }
        return *out;
    }

    texts addresses(const std::string& host) {
        const auto got = look_up(host);
        return got ? texts_of(*got) : texts{got.error().what()};
    }

    std::string failure(const std::string& host) {
        const auto got = look_up(host);
        REQUIRE_FALSE(got.has_value());
        CHECK(got.error() == errc::name_not_found);
        CHECK(got.error() == condition::unreachable);
        return got.error().message();
    }

    void until(const std::function<bool()>& condition) {
        context.restart();
        while (!condition()) REQUIRE(context.run_one_for(1min) != 0);
    }

    testing::manual_environment env;
    boost::asio::io_context context{1};
    dns_server server{context};
};

std::size_t open_files() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// The hosts file of this program, as long as it lives. c-ares reads the variable itself if the environment has it.
class hosts_file {
public:
    hosts_file(machine& m, const std::string& text) {
        write(text);
        m.env.variables["CARES_HOSTS"] = dir_.path("hosts");
        ::setenv("CARES_HOSTS", dir_.path("hosts").c_str(), 1);  // seam: ok, c-ares reads it itself
    }
    ~hosts_file() { ::unsetenv("CARES_HOSTS"); }  // seam: ok, as above
    void write(const std::string& text) { dir_.write("hosts", text); }

private:
    testing::temporary_directory dir_;
};

}  // namespace

TEST_CASE("a name's addresses come with the port that was asked for") {
    machine m;
    m.server.names()["api.test"] = dns_entry({"192.0.2.1", "192.0.2.2"});
    const auto got = m.look_up("api.test");
    REQUIRE(got.has_value());
    REQUIRE(got->size() == 2);
    CHECK((*got)[0].port() == 6443);
    auto found = texts_of(*got);
    std::sort(found.begin(), found.end());
    CHECK(found == texts{"192.0.2.1", "192.0.2.2"});
}

TEST_CASE("IPv4, IPv6, both, and other names for them") {
    machine m;
    m.server.names()["four.test"] = dns_entry({"127.0.0.4"});
    m.server.names()["six.test"] = dns_entry({"::1"});
    m.server.names()["both.test"] = dns_entry({"127.0.0.4", "::1"});
    m.server.names()["alias.test"] = dns_entry().alias("four.test");
    CHECK(m.addresses("four.test") == texts{"127.0.0.4"});
    CHECK(m.addresses("six.test") == texts{"::1"});
    CHECK(m.addresses("both.test").size() == 2);
    CHECK(m.addresses("alias.test") == texts{"127.0.0.4"});
    CHECK(m.addresses("FOUR.test") == texts{"127.0.0.4"});
}

TEST_CASE("search domains and ndots") {
    machine m;
    m.resolv_conf("search prod.svc svc\noptions ndots:2\n");
    m.server.names()["api.svc"] = dns_entry({"127.0.0.1"});
    m.server.names()["api.prod.far.test"] = dns_entry({"127.0.0.2"});
    CHECK(m.addresses("api") == texts{"127.0.0.1"});
    CHECK(m.server.asked() == texts{"api.prod.svc", "api.svc"});
    CHECK(m.addresses("api.prod.far.test") == texts{"127.0.0.2"});
    CHECK(m.server.asked().back() == "api.prod.far.test");
    CHECK(m.server.asked().size() == 3);
    CHECK(m.addresses("api.svc.") == texts{"127.0.0.1"});
    CHECK(m.server.asked().size() == 4);
}

TEST_CASE("what is wrong is said: no such name, no address, failed, refused, nonsense") {
    machine m;
    const std::string server = "the DNS server 127.0.0.1:" + std::to_string(m.server.port());
    const auto text = [](const std::string& host, const std::string& why) {
        return "the host name \"" + host + "\" can't be resolved: " + why + "; check the server's address and DNS";
    };
    m.server.names()["empty.test"] = dns_entry();
    m.server.names()["failed.test"] = dns_entry::failed;
    m.server.names()["refused.test"] = dns_entry::refused;
    m.server.names()["garbage.test"] = dns_entry::garbage;
    CHECK(m.failure("gone.test") == text("gone.test", "DNS has no such name (NXDOMAIN)"));
    CHECK(m.failure("empty.test") == text("empty.test", "DNS knows empty.test but no address of it"));
    CHECK(m.failure("failed.test") == text("failed.test", server + " failed (SERVFAIL)"));
    CHECK(m.failure("refused.test") == text("refused.test", server + " refused to answer (REFUSED)"));
    CHECK_MESSAGE(has(m.failure("garbage.test"), server), m.failure("garbage.test"));
    CHECK(has(m.failure("a..test"), "DNS has no such names"));
    CHECK(has(m.failure(std::string(70, 'a') + ".test"), "DNS has no such names"));
}

TEST_CASE("a server that is silent costs its time, and the next one is asked") {
    machine m;
    m.server.names()["quiet.test"] = dns_entry::silent;
    const auto before = m.env.now();
    CHECK(has(m.failure("quiet.test"),
              "the DNS server 127.0.0.1:" + std::to_string(m.server.port()) + " did not answer; check"));
    CHECK(m.env.now() - before == 10s);  // two attempts of 5 s
    CHECK(m.server.asked() == texts{"quiet.test", "quiet.test"});

    dns_server second(m.context);
    second.names()["quiet.test"] = dns_entry({"127.0.0.2"});
    m.resolv_conf(second.line());
    CHECK(m.addresses("quiet.test") == texts{"127.0.0.2"});
    CHECK(m.env.now() - before == 15s);
}

TEST_CASE("a server that is not there costs no time, and the next one is asked") {
    machine m;
    std::string gone;
    {
        const dns_server closed(m.context);
        gone = closed.line();
    }
    m.server.names()["api.test"] = dns_entry({"127.0.0.1"});
    const auto before = m.env.now();
    m.env.files["/etc/resolv.conf"] = gone;
    CHECK_MESSAGE(has(m.failure("api.test"), " can't be reached; check"), m.failure("api.test"));
    m.env.files["/etc/resolv.conf"] = gone + m.server.line();
    CHECK(m.addresses("api.test") == texts{"127.0.0.1"});
    CHECK(m.env.now() == before);
}

TEST_CASE("a server with an IPv6 address, there and not there") {
    machine m;
    std::optional<dns_server> server;
    try {
        server.emplace(m.context, std::uint16_t{0}, boost::asio::ip::address_v6::loopback());
    } catch (const std::exception& why) {
        MESSAGE("this machine has no IPv6: ", why.what());
        return;
    }
    server->names()["api.test"] = dns_entry({"127.0.0.6"}).large();
    m.env.files["/etc/resolv.conf"] = server->line();
    CHECK(m.addresses("api.test") == texts{"127.0.0.6"});
    const auto before = m.env.now();
    server.reset();
    CHECK_MESSAGE(has(m.failure("api.test"), "the DNS server [::1]:"), m.failure("api.test"));
    CHECK(m.env.now() == before);
}

TEST_CASE("an answer that does not fit is fetched over TCP") {
    machine m;
    texts many;
    for (int i = 1; i <= 100; ++i) many.push_back("127.0.1." + std::to_string(i));
    m.server.names()["large.test"] = dns_entry(many).large();
    CHECK(m.addresses("large.test").size() == 100);
    CHECK(m.server.asked_over_tcp() == 2);
}

TEST_CASE("what one family of addresses has is taken where the other does not come") {
    system_environment env;
    boost::asio::io_context context(1);
    dns_server server(context);
    server.names()["half.test"] = dns_entry({"127.0.0.1"}).what_for_ipv6(dns_entry::silent);
    bool over = false;
    const dns_search::question what{"half.test", {boost::asio::ip::address_v4::loopback(), server.port()}, 300ms};
    const auto question = dns_question::ask(env, context.get_executor(), what, [&over] { over = true; });
    while (!over) REQUIRE(context.run_one_for(1min) != 0);
    CHECK(question->answer() == dns_answer::found);
    CHECK(texts_of(question->addresses()) == texts{"127.0.0.1"});
}

TEST_CASE("the hosts file goes before DNS, and is read as it is now") {
    machine m;
    hosts_file hosts(m,
                     "# a comment\n127.0.0.7 api.test api # another\n127.0.0.8\tmany.test\n127.0.0.9 many.test\n"
                     "::1 six.test\nnonsense broken.test\n");
    m.server.names()["api.test"] = dns_entry({"127.0.0.1"});
    CHECK(m.addresses("api.test") == texts{"127.0.0.7"});
    CHECK(m.addresses("api") == texts{"127.0.0.7"});
    CHECK(m.addresses("API.Test") == texts{"127.0.0.7"});
    CHECK(m.addresses("many.test").size() == 2);
    CHECK(m.addresses("six.test") == texts{"::1"});
    CHECK(m.server.asked().empty());
    hosts.write("127.0.0.8 api.test\n");
    CHECK(m.addresses("api.test") == texts{"127.0.0.8"});
    hosts.write("");
    CHECK(m.addresses("api.test") == texts{"127.0.0.1"});
    CHECK(m.server.asked() == texts{"api.test"});
    // Whatever the file and DNS say.
    for (const auto& host : {"localhost", "localhost."}) {
        const auto local = m.addresses(host);
        CHECK(std::find(local.begin(), local.end(), "127.0.0.1") != local.end());
    }
    CHECK(m.server.asked().size() == 1);
}

TEST_CASE("resolv.conf is read anew for each look-up") {
    machine m;
    dns_server other(m.context);
    m.server.names()["api.test"] = dns_entry({"127.0.0.1"});
    other.names()["api.test"] = dns_entry({"127.0.0.2"});
    CHECK(m.addresses("api.test") == texts{"127.0.0.1"});
    m.env.files["/etc/resolv.conf"] = other.line();
    CHECK(m.addresses("api.test") == texts{"127.0.0.2"});
}

TEST_CASE("who no longer waits leaves the look-up to the others") {
    machine m;
    m.server.names()["api.test"] = dns_entry({"127.0.0.1"});
    const auto lookup = m.begin("api.test");
    std::stop_source stop;
    std::optional<result<host_addresses>> stopped, late, served;
    start(m.context, wait_into(lookup, m.env.now() + 1h, stop.get_token(), stopped));
    start(m.context, wait_into(lookup, m.env.now(), {}, late));
    start(m.context, wait_into(lookup, m.env.now() + 1h, {}, served));
    stop.request_stop();
    m.until([&] { return stopped && late && served; });
    CHECK(stopped->error() == errc::stopped);
    CHECK(late->error() == errc::timeout);
    CHECK_MESSAGE(late->error().message() ==
                      "the host name \"api.test\" was not resolved in time: the DNS server 127.0.0.1:" +
                          std::to_string(m.server.port()) + " has not answered; check the server's address and DNS",
                  late->error().message());
    CHECK(texts_of(served->value()) == texts{"127.0.0.1"});
    CHECK(m.server.asked().size() == 1);
}

TEST_CASE("a look-up that goes withdraws its question and leaves no descriptor") {
    machine m;
    m.server.names()["quiet.test"] = dns_entry::silent;
    m.server.names()["large.test"] = dns_entry({"127.0.0.1"}).large();
    const auto before = open_files();
    for (const auto* host : {"quiet.test", "large.test", "gone.test"}) {
        // At every step of it.
        for (int steps = 0; steps < 12; ++steps) {
            {
                const auto lookup = m.begin(host);
                m.context.restart();
                for (int i = 0; i < steps; ++i) m.context.poll_one();
                CHECK(threads_now() == 1);
            }
            m.context.restart();
            m.context.poll();
            m.env.advance(1h, m.context);
        }
    }
    m.until([&] { return open_files() <= before; });  // the server closes its ends
    CHECK(open_files() == before);
}

TEST_CASE("a context that goes takes look-ups along, and those who wait for them") {
    overlay_environment env;
    const auto before = open_files();
    {
        std::optional<result<host_addresses>> out;
        boost::asio::io_context context(1);
        dns_server server(context);
        env.files["/etc/resolv.conf"] = server.line();
        server.names()["quiet.test"] = dns_entry::silent;
        start(context,
              wait_into(host_lookup::start(env, context.get_executor(), "quiet.test", 1), env.now() + 1h, {}, out));
        while (server.asked().empty()) REQUIRE(context.run_one_for(1min) != 0);
        CHECK_FALSE(out.has_value());
    }
    CHECK(open_files() == before);
}

namespace {

// Transports whose names come from a DNS server of the test.
class named_hosts {
public:
    named_hosts() { env.files["/etc/resolv.conf"] = names.line(); }

    std::shared_ptr<http::transport> to(const std::string& host) {
        const auto factory = http::make_transport_factory(env, http::transport_options().connect_timeout(1h));
        return factory(context.get_executor(), http::endpoint("http", host, server->local_port()), {}).value();
    }

    awaitable<void> get(std::shared_ptr<http::transport> t, http::exchange_options options,
                        std::optional<result<http::response>>& out) {
        auto got = co_await t->round_trip(http::request("GET", "/"), options);
        out.emplace(std::move(got));
    }

    void until(const std::function<bool()>& condition) {
        context.restart();
        while (!condition()) REQUIRE(context.run_one_for(1min) != 0);
    }

    overlay_environment env;
    boost::asio::io_context context{1};
    dns_server names{context};
    std::unique_ptr<http::server> server = serve();

private:
    std::unique_ptr<http::server> serve() {
        auto made = std::make_unique<http::server>(env, context.get_executor(), echo, http::server_options());
        REQUIRE(made->listen(http::listen_address("127.0.0.1", 0), {}).has_value());
        made->start();
        return made;
    }
};

}  // namespace

TEST_CASE("a name that nobody resolves costs its own callers their time, no other host's, and no thread") {
    named_hosts net;
    net.names.names()["api.stuck.test"] = dns_entry::silent;
    net.names.names()["api.test"] = dns_entry({"127.0.0.1"});
    const auto threads = threads_now();
    const auto hanging = net.to("api.stuck.test");
    std::stop_source stop;
    std::array<std::optional<result<http::response>>, 3> stopped;
    for (auto& one : stopped) {
        start(net.context, net.get(hanging, http::exchange_options().deadline(1h).stop(stop.get_token()), one));
    }
    std::array<std::optional<result<http::response>>, 3> served;
    start(net.context, net.get(net.to("api.test"), {}, served[0]));
    start(net.context, net.get(net.to("localhost"), {}, served[1]));
    start(net.context, net.get(net.to("127.0.0.1"), {}, served[2]));
    net.until([&] {
        CHECK(threads_now() == threads);
        return served[0] && served[1] && served[2];
    });
    for (const auto& one : served) CHECK(one->has_value());
    CHECK(std::count(net.names.asked().begin(), net.names.asked().end(), "api.stuck.test") == 1);  // they share it
    stop.request_stop();
    net.until([&] { return stopped[0] && stopped[1] && stopped[2]; });
    for (const auto& one : stopped) CHECK(one->error() == errc::stopped);
    std::optional<result<http::response>> late;
    // measures: nobody resolves it
    start(net.context, net.get(hanging, http::exchange_options().deadline(20ms), late));
    net.until([&] { return late.has_value(); });
    CHECK(late->error() == errc::timeout);
    CHECK(late->error() == condition::unreachable);
    CHECK_MESSAGE(has(late->error().what(), "\"api.stuck.test\" was not resolved in time"), late->error().what());
}

TEST_CASE("a transport finds its server again where the name has moved") {
    named_hosts net;
    net.names.names()["api.test"] = dns_entry({"127.0.0.1"});
    const auto client = net.to("api.test");
    std::optional<result<http::response>> first, second;
    start(net.context, net.get(client, {}, first));
    net.until([&] { return first.has_value(); });
    CHECK(first->has_value());
    net.names.names()["api.test"] = dns_entry::refused;
    net.server->reset_connections();
    net.context.restart();
    while (net.context.poll() != 0) {
    }
    start(net.context, net.get(client, {}, second));
    net.until([&] { return second.has_value(); });
    CHECK(second->error() == errc::name_not_found);
    CHECK_MESSAGE(has(second->error().what(), "(REFUSED)"), second->error().what());
}
