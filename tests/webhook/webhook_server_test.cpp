// The webhook server over TLS on loopback: what it refuses, its time, its certificate, its stop.
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/webhook/webhook_builder.hpp>

#include "support/print.hpp"
#include "transport/fixture.hpp"
#include "webhook/crontab.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <list>
#include <stdexcept>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using http::certificate_options;

constexpr const char* mutate = "/mutate-stable-example-com-v1-crontab";
constexpr const char* validate_at = "/validate-stable-example-com-v1-crontab";

// What a test sets beside this: at its end a server need not go on serving for the five seconds that are usual.
webhook_server_options ends_at_once() { return webhook_server_options().shutdown_delay(1ms); }

class served : public loopback {
public:
    explicit served(webhook_server_options options = ends_at_once())
        : webhooks(env, ex(),
                   options.address(http::listen_address("127.0.0.1", 0)).certificate_directory(files.path("")),
                   logger([this](const log_record& r) { logged += std::string(r.message) + "\n"; })) {}
    ~served() { end(); }

    void write_certificate() {
        certificate_options names(env.wall_now());
        names.common_name("webhooks").dns("localhost").ip("127.0.0.1");
        const auto pair = authority.issue(names).value();
        files.write("tls.key", pair.key_pem.reveal());
        files.write("tls.crt", pair.cert_pem);
    }
    void begin() {
        ended = false;
        stop = std::stop_source();
        start(context, run_into());
    }
    void serve() {
        write_certificate();
        begin();
        until([&] { return webhooks.ready().has_value(); });
        connection = connect_tls();
    }
    awaitable<void> run_into() {
        outcome = co_await webhooks.run(stop.get_token());
        ended = true;
    }
    void end() {
        stop.request_stop();
        if (!ended) until([&] { return ended; });
    }
    std::shared_ptr<http::transport> connect_tls(http::tls_options how = {}) {
        how.ca_pem(authority.cert_pem());
        const auto factory = http::make_transport_factory(env);
        return factory(ex(), http::endpoint("https", "127.0.0.1", webhooks.local_port()), how).value();
    }
    static http::request post(const std::string& path, std::string body) {
        http::request out("POST", path);
        out.headers.set("Content-Type", "application/json");
        out.body = std::move(body);
        return out;
    }
    http::response ask_at(const std::string& path, std::string body) {
        return call(*connection, post(path, std::move(body))).value();
    }
    std::string metrics() {
        metrics_registry registry;
        registry.collect([this](metrics_writer& out) { webhooks.write_metrics(out); });
        return registry.text();
    }

    testing::temporary_directory files;
    http::certificate_authority authority =
        http::certificate_authority::create(certificate_options(env.wall_now())).value();
    std::string logged;
    webhook_server webhooks;
    std::shared_ptr<http::transport> connection;
    std::stop_source stop;
    result<void> outcome;
    bool ended = true;
};

void set_up_crontabs(webhook_server& of) {
    auto made = webhook_builder(of)
                    .for_<crontab>()
                    .defaulter([](crontab& c) { c.spec.replicas = 1; })
                    .validator([](const admission_of<crontab>& c) -> admission_verdict {
                        if (c.subject().spec.schedule == "throw") throw std::runtime_error("out of order");
                        if (c.subject().spec.schedule.empty()) return admission_verdict::deny("when?");
                        return {};
                    })
                    .complete();
    REQUIRE(made);
}

