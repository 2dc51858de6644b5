// Lists that do not fit and answers that do not end: bounded in requests, in memory and in time, and told.
#include "hostile/play.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

const std::string block(std::size_t{64} << 10, 'x');
const std::string blanks(std::size_t{64} << 10, ' ');

std::string list_begin(const play& p, const std::string& token = {}) {
    std::string text = p.list_of({}, token);
    text.resize(text.size() - 2);  // without "]}"
    return text;
}

void create_many(play& p, int count) {
    for (int i = 0; i < count; ++i) p.honest.create("w" + std::to_string(1000 + i), i);
}

// The objects of a page as the server cuts it, one piece each; a token is the place of the first.
reply in_pages(const ask& q, const std::function<std::string(std::string)>& change, duration every) {
    const std::size_t first = q.token.empty() ? 0 : std::stoull(q.token);
    auto all = std::make_shared<std::vector<std::string>>(q.world.objects_with({}));
    const std::size_t end =
        q.limit == 0 ? all->size() : std::min(all->size(), first + static_cast<std::size_t>(q.limit));
    reply r = reply::stream();
    r.send(list_begin(q.world, end < all->size() ? std::to_string(end) : std::string()));
    r.make([=](std::uint64_t i) { return (i == 0 ? "" : ",") + change(all->at(first + i)); }, end - first, every);
    return r.send("]}");
}

std::string as_it_is(std::string text) { return text; }
std::string of_one_megabyte(std::string text) {
    return text.substr(0, text.size() - 1) + R"(,"data":")" + std::string(1'000'000, 'x') + "\"}";
}

scenario large_objects(const char* name) {
    return scenario(name)
        .before([](play& p) { create_many(p, full_size() ? 297 : 57); })
        .from_the_start()
        .answers([](const ask& q) -> std::optional<reply> {
            if (!q.is_list()) return std::nullopt;
            return in_pages(q, of_one_megabyte, 0s);
        })
        .well()
        .lists(1, 1)
        .peak(std::size_t{16} << 20);
}

std::vector<scenario> lists_that_do_not_fit() {
    return {
        large_objects("2. objects of 1 MB, all at once"),
        large_objects("2. objects of 1 MB in pages of 20").with(informer_options().page_size(20)),
        scenario("2. a page that drips, an object a second, is halved until it fits")
            .before([](play& p) { create_many(p, 97); })
            .from_the_start()
            .lasts(10min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_list()) return std::nullopt;
                return in_pages(q, as_it_is, 1s);
            })
            .well()
            .told("asking for 250 objects at once")
            .told("asking for 31 objects at once")
            .lists(6, 6),
        scenario("2. a page of one object that drips does not fit either")
            .from_the_start()
            .lasts(15min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_list()) return std::nullopt;
                return reply::stream().send(list_begin(q.world)).repeat(" ", 1000, 1s);
            })
            .state(failed)
            .reason("did not arrive within 60 s")
            .told("asking for 1 objects at once")
            .empty()
            .per_minute(6),
        scenario("2. a list without pages that drips is asked for in pages")
            .lasts(5min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (q.is_watch() && q.n == 0) return reply::failure(410, "Expired", "too old");
                if (!q.is_list() || q.limit > 0) return std::nullopt;
                return reply::stream().send(list_begin(q.world)).repeat(" ", 1000, 1s);
            })
            .well()
            .told("asking for 500 objects at once")
            .lists(2, 2),
        scenario("2. a list that falls silent in the middle")
            .from_the_start()
            .lasts(5min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_list()) return std::nullopt;
                return reply::stream().send(list_begin(q.world)).hangs();
            })
            .state(failed)
            .reason("deadline")
            .empty()
            .per_minute(4),
    };
}

