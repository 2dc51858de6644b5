// What readers of a store see, against the plainest model of it: a map that is copied.
#include <kcontrol/cache/store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;

struct thing {
    explicit thing(std::shared_ptr<int> l) : living(std::move(l)) { ++*living; }
    thing(const thing&) = delete;
    thing& operator=(const thing&) = delete;
    ~thing() { --*living; }

    object_meta metadata;
    std::string colour;
    std::shared_ptr<int> living;
};

using model = std::map<namespaced_name, any_object>;

std::vector<any_object> values(const model& m, const std::string& ns = {}) {
    std::vector<any_object> out;
    for (const auto& [key, object] : m) {
        if (ns.empty() || key.namespace_ == ns) out.push_back(object);
    }
    return out;
}
std::vector<any_object> values(const found_objects& found) { return {found.begin(), found.end()}; }

class world {
public:
    explicit world(unsigned seed) : random_(seed) {}
    std::size_t pick(std::size_t below) { return random_() % below; }

    any_object make(const namespaced_name& key) {
        static constexpr const char* colours[] = {"", "blue", "green", "red"};
        auto object = std::make_shared<thing>(living);
        object->metadata.namespace_ = key.namespace_;
        object->metadata.name = key.name;
        object->metadata.uid = pick(8) == 0 ? "other" : "same";
        object->metadata.resource_version = std::to_string(++version_);
        object->colour = colours[pick(4)];
        for (const char* label : {"app", "tier"}) {
            if (pick(3) != 0) object->metadata.labels.insert_or_assign(label, std::to_string(pick(4)));
        }
        return any_object(std::shared_ptr<const thing>(std::move(object)));
    }
    namespaced_name key(std::size_t among) {
        const std::size_t n = pick(among);
        return {"ns" + std::to_string(n % 5), "thing-" + std::to_string(n)};
    }

    std::shared_ptr<int> living = std::make_shared<int>(0);

private:
    std::mt19937 random_;
    int version_ = 0;
};

const auto colour_of = [](const thing& t) { return t.colour; };

void check_equal(const store_snapshot& seen, const model& wanted, world& w) {
    REQUIRE(seen.size() == wanted.size());
    const auto all = values(wanted);
    REQUIRE(values(seen.select()) == all);
    std::size_t at = 0;
    bool same = true;
    seen.for_each([&](const any_object& object) { same = same && object == all[at++]; });
    REQUIRE(same);
    const std::string ns = "ns" + std::to_string(w.pick(6));
    REQUIRE(values(seen.select(cache_query().in_namespace(ns))) == values(wanted, ns));
    for (int i = 0; i < 5; ++i) {
        const auto key = w.key(700);
        const auto found = wanted.find(key);
        const any_object* const object = seen.find(key);
        REQUIRE((object != nullptr) == (found != wanted.end()));
        if (object != nullptr) REQUIRE(*object == found->second);
    }
}

void check_index(const store_snapshot& seen, const model& wanted) {
    for (const char* colour : {"", "blue", "green", "red", "none"}) {
        std::vector<any_object> expected;
        for (const auto& [key, object] : wanted) {
            if (object.get<thing>().colour == colour) expected.push_back(object);
        }
        const auto found = seen.by_index("colour", colour);
        REQUIRE(found.has_value());
        REQUIRE(values(*found) == expected);
    }
}

// What a scan finds must be what an index finds.
void check_selectors(const store_snapshot& seen, const model& wanted, world& w) {
    static constexpr const char* selectors[] = {
        "app=1", "app in (0,3)", "app in (1,2,7),tier=2", "app=9", "tier!=1",
        "!app",  "app,tier=0",   "app notin (1)",         "",      "app=1,app=2"};
    const auto selector = *label_selector::parse(selectors[w.pick(std::size(selectors))]);
    const std::string ns = w.pick(2) == 0 ? std::string() : "ns" + std::to_string(w.pick(5));
    std::vector<any_object> expected;
    for (const auto& object : values(wanted, ns)) {
        std::map<std::string, std::string> labels;
        for (const auto& [key, value] : object.meta().labels) labels.emplace(key.str(), value.str());
        if (selector.matches(labels)) expected.push_back(object);
    }
    REQUIRE(values(seen.select(cache_query().in_namespace(ns).labels(selector))) == expected);
}

