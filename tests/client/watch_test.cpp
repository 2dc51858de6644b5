#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "fixture.hpp"
#include "support/heap_bytes.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

std::string event(std::string_view type, std::string_view object) {
    return R"({"type":")" + std::string(type) + R"(","object":)" + std::string(object) + "}\n";
}

const std::string target =
    "GET /apis/example.com/v1/widgets?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300";

// What a watch delivers, in one line: "+a@1 ~a@2 -a@3 b@4 !410 end", or the error it ends with.
std::string tell(const watch_event& e) {
    const auto object = [&] {
        if (e.invalid != nullptr) return "?" + e.invalid->describe() + "@" + e.resource_version;
        return e.object.meta().name + "@" + e.resource_version;
    };
    switch (e.type) {
    case watch_event_type::added: return "+" + object();
    case watch_event_type::modified: return "~" + object();
    case watch_event_type::deleted: return "-" + object();
    case watch_event_type::bookmark: return (e.ends_initial ? "B@" : "b@") + e.resource_version;
    case watch_event_type::error: return "!" + std::to_string(e.failure.status()->code);
    case watch_event_type::end: return "end";
    }
    return "?";
}

class watch_fixture : public client_fixture {
public:
    std::unique_ptr<watch_stream> open(watch_options options = watch_options().resource_version("5")) {
        client c = connect();
        auto stream = await(c.watch(widgets(), std::move(options)));
        REQUIRE(stream.has_value());
        return std::move(*stream);
    }

    std::string all_of(watch_stream& stream) {
        std::string out;
        for (;;) {
            const auto next = await(stream.next({}));
            if (!out.empty()) out += " ";
            if (!next) return out + next.error().code().message();
            out += tell(*next);
            if (next->type == watch_event_type::end) return out;
        }
    }
};

// Pieces that come one after another, each after a silence. It notes how much each read asks for.
class paced_body final : public http::body_stream {
public:
    using piece = std::pair<duration, std::string>;
    paced_body(manual_environment& env, std::vector<piece> pieces, std::vector<std::size_t>& asked)
        : env_(env), pieces_(std::move(pieces)), asked_(asked) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration, std::stop_token stop) override {
        asked_.push_back(into.size());
        if (rest_.empty() && at_ < pieces_.size()) {
            co_await sleep_for(env_, pieces_[at_].first, stop);
            rest_ = pieces_[at_++].second;
        }
        const std::size_t n = rest_.copy(into.data(), into.size());
        rest_.erase(0, n);
        co_return n;
    }

private:
    manual_environment& env_;
    std::vector<piece> pieces_;
    std::size_t at_ = 0;
    std::string rest_;
    std::vector<std::size_t>& asked_;
};

// Large enough that what a decoder keeps of one is seen in the heap.
struct letter {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Letter", "letters"};

    object_meta metadata;
    std::string text;

    static constexpr auto kcontrol_fields() { return fields(field("text", &letter::text)); }
};

std::string letter_event(const std::string& name, std::size_t size) {
    return event("ADDED",
                 R"({"apiVersion":"example.com/v1","kind":"Letter","metadata":{"namespace":"default","name":")" + name +
                     R"(","resourceVersion":"6"},"text":")" + std::string(size, 'x') + R"("})");
}

}  // namespace

