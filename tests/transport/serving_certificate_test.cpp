// The certificate that a server shows, and how it follows its files.
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/serving_certificate.hpp>

#include "transport/fixture.hpp"

#include <stop_token>

using namespace kcontrol;
using namespace kcontrol::test;
using http::certificate_authority;
using http::certificate_options;
using http::serving_certificate;

namespace {

class followed : public loopback {
public:
    followed() { write(issue(first)); }

    http::key_and_certificate issue(const certificate_authority& by) {
        certificate_options names(env.wall_now());
        names.common_name("server").dns("localhost").ip("127.0.0.1");
        return by.issue(names).value();
    }
    void write(const http::key_and_certificate& pair) {
        files.write("tls.key", pair.key_pem.reveal());
        files.write("tls.crt", pair.cert_pem);
    }
    serving_certificate from_files() {
        const logger log([this](const log_record& r) {
            logged += std::string(r.message) + "\n";
            for (const auto& field : r.fields) details += field.value + " ";
        });
        return serving_certificate::from_files(env, files.path("tls.crt"), files.path("tls.key"), log);
    }
    int status_for(std::uint16_t port, const std::string& ca_pem, const std::string& host = "127.0.0.1") {
        http::tls_options trusted;
        trusted.ca_pem(ca_pem);
        const auto client = http::make_transport_factory(env)(ex(), http::endpoint("https", host, port), trusted);
        const auto answer = get(**client, "/");
        return answer ? answer->status : 0;
    }
    void follow(serving_certificate& certificate, http::server& of) {
        start(context, certificate.follow(of, stop.get_token()));
    }
    void end() {
        stop.request_stop();
        context.restart();
        while (context.poll_one() != 0) {
        }
    }

    testing::temporary_directory files;
    certificate_authority first = certificate_authority::create(certificate_options(env.wall_now())).value();
    certificate_authority second = certificate_authority::create(certificate_options(env.wall_now())).value();
    std::string logged, details;
    std::stop_source stop;
};

}  // namespace

TEST_CASE("a server's certificate follows its files, and what can't be used changes nothing") {
    followed net;
    auto certificate = net.from_files();
    const auto server = net.serve(echo, {}, certificate.load().value());
    net.follow(certificate, *server);
    const auto shown_by = [&](const certificate_authority& who) {
        return net.status_for(server->local_port(), who.cert_pem());
    };
    CHECK(shown_by(net.first) == 200);

    // The new certificate comes before its key: they do not fit, and the old one stays.
    const auto renewed = net.issue(net.second);
    net.files.write("tls.crt", renewed.cert_pem);
    net.until([&] { return certificate.stats().errors == 1; });
    CHECK(shown_by(net.first) == 200);
    CHECK(net.logged == "the serving certificate can't be renewed; what was read before stays in use\n");
    CHECK(has(net.details, net.files.path("tls.crt")));
    CHECK_FALSE(has(net.details, "BEGIN"));
    net.files.write("tls.key", renewed.key_pem.reveal());
    net.until([&] { return has(net.logged, "the serving certificate was renewed"); });
    CHECK(shown_by(net.second) == 200);
    CHECK(shown_by(net.first) == 0);

    net.files.write("tls.key", "");
    net.until([&] { return certificate.stats().errors >= 2; });
    CHECK(shown_by(net.second) == 200);

    metrics_registry registry;
    registry.collect([&](metrics_writer& out) { http::write_certificate_metrics(out, certificate.stats()); });
    CHECK(has(registry.text(), "# TYPE certwatcher_read_certificate_total counter\n"));
    CHECK(has(registry.text(), "# TYPE certwatcher_read_certificate_errors_total counter\n"));
    net.end();
}

TEST_CASE("files that are not there, or empty, are named") {
    followed net;
    net.files.write("empty", "");
    const auto error_of = [&](const std::string& certificate, const std::string& key) {
        auto made = serving_certificate::from_files(net.env, net.files.path(certificate), net.files.path(key));
        return text_of(made.load().error());
    };
    CHECK(has(error_of("none", "tls.key"), net.files.path("none")));
    CHECK(has(error_of("tls.crt", "none"), net.files.path("none")));
    CHECK(has(error_of("empty", "tls.key"), net.files.path("empty") + " is empty"));
}

TEST_CASE("one that was made on the spot is good for this machine's own names, and made anew in time") {
    followed net;
    kcontrol::testing::manual_environment env;
    env.wall_offset = net.env.wall_now().time_since_epoch() - env.now().time_since_epoch();
    auto certificate = serving_certificate::self_signed(env);
    const auto tls = certificate.load().value();
    const auto server = net.serve(echo, {}, tls);
    CHECK(net.status_for(server->local_port(), tls.cert_pem()) == 200);
    CHECK(net.status_for(server->local_port(), tls.cert_pem(), "localhost") == 200);
    net.follow(certificate, *server);
    env.advance(1min, net.context);
    CHECK(certificate.stats().reads == 1);
    env.wall_offset += 24h * 183;
    env.advance(11s, net.context);
    CHECK(certificate.stats().reads == 2);
    // Another authority made it.
    CHECK(net.status_for(server->local_port(), tls.cert_pem()) == 0);
    net.end();
}