/// Tokens that come again after `cycle` pages.
scenario repeated_tokens(std::size_t cycle) {
    return scenario("4. continue tokens that come again after " + std::to_string(cycle))
        .from_the_start()
        .answers([cycle](const ask& q) -> std::optional<reply> {
            if (!q.is_list()) return std::nullopt;
            const std::size_t last = q.token.empty() ? 0 : std::stoull(q.token);
            return reply::whole(200, q.world.list_of(q.world.objects_with({}), std::to_string(last % cycle + 1)));
        })
        .state(failed)
        .reason("the same page of a list again and again")
        .empty()
        .per_minute(10);
}

/// Pages without end.
scenario pages(const char* name, list_bounds bounds, const char* reason, std::size_t items, duration each) {
    return scenario(name)
        .with(informer_options().list_limits(bounds))
        .from_the_start()
        .lasts(full_size() ? 5min : 150s)
        .answers([=](const ask& q) -> std::optional<reply> {
            if (!q.is_list()) return std::nullopt;
            const std::size_t last = q.token.empty() ? 0 : std::stoull(q.token);
            std::vector<std::string> objects;
            for (std::size_t i = 0; i < items; ++i) {
                objects.push_back(widget_text("p" + std::to_string(last * items + i), "5", R"({"value":1})"));
            }
            return reply::whole(200, q.world.list_of(objects, std::to_string(last + 1))).after(each);
        })
        .states({failed, listing})
        .told(reason)
        .empty()
        .per_minute(10)
        .peak(std::size_t{24} << 20);
}

scenario endless_list(const char* name, std::string begin, const std::string& more, const char* reason) {
    return scenario(name)
        .from_the_start()
        .lasts(2min)
        .answers([=](const ask& q) -> std::optional<reply> {
            if (!q.is_list()) return std::nullopt;
            return reply::stream().send(begin).repeat(more, 1'000'000, 100ms);
        })
        .states({failed, listing})
        .told(reason)
        .empty()
        .per_minute(10)
        .peak(std::size_t{40} << 20);
}