TEST_CASE_FIXTURE(watch_fixture,
                  "a watch keeps the decoder's memory while much comes, and gives it back in a silence") {
    using namespace std::chrono_literals;
    std::vector<paced_body::piece> letters;
    for (const duration silence : {100ms, 100ms, 900ms, 1100ms, 100ms}) {
        letters.emplace_back(silence, letter_event("l" + std::to_string(letters.size()), 100'000));
    }
    std::vector<std::size_t> held, asked;
    asked.reserve(1000);
    watch_stream stream(env, resource_of<letter>(), std::make_unique<paced_body>(env, letters, asked), watch_options());
    for (int i = 0; i < 5; ++i) {
        auto next = await(stream.next({}));
        REQUIRE(next.has_value());
        REQUIRE(next->object.meta().name == "l" + std::to_string(i));
        *next = watch_event(watch_event_type::bookmark);  // the object itself is not held
        held.push_back(heap_bytes());
    }
    const std::size_t object = 100'000;
    CHECK(held[1] > held[3] + object / 2);
    CHECK(held[2] > held[3] + object / 2);
    CHECK(held[4] > held[3] + object / 2);
}

TEST_CASE_FIXTURE(watch_fixture, "a watch asks for more and more while much comes, and for little when it is quiet") {
    using namespace std::chrono_literals;
    const std::string text = letter_event("l", 6000);
    const std::string bookmark = event("BOOKMARK", R"({"metadata":{"resourceVersion":"7"}})");
    struct row {
        duration silence;
        std::string bytes;
        std::vector<std::size_t> asked;
    };
    const row rows[] = {
        {100ms, text, {512, 2048, 8192}},    {900ms, text, {8192}},
        {100ms, text + text, {8192, 16384}}, {1100ms, text, {16384}},
        {1100ms, text, {512, 2048, 8192}},   {100ms, text, {512, 2048, 8192}},
        {100ms, bookmark, {8192}},           {100ms, bookmark, {512}},
        {100ms, text, {512, 2048, 8192}},
    };
    std::vector<paced_body::piece> pieces;
    for (const auto& row : rows) pieces.emplace_back(row.silence, row.bytes);
    std::vector<std::size_t> asked;
    watch_stream stream(env, resource_of<letter>(), std::make_unique<paced_body>(env, pieces, asked), watch_options());
    std::size_t bytes = 0;
    for (const auto& row : rows) {
        CAPTURE(bytes);
        asked.clear();
        bytes += row.bytes.size();
        for (std::size_t left = row.bytes.size(); left > 0; left -= std::min(left, text.size())) {
            REQUIRE(await(stream.next({})).has_value());
        }
        CHECK(asked == row.asked);
        CHECK(stream.received() == bytes);
    }
    CHECK(await(stream.next({}))->type == watch_event_type::end);
}

TEST_CASE_FIXTURE(watch_fixture, "options of a watch") {
    net->expect(std::string("GET ") + widgets_path +
                "?watch=true&timeoutSeconds=7&labelSelector=a%3Db&fieldSelector=x%3Dy")
        .stream({});
    watch_options options;
    options.in_namespace("default").label_selector("a=b").field_selector("x=y").bookmarks(false);
    options.timeout(std::chrono::seconds(7));
    const auto stream = open(options);
    CHECK(all_of(*stream) == "end");
    CHECK(all_of(*stream) == "end");  // and stays there
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(watch_fixture, "a streamed list is asked for, and a bookmark says where it ends") {
    const std::string list = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const auto bookmark = [](std::string_view version, std::string_view annotations) {
        return event("BOOKMARK", R"({"metadata":{"resourceVersion":")" + std::string(version) + R"(","annotations":)" +
                                     std::string(annotations) + "}}");
    };
    net->expect(std::string("GET ") + widgets_path + "?watch=true&" + list + "&timeoutSeconds=300")
        .stream({event("ADDED", widget_json("a", "6")), bookmark("7", R"({"k8s.io/initial-events-end":"true"})"),
                 bookmark("8", R"({"k8s.io/initial-events-end":"false"})"),
                 bookmark("9", R"({"k8s.io/initial-events-end":true})"),
                 bookmark("10", R"({"x":"k8s.io/initial-events-end"})"), bookmark("11", "{}"),
                 bookmark("12", R"({"a":"b","k8s.io\/initial-events-end":"true"})")});
    const auto stream = open(watch_options().in_namespace("default").initial_events(true).bookmarks(false));
    CHECK(all_of(*stream) == "+a@6 B@7 b@8 b@9 b@10 b@11 B@12 end");
    CHECK(stream->received() > 300);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(watch_fixture, "a stream is given up when its time is up, whatever comes") {
    auto& step = net->expect(target);
    step.stream({}, stream_end::clean);
    for (int i = 0; i < 3; ++i) step.body()->push(event("ADDED", widget_json("a", "6")));
    const auto stream = open();
    stream->give_up_at(env.now() + std::chrono::seconds(5));
    CHECK(await(stream->next({})).has_value());
    stream->give_up_at(env.now());
    CHECK(await(stream->next({})).error() == errc::timeout);
    stream->give_up_at(std::nullopt);
    CHECK(all_of(*stream) == "+a@6 +a@6 end");
}

TEST_CASE_FIXTURE(watch_fixture, "events, however the bytes are cut") {
    const std::string text = event("ADDED", widget_json("a", "6")) + event("MODIFIED", widget_json("a", "7")) +
                             "\r\n\n" + event("BOOKMARK", R"({"metadata":{"resourceVersion":"8"}})") +
                             event("DELETED", widget_json("a", "9"));
    const std::string want = "+a@6 ~a@7 b@8 -a@9 end";
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}, text.size()}) {
        CAPTURE(size);
        auto& step = net->expect(target);
        step.stream({}, stream_end::clean);
        for (std::size_t at = 0; at < text.size(); at += size) step.body()->push(text.substr(at, size));
        const auto stream = open();
        CHECK(all_of(*stream) == want);
    }
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(watch_fixture, "how a watch ends") {
    const std::string one = event("ADDED", widget_json("a", "6"));
    const std::string cut = one.substr(0, one.size() - 10);
    const std::string no_newline = one.substr(0, one.size() - 1);
    struct row {
        std::string text;
        stream_end how;
        const char* want;
    };
    const std::string lost = error(errc::connection_lost).what();
    const std::string truncated = error(errc::truncated).what();
    const row table[] = {
        {one, stream_end::clean, "+a@6 end"},
        {no_newline, stream_end::clean, "+a@6 end"},
        {cut, stream_end::clean, "T"},
        {one + cut, stream_end::clean, "+a@6 T"},
        {one + cut, stream_end::truncated, "+a@6 T"},
        {one + cut, stream_end::lost, "+a@6 L"},
        {one, stream_end::open, "+a@6 I"},
    };
    for (const auto& r : table) {
        CAPTURE(r.want);
        net->expect(target).stream({r.text}, r.how);
        const auto stream = open();
        std::string got = all_of(*stream);
        for (const auto& [letter, code] :
             {std::pair("T", errc::truncated), std::pair("L", errc::connection_lost), std::pair("I", errc::timeout)}) {
            const auto at = got.find(error(code).what());
            if (at != std::string::npos) got = got.substr(0, at) + letter;
        }
        CHECK(got == r.want);
    }
}

TEST_CASE_FIXTURE(watch_fixture, "the idle time is counted from byte to byte, and blank lines are none") {
    auto body = net->expect(target).stream({}, stream_end::open).body();
    watch_options options;
    options.resource_version("5").idle(std::chrono::seconds(10));
    const auto stream = open(options);
    std::optional<result<watch_event>> out;
    start(context, keep_outcome(stream->next({}), out));
    env.advance(std::chrono::seconds(9), context);
    body->push("{\"type\":\"SPARKLE\"}\n");
    env.advance(std::chrono::seconds(8), context);
    CHECK(!out.has_value());
    body->push("\r\n\n");
    env.advance(std::chrono::seconds(1), context);
    CHECK(!out.has_value());
    env.advance(std::chrono::seconds(1), context);
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::timeout);
}

TEST_CASE_FIXTURE(watch_fixture, "stop ends the wait, and nothing is delivered after it") {
    auto body = net->expect(target).stream({}, stream_end::open).body();
    auto stream = open();
    std::stop_source source;
    std::optional<result<watch_event>> out;
    start(context, keep_outcome(stream->next(source.get_token()), out));
    manual_environment::run_ready(context);
    CHECK(!out.has_value());
    source.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::stopped);
    body->push(event("ADDED", widget_json("a")));
    CHECK(await(stream->next(source.get_token())).error() == errc::stopped);
    CHECK(!body->abandoned());
    stream.reset();
    CHECK(body->abandoned());
}

