#include "web/gzip.hpp"

#include <kcontrol/http/gunzip.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace training_monitor;
namespace http = kcontrol::http;

TEST_CASE("gzip: who accepts it") {
    for (const char* yes : {"gzip", "GZIP", "deflate, gzip;q=0.5", "br , gzip", "*", "gzip;q=1.0, *;q=0", "x-gzip",
                            "gzip;a=b;Q=0.001", "gzip, deflate, br, zstd", "gzip;q=0.5, identity;q=0.5,"}) {
        CAPTURE(yes);
        CHECK(accepts_gzip(yes));
    }
    for (const char* no :
         {"", "identity", "br, deflate", "gzip;q=0", "gzip; q=0.000", "*;q=0", "gzipped", "gzip;q=0, *", "gzip;q=x",
          "gzip;q=0.5x", "gzip;q=2", "gzip;q=", "gzip;q=nan", "gzip;q=0.4, identity;q=0.5", ",;,"}) {
        CAPTURE(no);
        CHECK_FALSE(accepts_gzip(no));
    }
}

TEST_CASE("gzip: pieces and wholes come back as they were") {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += "job " + std::to_string(i * 7919) + "\n";
    CHECK(http::gunzip_all(gzipped(text), text.size()).value() == text);
    CHECK(gzipped(text).size() < text.size() / 2);
    CHECK(http::gunzip_all(gzipped(""), 10).value().empty());
    gzip_writer writer;
    std::string sent;
    for (std::size_t at = 0; at < text.size(); at += 777) sent += writer.add(text.substr(at, 777));
    sent += writer.add("");
    sent += writer.finish();
    CHECK(http::gunzip_all(sent, text.size()).value() == text);
}

TEST_CASE("gzip: each piece can be read when it has come") {
    gzip_writer writer;
    http::gunzip reader;
    std::array<char, 64> room{};
    const std::string first = writer.add("the first piece");
    const auto step = reader.step(first, room);
    REQUIRE(step);
    CHECK(std::string(room.data(), step->given) == "the first piece");
    CHECK_FALSE(reader.complete());
}