TEST_CASE("a review over TLS gets its answer, at controller-runtime's paths and in its metrics") {
    served net;
    set_up_crontabs(net.webhooks);
    net.serve();
    const auto answer = net.ask_at(validate_at, create_review(R"("spec":{"schedule":"x"})"));
    CHECK(answer.status == 200);
    CHECK(answer.headers.get("Content-Type") == "application/json");
    CHECK(answer.body.find(R"("uid":"u-1","allowed":true)") != std::string::npos);
    CHECK(net.ask_at(mutate, create_review(R"("spec":{})")).body.find("JSONPatch") != std::string::npos);
    CHECK(net.ask_at(validate_at, create_review(R"("spec":{})")).body.find("when?") != std::string::npos);
    const auto text = net.metrics();
    const std::string by = "{webhook=\"" + std::string(validate_at) + "\"";
    CHECK(text.find("controller_runtime_webhook_requests_total{code=\"200\",webhook=\"" + std::string(validate_at) +
                    "\"} 2") != std::string::npos);
    CHECK(text.find("controller_runtime_webhook_latency_seconds_count" + by + "} 2") != std::string::npos);
    CHECK(text.find("controller_runtime_webhook_requests_in_flight" + by + "} 0") != std::string::npos);
    CHECK(text.find("certwatcher_read_certificate_total 1") != std::string::npos);
    const auto all = net.webhooks.webhooks();
    REQUIRE(all.size() == 2);
    CHECK(all[0].what() == webhook_registration::kind::mutating);
    CHECK(all[0].name() == "mcrontab-v1.stable.example.com");
    CHECK(all[0].rules().at(0).operations() == std::vector<std::string>{"CREATE", "UPDATE"});
    CHECK(all[1].what() == webhook_registration::kind::validating);
    CHECK(all[1].path() == validate_at);
    CHECK(all[1].rules().at(0).resources() == std::vector<std::string>{"crontabs"});
    CHECK(all[1].rules().at(0).operations().back() == "DELETE");
}