void play(unsigned seed, int steps, std::size_t among) {
    CAPTURE(seed);
    world w(seed);
    {
        auto s = std::make_unique<store>();
        model m;
        std::deque<std::pair<store_snapshot, model>> held;
        store_index by_colour, by_app;
        for (int step = 0; step < steps; ++step) {
            CAPTURE(step);
            const auto key = w.key(among);
            switch (w.pick(40)) {
            case 0: {  // a list: some stay, some change, some go, some come
                model next;
                std::vector<any_object> all;
                for (const auto& [k, object] : m) {
                    const auto what = w.pick(4);
                    if (what != 0) next[k] = what == 1 ? w.make(k) : object;
                }
                for (std::size_t i = w.pick(among); i > 0; --i) {
                    const auto fresh = w.key(among);
                    next[fresh] = w.make(fresh);
                }
                for (const auto& [k, object] : next) all.push_back(object);
                if (w.pick(2) == 0) std::reverse(all.begin(), all.end());
                s->replace(store_content(std::move(all)), false);
                m = std::move(next);
                break;
            }
            case 1:
                by_colour = by_colour ? store_index() : *s->add_index("colour", index_rule::of<thing>(colour_of));
                break;
            case 2: by_app = by_app ? store_index() : *s->add_index("app", index_by_label("app")); break;
            case 3:
                if (!held.empty()) held.erase(held.begin() + static_cast<std::ptrdiff_t>(w.pick(held.size())));
                break;
            case 4:
            case 5: held.emplace_back(s->snapshot(), m); break;
            case 6: held.emplace_back(store_snapshot(s->snapshot()), m); break;
            default:
                if (w.pick(3) == 0) {
                    if (const auto found = m.find(key); found != m.end()) {
                        s->remove(found->second);
                        m.erase(found);
                    }
                } else {
                    auto object = w.make(key);
                    s->apply(object);
                    m[key] = std::move(object);
                }
            }
            const auto now = s->snapshot();
            check_equal(now, m, w);
            check_selectors(now, m, w);
            if (by_colour) check_index(now, m);
            REQUIRE(s->get(key) == (m.contains(key) ? m[key] : any_object()));
            if (!held.empty()) {
                const auto& [then, model_then] = held[w.pick(held.size())];
                check_equal(then, model_then, w);
                check_selectors(then, model_then, w);
                if (then.by_index("colour", "")) check_index(then, model_then);
            }
            if (held.size() > 12) held.pop_front();
            // What lives is what the store or a snapshot shows, and nothing else.
            if (step % 16 == 0) {
                std::vector<const void*> shown;
                for (const auto& [k, object] : m) shown.push_back(object.address());
                for (const auto& [snapshot, then] : held) {
                    for (const auto& [k, object] : then) shown.push_back(object.address());
                }
                std::sort(shown.begin(), shown.end());
                shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
                REQUIRE(static_cast<std::size_t>(*w.living) == shown.size());
            }
        }
        // They outlive the store.
        s.reset();
        for (const auto& [then, model_then] : held) check_equal(then, model_then, w);
    }
    CHECK(*w.living == 0);
}

}  // namespace

TEST_CASE("store: snapshots never change, whatever is written, and hold what they show and nothing else") {
    SUBCASE("few keys") {
        for (unsigned seed = 1; seed <= 20; ++seed) play(seed, 150, 12);
    }
    SUBCASE("more") {
        for (unsigned seed = 1; seed <= 3; ++seed) play(seed, 200, 700);
    }
}

TEST_CASE("store: what a snapshot alone shows is freed with it, without another write") {
    world w(1);
    store s;
    s.replace(store_content({w.make({"a", "1"}), w.make({"a", "2"})}), true);
    auto first = s.snapshot();
    s.replace(store_content(), false);
    CHECK(*w.living == 2);
    auto second = first;
    first = {};
    CHECK(*w.living == 2);
    second = s.snapshot();
    CHECK(*w.living == 0);
    CHECK(second.empty());
}

TEST_CASE("store: a snapshot that is held for long keeps nothing that came and went since") {
    world w(1);
    store s;
    s.apply(w.make({"a", "1"}));
    const auto old = s.snapshot();
    for (int i = 0; i < 100; ++i) {
        s.apply(w.make({"a", "1"}));
        const auto brief = s.snapshot();
        CHECK(brief.size() == 1);
    }
    CHECK(*w.living == 2);
}

TEST_CASE("store: a snapshot of nothing is empty") {
    const store_snapshot none;
    CHECK(none.empty());
    CHECK(none.find("a", "1") == nullptr);
    CHECK(none.select().empty());
    CHECK(none.by_index("x", "y").error() == errc::invalid_argument);
}

TEST_CASE("store: a great many reads between two writes are counted right") {
    world w(1);
    store s;
    s.apply(w.make({"a", "1"}));
    const auto held = s.snapshot();
    // More than the word that readers count in has room for at once.
    for (int i = 0; i < 600'000; ++i) {
        if (s.size() != 1) FAIL("no object");
    }
    std::vector<store_snapshot> many(300'000, s.snapshot());
    for (auto& one : many) one = s.snapshot();
    s.replace(store_content(), false);
    CHECK(*w.living == 1);
    many.clear();
    CHECK(held.size() == 1);
    CHECK(*w.living == 1);
}

TEST_CASE("store: a write that finds no memory changes nothing") {
    world w(1);
    store s;
    int room = 1000;
    const auto index = s.add_index("scarce", index_rule::of<thing>([&](const thing& t) {
                                       if (room-- <= 0) throw std::bad_alloc();
                                       return t.colour;
                                   }));
    REQUIRE(index.has_value());
    s.apply(w.make({"a", "1"}));
    s.apply(w.make({"b", "1"}));
    const auto before = values(s.snapshot().select());
    const int living = *w.living;
    room = 0;
    CHECK_THROWS_AS(s.apply(w.make({"a", "1"})), std::bad_alloc);
    CHECK_THROWS_AS(s.apply(w.make({"a", "2"})), std::bad_alloc);
    CHECK_THROWS_AS(s.replace(store_content({w.make({"c", "1"})}), false), std::bad_alloc);
    CHECK_THROWS_AS(
        (void)s.add_index("more", index_rule::of<thing>([&](const thing&) -> std::string { throw std::bad_alloc(); })),
        std::bad_alloc);
    CHECK(values(s.snapshot().select()) == before);
    CHECK(*w.living == living);
    room = 1000;
    s.remove(before.front());
    s.apply(w.make({"a", "2"}));
    CHECK(s.get({"a", "2"}));
    CHECK(s.get({"a", "1"}) == any_object());
    CHECK(s.size() == 2);
}
