#include <kcontrol/http/fetch.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::http;

namespace {

std::string parsed(std::string_view url) {
    const auto read = parse_document_url(url);
    return read ? to_string(read->endpoint) + " " + read->target : std::string(read.error().what());
}
std::string redirected(std::string_view location) {
    const auto to = redirect_target(endpoint("https", "data.example", 8443), "/tables/a/version?n=1", location);
    return to ? *to : std::string(to.error().what());
}

// Answers with these, one after the other; an answer is "302 /next" or "200 text".
std::string fetched(std::initializer_list<std::string> answers) {
    boost::asio::io_context context;
    testing::manual_environment env;
    const auto net = std::make_shared<testing::scripted_transport>(env);
    std::string target = "/a";
    for (const auto& each : answers) {
        auto& step = net->expect("GET " + target).reply(std::stoi(each), each.substr(4));
        if (each.starts_with("3")) step.header("Location", each.substr(4));
        if (each.starts_with("3")) target = each.substr(4);
    }
    const endpoint server("http", "data.example", 80);
    const auto connection = net->factory()(context.get_executor(), server, {}).value();
    auto work = get_following(connection, server, "/a", {});
    const auto answer = testing::run(context, std::move(work));
    CHECK(net->verify());
    return answer ? std::to_string(answer->status) + " " + answer->body : std::string(answer.error().what());
}

}  // namespace

TEST_CASE("a document_reader asks again over one connection, and bounds each answer") {
    boost::asio::io_context context;
    testing::manual_environment env;
    const auto net = std::make_shared<testing::scripted_transport>(env);
    net->expect("GET /v?n=1").reply(200, "seven");
    net->expect("GET /v?n=1").reply(302, "").header("Location", "/w");
    net->expect("GET /w").reply(404, "no");
    int made = 0;
    const transport_factory connect = [&, factory = net->factory()](executor ex, const endpoint& to,
                                                                    const tls_options& tls) {
        ++made;
        CHECK(to_string(to) == "http://data.example");
        return factory(std::move(ex), to, tls);
    };
    const document_reader reader(connect, context.get_executor(), "http://data.example/v?n=1", exchange_options());
    CHECK(testing::run(context, reader.read({}))->body == "seven");
    CHECK(testing::run(context, reader.read({}))->status == 404);
    CHECK(made == 1);
    CHECK(net->verify());

    const document_reader bad(connect, context.get_executor(), "ftp://data.example/", exchange_options());
    CHECK(testing::run(context, bad.read({})).error() == errc::invalid_argument);
    const transport_factory refusing = [](executor, const endpoint&,
                                          const tls_options&) -> result<std::shared_ptr<transport>> {
        return error(errc::invalid_argument, "the address is not allowed here");
    };
    const document_reader refused(refusing, context.get_executor(), "http://10.0.0.1/", exchange_options());
    CHECK(testing::run(context, refused.read({})).error() == errc::invalid_argument);
    CHECK(made == 1);
}

TEST_CASE("a URL in two parts") {
    CHECK(parsed("https://Data.example/tables/a/version?n=1#top") == "https://data.example /tables/a/version?n=1");
    CHECK(parsed("http://data.example:8080") == "http://data.example:8080 /");
    CHECK(parsed("http://[::1]:80?x") == "http://[::1] /?x");
    CHECK(parsed("https://h/a%20b/../c") == "https://h /a%20b/../c");
    for (const char* bad : {"", "data.example/a", "ftp://h/a", "https:///a", "https://user:secret@h/", "https://h:0/",
                            "https://h/a b", "https://h/\xC3\xA4"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_document_url(bad));
        CHECK(parsed(bad).find("secret") == std::string::npos);
    }
}

TEST_CASE("a redirect stays at its server: scheme, host and port") {
    CHECK(redirected("/other?x=1#part") == "/other?x=1");
    CHECK(redirected("other") == "/tables/a/other");
    CHECK(redirected("?n=2") == "/tables/a/version?n=2");
    CHECK(redirected("https://DATA.example:8443/x") == "/x");
    CHECK(redirected("//data.example:8443/x") == "/x");
    CHECK(redirected("/x?u=http://else.example/") == "/x?u=http://else.example/");
    for (const char* bad : {"https://data.example/x", "http://data.example:8443/x", "https://else.example:8443/x",
                            "//169.254.169.254/latest", "https://data.example.else:8443/", "ftp://data.example:8443/",
                            "https://u@data.example:8443/", "", "/a b"}) {
        CAPTURE(bad);
        CHECK_FALSE(redirect_target(endpoint("https", "data.example", 8443), "/a", bad));
    }
    CHECK(redirected("http://10.0.0.1/x") ==
          "a redirect from https://data.example:8443 to http://10.0.0.1 is not followed; name the server that has the "
          "document");
}

TEST_CASE("redirects are followed, so many and no more") {
    CHECK(fetched({"200 seven"}) == "200 seven");
    CHECK(fetched({"302 /b", "307 /c", "200 seven"}) == "200 seven");
    CHECK(fetched({"304 "}) == "304 ");
    CHECK(fetched({"404 no"}) == "404 no");
    CHECK(fetched({"301 /1", "301 /2", "301 /3", "301 /4", "301 /5", "301 /6"}).find("redirects without end") !=
          std::string::npos);
    CHECK(fetched({"308 http://else.example/x"}).find("is not followed") != std::string::npos);
}