TEST_CASE_FIXTURE(watch_fixture, "an ERROR event carries the server's Status") {
    net->expect(target).stream(
        {event("ERROR", R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})"),
         event("ERROR", R"({"kind":"Status","reason":"Gone"})"), event("ERROR", "null")});
    const auto stream = open();
    const auto first = await(stream->next({}));
    REQUIRE(first.has_value());
    CHECK(first->type == watch_event_type::error);
    CHECK(first->failure == condition::expired);
    CHECK(first->failure.message() == "too old");
    const auto second = await(stream->next({}));
    REQUIRE(second.has_value());
    CHECK(second->failure == condition::expired);
    CHECK(await(stream->next({})).error() == errc::decode_failed);
}

TEST_CASE_FIXTURE(watch_fixture, "unknown types and empty bookmarks are passed over") {
    net->expect(target).stream({event("SPARKLE\\u001b", "{}"), event("BOOKMARK", "{}"),
                                R"({"object":{}})"
                                "\n",
                                event("ADDED", widget_json("a", "6"))});
    const auto stream = open();
    CHECK(all_of(*stream) == "+a@6 end");
    REQUIRE(logged.size() == 2);
    CHECK(logged[0].find("type=SPARKLE\\x1b") != std::string::npos);
}

TEST_CASE_FIXTURE(watch_fixture, "an object that does not decode is told of, with what can be read of it") {
    const std::string bad = widget_json("a", "7", "\"x\"");
    net->expect(target).stream({event("ADDED", bad), event("MODIFIED", bad), event("DELETED", bad),
                                event("DELETED", "7"), event("MODIFIED", R"({"metadata":{"name":1}})"),
                                event("ADDED", R"({"kind":"Gadget","metadata":{"name":"g","resourceVersion":"9"}})"),
                                event("ADDED", widget_json("b", "8"))});
    const auto stream = open();
    CHECK(all_of(*stream) == "+?default/a@7 ~?default/a@7 -?default/a@7 -?(no name)@ ~?(no name)@ +?g@9 +b@8 end");
}

