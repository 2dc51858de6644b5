// Logs of containers: which part is asked for, lines and bytes, and every way to end.
#include <kcontrol/client/detail/line_splitter.hpp>
#include <kcontrol/client/pod_logs.hpp>

#include "fixture.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

const std::string log_target = "GET /api/v1/namespaces/default/pods/web/log";

std::vector<std::string> lines_of(std::string_view text, std::size_t slice, std::size_t longest) {
    detail::line_splitter splitter(longest);
    std::vector<std::string> out;
    const auto keep = [&](const std::optional<pod_log_line>& line) {
        if (line) out.push_back(std::string(line->text) + (line->whole ? "$" : ""));
        return line.has_value();
    };
    while (!text.empty()) {
        const auto room = splitter.room();
        const auto n = std::min({slice, room.size(), text.size()});
        std::copy_n(text.begin(), n, room.begin());
        splitter.filled(n);
        text.remove_prefix(n);
        while (keep(splitter.next())) {
        }
    }
    keep(splitter.finish());
    return out;
}

class log_fixture : public client_fixture {
public:
    log_stream open(log_options options = {}) {
        client c = connect();
        auto opened = await(open_logs(c, {"default", "web"}, std::move(options)));
        if (!opened) throw exception(opened.error());
        return std::move(*opened);
    }
    std::string all_of(log_stream& from) {
        std::string out;
        for (;;) {
            const auto line = await(from.next_line({}));
            if (!line) return out + "error: " + line.error().what();
            if (!*line) return out + "end";
            out += std::string((*line)->text) + ((*line)->whole ? "|" : "+");
        }
    }
};

}  // namespace

TEST_CASE("lines come out the same wherever the text is cut") {
    using lines = std::vector<std::string>;
    for (const std::size_t slice : {1U, 2U, 3U, 7U, 1000U}) {
        CAPTURE(slice);
        CHECK(lines_of("one\ntwo\n\nthree", slice, 100) == lines{"one$", "two$", "$", "three$"});
        CHECK(lines_of("one\n", slice, 100) == lines{"one$"});
        CHECK(lines_of("", slice, 100).empty());
        CHECK(lines_of("\n\n", slice, 100) == lines{"$", "$"});
        CHECK(lines_of("a\r\nb", slice, 100) == lines{"a\r$", "b$"});
        // A line of just the longest length is whole; one more byte, and it comes in pieces.
        CHECK(lines_of("12345\n123456\n1234567890\nx", slice, 5) ==
              lines{"12345$", "12345", "6$", "12345", "67890$", "x$"});
    }
}

TEST_CASE_FIXTURE(log_fixture, "logs are those of the client's namespace") {
    client c = connect().namespaced("default");
    net->expect(log_target).stream({"here\n"});
    CHECK(await(open_logs(c, {"", "web"}, {})).has_value());
    const auto sent = net->sent().size();
    CHECK(await(open_logs(c, {"other", "web"}, {})).error() == errc::invalid_argument);
    CHECK(net->sent().size() == sent);
}

TEST_CASE("a long text is split in memory that does not grow with it") {
    detail::line_splitter splitter(1000);
    std::size_t largest = 0, all = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto room = splitter.room();
        largest = std::max(largest, room.size());
        std::fill(room.begin(), room.end(), 'x');
        splitter.filled(room.size());
        while (const auto line = splitter.next()) all += line->text.size();
    }
    CHECK(all > std::size_t{100} << 20);
    CHECK(largest <= std::size_t{64} << 10);
}

TEST_CASE_FIXTURE(log_fixture, "which part of the log is asked for") {
    net->expect(log_target).with_header("Accept", "application/json, */*").reply(200, "", "text/plain");
    open();
    net->expect(log_target +
                "?container=c&follow=true&previous=true&sinceSeconds=90&tailLines=0&timestamps=true&limitBytes=5")
        .reply(200, "", "text/plain");
    open(log_options().container("c").follow().previous().since(90s).tail(0).timestamps().limit_bytes(5));
    net->expect(log_target + "?sinceTime=2026-01-02T03%3A04%3A05Z").reply(200, "", "text/plain");
    open(log_options().since_time(wall_time(1'767'323'045s)));
    client c = connect();
    CHECK(await(open_logs(c, {"default", "a/b"}, {})).error() == errc::invalid_argument);
    CHECK(await(open_logs(c, {"", "a"}, {})).error() == errc::invalid_argument);
    net->expect(log_target)
        .reply(400,
               R"({"kind":"Status","code":400,"reason":"BadRequest","message":"a container name must be specified"})");
    CHECK(await(open_logs(c, {"default", "web"}, {})).error().message() == "a container name must be specified");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(log_fixture, "lines as they come, and every way to end") {
    net->expect(log_target).stream({"on", "e\ntw", "o\nthree"}).header("Content-Type", "text/plain");
    log_stream whole = open();
    CHECK(all_of(whole) == "one|two|three|end");
    CHECK(all_of(whole) == "end");
    net->expect(log_target).stream({"one\ntw"}, stream_end::truncated);
    log_stream cut = open();
    CHECK(all_of(cut).starts_with("one|error: "));
    net->expect(log_target).stream({"12345678\n"});
    log_stream pieces = open(log_options().longest_line(3));
    CHECK(all_of(pieces) == "123+456+78|end");
    net->expect(log_target).stream({"a\nb"});
    log_stream bytes = open();
    std::string buffer(10, '\0');
    CHECK(await(bytes.read_some(std::span<char>(buffer), {})).value() == 3);
    CHECK(await(bytes.read_some(std::span<char>(buffer), {})).value() == 0);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(log_fixture, "a log that is followed waits as long as nothing is written, until it is stopped") {
    const auto body = net->expect(log_target + "?follow=true").stream({"one\n"}, stream_end::open).body();
    log_stream whole = open(log_options().follow());
    CHECK(await(whole.next_line({})).value()->text == "one");
    std::stop_source source;
    std::optional<result<std::optional<pod_log_line>>> line;
    start(context, keep_outcome(whole.next_line(source.get_token()), line));
    manual_environment::run_ready(context);
    env.advance(24h, context);
    CHECK_FALSE(line.has_value());
    body->push("two\n");
    manual_environment::run_ready(context);
    REQUIRE(line.has_value());
    CHECK(line->value()->text == "two");
    line.reset();
    start(context, keep_outcome(whole.next_line(source.get_token()), line));
    manual_environment::run_ready(context);
    source.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(line.has_value());
    CHECK(line->error() == errc::stopped);

    net->expect(log_target + "?follow=true").stream({}, stream_end::open);
    log_stream impatient = open(log_options().follow().idle(30s));
    const auto before = env.now();
    CHECK(await(impatient.next_line({})).error() == errc::timeout);
    CHECK(env.now() - before == 30s);
}

TEST_CASE_FIXTURE(log_fixture, "any path as a stream") {
    client c = connect();
    net->expect("GET /x").stream({"ab", "c"});
    auto opened = await(c.raw_stream(http::request("GET", "/x"), {}));
    REQUIRE(opened.has_value());
    CHECK(opened->head.status == 200);
    std::string buffer(10, '\0');
    CHECK(await(opened->body->read_some(std::span<char>(buffer), 1s, {})).value() == 2);
    CHECK(await(opened->body->read_some(std::span<char>(buffer), 1s, {})).value() == 1);
    CHECK(await(opened->body->read_some(std::span<char>(buffer), 1s, {})).value() == 0);
    net->expect("GET /x").reply(404, "404 page not found", "text/plain");
    CHECK(await(c.raw_stream(http::request("GET", "/x"), {})).error() == api_errc::not_found);
}
