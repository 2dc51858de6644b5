#include <kcontrol/http/watch_framer.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using kcontrol::errc;
using kcontrol::http::watch_framer;

namespace {

// Everything the framer has to say now.
void drain(watch_framer& framer, std::vector<std::string>& out) {
    for (;;) {
        const auto next = framer.next();
        REQUIRE(next);
        if (next->text.empty()) return;
        CHECK_FALSE(next->cut());
        out.emplace_back(next->text);
    }
}

const std::string stream =
    "{\"type\":\"ADDED\",\"object\":{\"a\":\"}\\\"\\n\"}}\n\r\n\n  \n{\"b\":[1,2]}\r\n{\"c\":\"\xc3\xa9\"}\n";
const std::vector<std::string> documents = {"{\"type\":\"ADDED\",\"object\":{\"a\":\"}\\\"\\n\"}}", "{\"b\":[1,2]}",
                                            "{\"c\":\"\xc3\xa9\"}"};

}  // namespace

TEST_CASE("the same documents come out wherever the stream is cut") {
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        for (std::size_t second = cut; second <= stream.size(); ++second) {
            watch_framer framer;
            std::vector<std::string> out;
            framer.feed(std::string_view(stream).substr(0, cut));
            drain(framer, out);
            framer.feed(std::string_view(stream).substr(cut, second - cut));
            drain(framer, out);
            framer.feed(std::string_view(stream).substr(second));
            drain(framer, out);
            CHECK(out == documents);
            CHECK(framer.finish()->text.empty());
        }
    }
}

TEST_CASE("byte by byte, a document comes out at its newline and not before") {
    watch_framer framer;
    std::vector<std::string> out;
    std::size_t newlines = 0;
    for (char c : std::string("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n")) {
        framer.feed({&c, 1});
        drain(framer, out);
        newlines += c == '\n';
        CHECK(out.size() == newlines);
    }
}

TEST_CASE("feeding without reading loses nothing") {
    watch_framer framer;
    for (int i = 0; i < 1000; ++i) framer.feed("{\"i\":" + std::to_string(i) + "}\n");
    std::vector<std::string> out;
    drain(framer, out);
    REQUIRE(out.size() == 1000);
    CHECK(out.back() == "{\"i\":999}");
}

TEST_CASE("the end of the stream") {
    const struct {
        const char* text;
        const char* last;  // null: truncated
    } cases[] = {
        {"", ""},
        {"\r\n \n", ""},
        {"{\"a\":1}\n", "{\"a\":1}"},
        {"{\"a\":1}", "{\"a\":1}"},
        {"{\"a\":1}\r", "{\"a\":1}"},
        {"{\"a\":\"}\\\"\"}", "{\"a\":\"}\\\"\"}"},
        {"{\"a\":1", nullptr},
        {"{\"a\":\"}", nullptr},
        {"{\"a\":\"\\", nullptr},
        {"{", nullptr},
        {"}", nullptr},
        {"{}}", nullptr},
        {"nul", nullptr},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        watch_framer framer;
        framer.feed(c.text);
        const auto last = framer.finish();
        if (c.last) {
            REQUIRE(last);
            CHECK(last->text == c.last);
            CHECK(framer.finish()->text.empty());
        } else {
            REQUIRE_FALSE(last);
            CHECK(last.error() == errc::truncated);
        }
    }
}

TEST_CASE("of a document larger than the budget the beginning and the size come, and what follows flows on") {
    const std::string fits = "{\"a\":\"" + std::string(92, 'x') + "\"}";
    REQUIRE(fits.size() == 100);
    for (const char* end : {"\n", "\r\n"}) {
        watch_framer framer(100);
        framer.feed(fits + end);
        CHECK(framer.next()->text == fits);
        CHECK(framer.next()->text.empty());
    }
    for (const char* end : {"", "\n", "\r\n"}) {
        watch_framer framer(99);
        framer.feed(fits + end);
        const auto cut = end[0] ? framer.next() : framer.finish();
        REQUIRE(cut);
        CHECK(cut->cut());
        CHECK(cut->text == fits.substr(0, 99));
        CHECK(cut->size >= 100);
    }
    for (const std::size_t step : {1U, 7U, 64U, 10'000U}) {
        CAPTURE(step);
        watch_framer framer(50);
        std::string text = "{\"a\":1}\n" + fits + "\n   \n" + fits + fits + "\n{\"b\":2}\n";
        std::vector<std::string> out;
        for (std::size_t at = 0; at < text.size(); at += step) {
            framer.feed(std::string_view(text).substr(at, step));
            for (auto next = framer.next(); !next->text.empty(); next = framer.next()) {
                out.push_back(next->cut() ? std::to_string(next->size) : std::string(next->text));
            }
        }
        CHECK(out == std::vector<std::string>{"{\"a\":1}", "100", "200", "{\"b\":2}"});
    }
    watch_framer unlimited(std::numeric_limits<std::size_t>::max());
    unlimited.feed(fits + "\n" + fits);
    CHECK(unlimited.next()->text == fits);
    CHECK(unlimited.next()->text.empty());
    CHECK(unlimited.finish()->text == fits);
}

TEST_CASE("a document that does not end is an error, in little memory") {
    watch_framer endless(1000);
    for (int i = 0; i < 4; ++i) {
        endless.feed(std::string(1000, i % 2 == 0 ? ' ' : 'x'));
        REQUIRE(endless.next());
    }
    endless.feed(std::string(1000, 'x'));
    CHECK(endless.next().error() == errc::too_large);
    CHECK(endless.next().error() == errc::too_large);
    watch_framer ended(10);
    ended.feed("{\"a\":\"0123456789");
    REQUIRE(ended.next());
    CHECK(ended.finish().error() == errc::truncated);
}

TEST_CASE("a large event in small pieces is scanned once") {
    // 32 MiB in 1 KiB reads: with a rescan for each read this would look at half a tebibyte.
    watch_framer framer(std::size_t{64} << 20);
    const std::string piece(1024, 'x');
    framer.feed("\"");
    for (int i = 0; i < 32 * 1024; ++i) {
        framer.feed(piece);
        REQUIRE(framer.next()->text.empty());
    }
    framer.feed("\"\n{\"a\":1}\n");
    CHECK(framer.next()->text.size() == (std::size_t{32} << 20) + 2);
    CHECK(framer.next()->text == "{\"a\":1}");
}