TEST_CASE("what is no review is refused by status, with the path of what is wrong") {
    served net(ends_at_once().max_body(2000));
    set_up_crontabs(net.webhooks);
    net.serve();
    const auto status = [&](http::request asked) { return net.call(*net.connection, std::move(asked)).value().status; };
    CHECK(status(net.post("/nowhere", "{}")) == 404);
    CHECK(status(http::request("GET", mutate)) == 405);
    auto plain = net.post(mutate, "{}");
    plain.headers.set("Content-Type", "text/plain");
    CHECK(status(plain) == 415);
    auto with_charset = net.post(mutate, create_review(R"("spec":{})"));
    with_charset.headers.set("Content-Type", "application/json; charset=utf-8");
    CHECK(status(with_charset) == 200);
    CHECK(status(net.post(mutate, std::string(2001, ' '))) == 413);
    CHECK(status(net.post(std::string(mutate) + "?timeout=soon", "{}")) == 400);
    const auto broken =
        net.ask_at(mutate, R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":7})");
    CHECK(broken.status == 400);
    CHECK(broken.body.find(R"("message":"request: )") != std::string::npos);
    CHECK(net.metrics().find("code=\"405\"") != std::string::npos);
}

TEST_CASE("what is no review is refused beyond 7 MiB, at port 9443 of every address, unless it is said") {
    const webhook_server_options usual;
    CHECK(usual.address().enabled);
    CHECK(usual.address().host.empty());
    CHECK(usual.address().port == 9443);
    served net;
    set_up_crontabs(net.webhooks);
    net.serve();
    const std::string review = create_review(R"("spec":{"schedule":"x"})");
    const auto status_of = [&](std::size_t bytes) {
        return net.ask_at(validate_at, review + std::string(bytes - review.size(), ' ')).status;
    };
    CHECK(status_of(std::size_t{7} << 20) == 200);
    CHECK(status_of((std::size_t{7} << 20) + 1) == 413);
}

TEST_CASE("a function that throws refuses with words, and is counted") {
    served net;
    set_up_crontabs(net.webhooks);
    net.serve();
    const auto answer = net.ask_at(validate_at, create_review(R"("spec":{"schedule":"throw"})"));
    CHECK(answer.status == 200);
    CHECK(answer.body.find(R"("allowed":false)") != std::string::npos);
    CHECK(answer.body.find(R"("message":"the webhook's function threw: out of order")") != std::string::npos);
    CHECK(answer.body.find(R"("code":500)") != std::string::npos);
    CHECK(net.metrics().find("controller_runtime_webhook_panics_total 1") != std::string::npos);
}

// A validator that waits until it is told to go on, or to stop.
struct gate {
    awaitable<admission_verdict> pass(environment& env, std::stop_token stop) {
        ++waiting;
        while (!open && !stop.stop_requested()) co_await opened.wait(env, stop);
        stopped += stop.stop_requested() ? 1 : 0;
        co_return admission_verdict();
    }
    void let_through() {
        open = true;
        opened.notify_all();
    }
    async_event opened;
    bool open = false;
    int waiting = 0, stopped = 0;
};

void add_gate(served& net, gate& at) {
    auto wait = [&net, &at](const admission_of<crontab>&, const admission_context& ctx) {
        return at.pass(net.env, ctx.stop());
    };
    REQUIRE(webhook_builder(net.webhooks).for_<crontab>().validator(wait).validate_path("/gate").complete());
}

awaitable<void> ask_into(served& net, std::shared_ptr<http::transport> by, std::string path,
                         std::vector<int>& statuses) {
    auto asked = net.post(path, create_review(R"("spec":{})"));
    http::exchange_options how;
    const auto answer = co_await by->round_trip(std::move(asked), how);
    statuses.push_back(answer ? answer->status : 0);
}

TEST_CASE("the time is that which the API server gives; who is late is told to stop") {
    served net;
    gate at;
    add_gate(net, at);
    net.serve();
    const auto late = net.ask_at("/gate?timeout=50ms", create_review(R"("spec":{})"));
    CHECK(late.status == 504);
    net.until([&] { return at.stopped == 1; });
    at.let_through();
    CHECK(net.ask_at("/gate?timeout=10s", create_review(R"("spec":{})")).status == 200);
}

TEST_CASE("no more at a time than allowed; the others wait for their turn") {
    served net(ends_at_once().max_concurrent_requests(2));
    gate at;
    add_gate(net, at);
    net.serve();
    std::vector<int> statuses;
    for (int i = 0; i < 5; ++i) start(net.context, ask_into(net, net.connection, "/gate", statuses));
    net.until([&] { return at.waiting == 2; });
    CHECK(net.call(*net.connect_tls(), net.post("/gate?timeout=100ms", create_review(R"("spec":{})"))).value().status ==
          503);
    CHECK(at.waiting == 2);
    at.let_through();
    net.until([&] { return statuses.size() == 5; });
    CHECK(statuses == std::vector<int>(5, 200));
}

TEST_CASE("it is not ready before there is a certificate, and takes it when it comes") {
    served net;
    set_up_crontabs(net.webhooks);
    CHECK_FALSE(net.webhooks.ready());
    net.begin();
    net.until([&] { return net.logged.find("webhooks wait for a certificate") != std::string::npos; });
    const auto why = net.webhooks.ready();
    REQUIRE_FALSE(why);
    CHECK(why.error().message().find("tls.crt") != std::string::npos);
    net.write_certificate();
    net.until([&] { return net.webhooks.ready().has_value(); });
    net.connection = net.connect_tls();
    CHECK(net.ask_at(mutate, create_review(R"("spec":{})")).status == 200);
}

TEST_CASE("ready_when() keeps it from being ready") {
    bool synced = false;
    served net(ends_at_once().ready_when([&synced]() -> result<void> {
        if (synced) return {};
        return error(errc::not_synced, "pods");
    }));
    net.write_certificate();
    net.begin();
    net.until([&] { return net.webhooks.local_port() != 0; });
    REQUIRE_FALSE(net.webhooks.ready());
    CHECK(net.webhooks.ready().error().message() == "pods");
    synced = true;
    CHECK(net.webhooks.ready());
}

TEST_CASE("with client authorities nobody else gets an answer") {
    served net(ends_at_once().client_authorities("clients.crt"));
    set_up_crontabs(net.webhooks);
    const auto clients = http::certificate_authority::create(certificate_options(net.env.wall_now())).value();
    net.files.write("clients.crt", clients.cert_pem());
    net.serve();
    CHECK_FALSE(net.call(*net.connection, net.post(mutate, create_review(R"("spec":{})"))));
    const auto own = clients.issue(certificate_options(net.env.wall_now()).common_name("kube-apiserver").for_client());
    REQUIRE(own);
    http::tls_options how;
    how.client_certificate(own->cert_pem, own->key_pem);
    const auto known = net.call(*net.connect_tls(how), net.post(mutate, create_review(R"("spec":{})")));
    REQUIRE(known);
    CHECK(known->status == 200);
}

TEST_CASE("at a stop it is not ready, serves on, and ends when what is in flight has ended") {
    served net(webhook_server_options().shutdown_delay(200ms));
    set_up_crontabs(net.webhooks);
    gate at;
    add_gate(net, at);
    net.serve();
    std::vector<int> statuses;
    const auto slow = net.connect_tls();
    start(net.context, ask_into(net, slow, "/gate", statuses));
    net.until([&] { return at.waiting == 1; });
    CHECK(net.ask_at(mutate, create_review(R"("spec":{})")).headers.get("Connection").empty());
    net.stop.request_stop();
    net.until([&] { return !net.webhooks.ready(); });
    // On the connection that is there, and on a new one; both are told that they are at their end.
    const auto last = net.ask_at(mutate, create_review(R"("spec":{})"));
    CHECK(last.status == 200);
    CHECK(last.headers.get("Connection") == "close");
    CHECK(net.call(*net.connect_tls(), net.post(mutate, create_review(R"("spec":{})"))).value().status == 200);
    net.until([&] { return net.webhooks.local_port() == 0; });  // it listens no more
    CHECK_FALSE(net.ended);
    CHECK(statuses.empty());
    at.let_through();
    net.until([&] { return net.ended; });
    CHECK(net.outcome);
    CHECK(statuses == std::vector<int>{200});
    CHECK(at.stopped == 0);
    // And again.
    net.serve();
    CHECK(net.ask_at(mutate, create_review(R"("spec":{})")).status == 200);
}

TEST_CASE("what does not end in the time to drain is told to stop") {
    // measures: the call does not end before
    served net(webhook_server_options().shutdown_delay(1ms).drain_timeout(50ms));
    gate at;
    add_gate(net, at);
    net.serve();
    std::vector<int> statuses;
    start(net.context, ask_into(net, net.connection, "/gate", statuses));
    net.until([&] { return at.waiting == 1; });
    net.end();
    CHECK(net.outcome);
    net.until([&] { return at.stopped == 1; });
}

TEST_CASE("a crowd that connects and says nothing keeps out no API server (F56, S12)") {
    served net(ends_at_once().limits(http::server_options().max_connections(10)));
    set_up_crontabs(net.webhooks);
    net.serve();
    const auto review = create_review(R"("spec":{})");
    CHECK(net.ask_at(mutate, review).status == 200);
    const auto accepted = [&]() -> int {
        const std::string text = net.metrics(), name = "kcontrol_http_connections_accepted_total{server=\"webhooks\"} ";
        return std::stoi(text.substr(text.find(name) + name.size()));
    };
    using boost::asio::ip::tcp;
    const tcp::endpoint at(boost::asio::ip::make_address("127.0.0.1"), net.webhooks.local_port());
    std::list<tcp::socket> crowd;
    for (int i = 0; i < 60; ++i) {
        auto& one = crowd.emplace_back(net.context);
        one.connect(at);
        // Some of them begin a handshake that they never go on with.
        if (i % 2 == 0) boost::asio::write(one, boost::asio::buffer(std::string_view("\x16\x03\x01\x02\x00\x01", 6)));
    }
    // By a connection that was there before, and by new ones.
    CHECK(net.ask_at(mutate, review).status == 200);
    net.until([&] { return accepted() == 61; });
    for (int i = 0; i < 5; ++i) {
        CHECK(net.ask_at(mutate, review).status == 200);
        CHECK(net.call(*net.connect_tls(), net.post(mutate, review)).value().status == 200);
    }
    CHECK(accepted() <= 67);  // its own was closed once at most, when all the crowd had come within 200 ms
}

TEST_CASE("paths are each one's own, and a builder has something to serve") {
    served net;
    set_up_crontabs(net.webhooks);
    const auto nothing = webhook_builder(net.webhooks).for_<crontab>().complete();
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().message().find("there is nothing to serve") != std::string::npos);
    const auto again = webhook_builder(net.webhooks).for_<crontab>().defaulter([](crontab&) {}).complete();
    REQUIRE_FALSE(again);
    CHECK(again.error().message().find("is taken") != std::string::npos);
    CHECK(webhook_path("mutate", {"", "v1", "Pod"}) == "/mutate--v1-pod");
    CHECK_FALSE(net.webhooks.add("no-slash", {}));
}

}  // namespace