TEST_CASE_FIXTURE(watch_fixture, "of an event that is larger than any can be its beginning is read") {
    const std::string object =
        R"({"kind":"Widget","metadata":{"namespace":"n","name":"big","resourceVersion":"7"},"x":")";
    auto& step = net->expect(target);
    step.stream({R"({"type":"MODIFIED","object":)" + object});
    for (int i = 0; i < 40; ++i) step.body()->push(std::string(std::size_t{1} << 20, 'x'));
    step.body()->push("\"}}\n" + event("ADDED", widget_json("b", "8")));
    const auto stream = open();
    CHECK(all_of(*stream) == "~?n/big@7 +b@8 end");
}

TEST_CASE_FIXTURE(watch_fixture, "a watch that the server does not end in time is ended here") {
    auto body = net->expect(target).stream({}, stream_end::open).body();
    const auto stream = open();
    std::optional<result<watch_event>> out;
    start(context, keep_outcome(stream->next({}), out));
    // 300 s were asked for, and 30 s of grace are given.
    for (int second = 0; second < 329; ++second) {
        env.advance(std::chrono::seconds(1), context);
        body->push("{");
        REQUIRE(!out.has_value());
    }
    env.advance(std::chrono::seconds(2), context);
    REQUIRE(out.has_value());
    REQUIRE(out->has_value());
    CHECK((*out)->type == watch_event_type::end);
}

TEST_CASE_FIXTURE(watch_fixture, "frames that are not events") {
    for (const char* text : {"hello\n", "[1]\n", "{\"type\":\n"}) {
        CAPTURE(text);
        net->expect(target).stream({text});
        const auto stream = open();
        CHECK(await(stream->next({})).error() == errc::decode_failed);
    }
}

