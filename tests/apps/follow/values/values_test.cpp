#include "mustache/document.hpp"
#include "values/host_port.hpp"
#include "values/template_values.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

using namespace follow;
using namespace follow::tests;

TEST_CASE("host_port: with brackets for IPv6") {
    CHECK(host_port("10.0.0.1", 80) == "10.0.0.1:80");
    CHECK(host_port("fd00::1", 8080) == "[fd00::1]:8080");
    CHECK(host_port("10.0.0.1", 0) == "10.0.0.1");
    CHECK(host_port("fd00::1", 0) == "[fd00::1]");
}

TEST_CASE("is_ip_address") {
    for (const char* fine : {"10.0.0.1", "fd00::1", "::ffff:10.0.0.1"}) CHECK_MESSAGE(is_ip_address(fine), fine);
    for (const char* bad : {"", "web", "10.0.0", "10.0.0.1:80", "[fd00::1]", "fe80::1%eth0", "10.0.0.1\nshow info"}) {
        CHECK_MESSAGE(!is_ip_address(bad), bad);
    }
}

TEST_CASE("parse_host_port: what a leader's address may be") {
    struct row {
        const char* text;
        const char* address;
        std::uint16_t port;
    };
    const row rows[] = {
        {"10.0.0.1:80", "10.0.0.1", 80}, {"[fd00::1]:65535", "fd00::1", 65535}, {"web.shop.svc:1", "web.shop.svc", 1}};
    for (const auto& each : rows) {
        const auto& [text, address, port] = each;
        CAPTURE(each.text);
        const auto found = parse_host_port(text);
        REQUIRE(found);
        CHECK(found->address == address);
        CHECK(found->port == port);
        CHECK(found->ready);
        CHECK(found->serving);
    }
    for (const char* bad : {"", "web", ":80", "web:", "web:0", "web:65536", "web:8x", "fd00::1:80", "web:-1"}) {
        CHECK_MESSAGE(!parse_host_port(bad), bad);
    }
}

TEST_CASE("template_values: ready endpoints only, and no value that ends a word") {
    auto bad_zone = ready("10.0.0.2", 8080);
    bad_zone.zone = "a; } http { lua";
    bad_zone.node = "node-1";
    bad_zone.pod = "web-1";
    auto bad_address = ready("10.0.0.3 backup");
    const auto text = mustache::document::parse(
        "{{#endpoints}}{{address}} {{port}} {{hostPort}} [{{zone}}] {{node}} {{pod}}{{^last}},{{/last}}\n"
        "{{/endpoints}}{{^endpoints}}none{{/endpoints}}",
        "t", template_names());
    REQUIRE(text);
    const auto some = of(
        {ready("10.0.0.1"), bad_zone, bad_address, terminating("10.0.0.4"), not_ready("10.0.0.5"), ready("fd00::1")});
    CHECK(
        text->render(template_values(some)) ==
        "10.0.0.1 80 10.0.0.1:80 []  ,\n10.0.0.2 8080 10.0.0.2:8080 [] node-1 web-1,\nfd00::1 80 [fd00::1]:80 []  \n");
    CHECK(text->render(template_values(of({ready("10.0.0.1", 0)}))) == "10.0.0.1  10.0.0.1 []  \n");
    CHECK(text->render(template_values(of({terminating("10.0.0.4")}))) == "none");
    CHECK(text->render(template_values(view())) == "none");
}