/// One page that goes on and on: a server that ignores the limit.
scenario objects_in_one_page() {
    std::string objects;
    for (int i = 0; i < 1000; ++i) objects += widget_text("p" + std::to_string(i), "5", R"({"value":1})") + ",";
    return scenario("4. objects without end in one page")
        .with(informer_options().list_limits(list_bounds().max_items(20'000)))
        .from_the_start()
        .lasts(2min)
        .answers([=](const ask& q) -> std::optional<reply> {
            if (!q.is_list()) return std::nullopt;
            return reply::stream()
                .send(R"({"metadata":{"resourceVersion":"5"},"items":[)")
                .repeat(objects, 1'000'000, 100ms);
        })
        .states({failed, listing})
        .told("max_items (20000)")
        .empty()
        .per_minute(10)
        .peak(std::size_t{40} << 20);
}

std::vector<scenario> endless_lists() {
    return {
        repeated_tokens(1),
        repeated_tokens(2),
        repeated_tokens(3),
        pages("4. pages without end", list_bounds().max_pages(300), "max_pages (300)", 3, 0s),
        pages("4. empty pages without end", list_bounds().max_pages(300), "max_pages (300)", 0, 0s),
        pages("4. as many objects as nobody has", list_bounds().max_items(20'000), "max_items (20000)", 500, 0s),
        pages("4. more bytes than anybody has", list_bounds().max_bytes(1'000'000), "max_bytes (1000000)", 500, 0s),
        pages("4. pages that take their time, without end", list_bounds().max_time(2min), "max_time (120 s)", 1, 20s),
        objects_in_one_page(),
        endless_list("4. white space without end", "", blanks, "1048576 bytes"),
        endless_list("4. white space between objects, without end",
                     R"({"kind":"WidgetList","metadata":{"resourceVersion":"5"},"items":[)", blanks, "bytes"),
        endless_list("4. metadata without end", R"({"kind":"WidgetList","metadata":{"a":")", block, "1048576 bytes"),
        endless_list("4. a name of a member without end", R"({")", block, "1048576 bytes"),
        endless_list("4. an object without end", R"({"metadata":{"resourceVersion":"5"},"items":[{"a":")", block,
                     "did not arrive within 60 s"),
        endless_list("4. brackets without end", R"({"metadata":{"resourceVersion":"5"},"items":[)",
                     std::string(std::size_t{64} << 10, '['), "did not arrive within 60 s"),
    };
}

informer_options short_watches() { return informer_options().watch_timeout(60s, 60s); }

/// A watch that goes on and on; `most` watches in ten minutes, and all is well.
scenario watch_that_goes_on(const char* name, std::size_t least, std::size_t most,
                            std::function<reply(const ask&)> make) {
    return scenario(name)
        .with(short_watches())
        .lasts(10min)
        .answers([make = std::move(make)](const ask& q) -> std::optional<reply> {
            if (!q.is_watch()) return std::nullopt;
            return make(q);
        })
        .state(live)
        .per_minute(6)
        .also([least, most](play& p) {
            CHECK(p.asked(verb::watch) >= least);
            CHECK(p.asked(verb::watch) <= most);
        });
}

std::vector<scenario> endless_watches() {
    return {
        scenario("4. an event without end")
            .lasts(1min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                return reply::stream().send(R"({"type":"ADDED","object":{"a":")").repeat(block, 100'000, 1ms);
            })
            .state(failed)
            .reason("goes on beyond 134217728 bytes")
            .per_minute(12)
            .peak(std::size_t{80} << 20),
        scenario("4. a line of blanks without end")
            .lasts(4min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                return reply::stream().repeat(blanks, 1'000'000, 100ms);
            })
            .state(live)
            .per_minute(6)
            .peak(std::size_t{80} << 20),
        watch_that_goes_on(
            "5. a watch that its server does not end, with bookmarks", 9, 10,
            [](const ask& q) { return reply::stream().repeat(bookmark_text(q.world.version()), 1000, 5s); }),
        watch_that_goes_on("5. a watch that its server does not end, silent", 9, 10,
                           [](const ask&) { return reply::stream().hangs(); }),
        watch_that_goes_on("5. a watch that its server does not end, with events", 9, 10,
                           [](const ask& q) {
                               play& p = q.world;
                               return reply::stream().make([&p](std::uint64_t) { return p.touch("a"); }, 1000, 7s);
                           }),
        watch_that_goes_on("5. blank lines are no sign of life", 9, 10,
                           [](const ask&) { return reply::stream().repeat("\n", 1000, 1s); }),
        watch_that_goes_on("5. CR LF are no sign of life", 9, 10,
                           [](const ask&) { return reply::stream().repeat("\r\n \t\r\n", 1000, 1s); }),
        watch_that_goes_on("5. F18 half an event that drips, a byte in 10 s", 9, 10,
                           [](const ask& q) {
                               const std::string text = q.world.object("a");
                               return reply::stream()
                                   .send(R"({"type":"MODIFIED","object":)")
                                   .make([text](std::uint64_t i) { return text.substr(i, 1); }, text.size(), 10s);
                           }),
        scenario("5. blank lines within the watch's time: after 90 s it is resumed")
            .with(informer_options().watch_timeout(600s, 600s))
            .lasts(10min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                return reply::stream().repeat("\n", 10'000, 1s);
            })
            .state(live)
            .per_minute(6)
            .also([](play& p) { CHECK(p.asked(verb::watch) == 7); }),
        scenario("5. the watch's head does not come")
            .lasts(5min)
            .answers([](const ask& q) -> std::optional<reply> {
                return q.is_watch() ? std::optional(reply::nothing()) : std::nullopt;
            })
            .state(failed)
            .reason("deadline")
            .per_minute(6),
    };
}

TEST_CASE("hostile: lists that do not fit") { play_all(lists_that_do_not_fit()); }
TEST_CASE("hostile: lists without end") { play_all(endless_lists()); }
TEST_CASE("hostile: watches without end") { play_all(endless_watches()); }

}  // namespace