TEST_CASE_FIXTURE(watch_fixture, "a watch that is no JSON says what it is, before it ends") {
    using namespace std::string_literals;
    const std::string gzip = "\x1f\x8b\x08\x00\n\x00"s;
    struct row {
        std::vector<std::string> pieces;
        const char* says;
    };
    for (const auto& r : {row{{gzip}, "gzip-compressed bytes, which nobody asked for"},
                          row{{"\x1f", "\x8b"}, "gzip-compressed bytes, which nobody asked for"},
                          row{{"k8s", "\0\n"s}, "Kubernetes protobuf bytes"},
                          row{{"\n ", "<html>"}, "200 with a web page: check that `server`"}}) {
        CAPTURE(r.says);
        const auto body = net->expect(target).stream({}, stream_end::open).body();
        for (const auto& piece : r.pieces) body->push(piece);
        const auto stream = open();
        const auto before = env.now();
        const auto next = await(stream->next({}));
        REQUIRE_FALSE(next.has_value());
        CHECK(next.error() == errc::not_an_api_server);
        CHECK_MESSAGE(next.error().message().find(r.says) != std::string::npos, next.error().message());
        CHECK(env.now() == before);
    }
    // Whoever looks at the beginning keeps nothing of it back.
    net->expect(target).stream({" ", "\n", "{", event("ADDED", widget_json("a", "6")).substr(1)});
    CHECK(all_of(*open()) == "+a@6 end");
}

TEST_CASE_FIXTURE(watch_fixture, "lists and watches say the same of the same answer") {
    struct row {
        const char *type, *coding, *body, *says;
    };
    for (const auto& r : {row{"text/html", "", "<html>", "the server answered 200 with a web page: check that"},
                          row{"text/html; charset=utf-8", "gzip", "x", "the server answered 200 with a web page: "},
                          row{"text/plain", "", "hello", "the server answered 200 with text/plain instead of JSON: "},
                          row{"application/json", "br", "x", "200 with Content-Encoding br, which nobody asked for"},
                          row{"", "", "<html>", "the server answered 200 with a web page: "},
                          row{"application/json", "", "\x1f\x8b\x08", "200 with gzip-compressed bytes, which"}}) {
        CAPTURE(r.says);
        client c = connect();
        auto& watched = net->expect(target).reply(200, r.body, r.type);
        if (*r.coding != 0) watched.header("Content-Encoding", r.coding);
        const auto stream = await(c.watch(widgets(), watch_options().resource_version("5")));
        const error of_watch = stream ? await((*stream)->next({})).error() : stream.error();
        auto& listed = net->expect("GET /apis/example.com/v1/widgets").reply(200, r.body, r.type);
        if (*r.coding != 0) listed.header("Content-Encoding", r.coding);
        const auto list = await(c.list_page(widgets(), list_options()));
        REQUIRE_FALSE(list.has_value());
        CHECK(list.error() == errc::not_an_api_server);
        CHECK_MESSAGE(list.error().message().find(r.says) != std::string::npos, list.error().message());
        CHECK(of_watch == errc::not_an_api_server);
        CHECK(of_watch.message() == list.error().message());
    }
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(watch_fixture, "a refused watch") {
    client c = connect();
    watch_options options;
    options.resource_version("5");
    const auto outcome = [&] { return await(c.watch(widgets(), options)); };
    net->expect(target).reply(410, R"({"kind":"Status","code":410,"reason":"Expired"})");
    CHECK(outcome().error() == condition::expired);
    net->expect(target).reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"no"})");
    CHECK(outcome().error() == condition::access_denied);
    net->expect(target).reply(200, "<html>", "text/html");
    CHECK(outcome().error() == errc::not_an_api_server);
    net->expect(target).reply(302, "").header("Location", "/login");
    CHECK(outcome().error() == errc::not_an_api_server);
    net->expect(target).fail(errc::connection_refused);
    CHECK(outcome().error() == errc::connection_refused);
    net->expect(target).hang();
    CHECK(outcome().error() == errc::timeout);
    // An endless body of a refusal is not read to its end.
    net->expect(target).reply(404, std::string(1 << 20, 'x'), "text/plain");
    CHECK(outcome().error() == api_errc::not_found);
    // Whoever watches backs off by himself: the time comes with the error.
    net->expect(target).reply(503, "").header("Retry-After", "7");
    const auto later = outcome();
    CHECK(later.error() == api_errc::service_unavailable);
    CHECK(later.error().status()->retry_after == std::chrono::seconds(7));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(watch_fixture, "401 on a watch reads the token again") {
    env.files["/token"] = "t";
    config.token_file("/token");
    net->expect(target).reply(401, "{}");
    net->expect(target).with_header("Authorization", "Bearer t").stream({});
    const auto stream = open();
    CHECK(all_of(*stream) == "end");
    CHECK(net->verify());
}
