// Own writes that a cache has yet to show: what each read does, as tables, and against a model of a server and a cache.
#include <kcontrol/cluster/detail/pending_writes.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using detail::cache_view;
using detail::own_writes_plan;
using detail::pending_writes;
using step = own_writes_plan::step;

const namespaced_name x("default", "x"), y("other", "y"), all_of_default("default", ""), everything;

object_meta meta_of(const namespaced_name& key, const std::string& version, const std::string& uid = "u1") {
    object_meta out;
    out.namespace_ = key.namespace_;
    out.name = key.name;
    out.resource_version = version;
    out.uid = uid;
    return out;
}

any_object object_of(const object_meta& meta) {
    auto made = std::make_shared<test::widget>();
    made->metadata = meta;
    return any_object(std::shared_ptr<const test::widget>(made));
}

// "answer", or what is waited for: a deletion begins with "-".
std::string text_of(const own_writes_plan& plan) {
    if (plan.next == step::answer) return "answer";
    if (plan.next == step::ask_server) return "ask";
    std::string out;
    for (const auto& one : plan.awaited) {
        out += (out.empty() ? "" : " ") + std::string(one.deleted ? "-" : "") + one.of.name.str() + "@" +
               one.of.resource_version.str();
    }
    return out;
}

struct fixture {
    pending_writes writes{1s};
    time_point now{1h};
    std::string passed = "10";
    std::map<namespaced_name, any_object> cached;

    cache_view view() const {
        return {passed, [this](const namespaced_name& key) {
                    const auto found = cached.find(key);
                    return found == cached.end() ? any_object() : found->second;
                }};
    }
    void show(const object_meta& meta) { cached[key_of(meta)] = object_of(meta); }
    void wrote(const namespaced_name& key, const std::string& version, const std::string& uid = "u1") {
        writes.wrote(meta_of(key, version, uid), view(), now);
    }
    void deleted(const namespaced_name& key) { writes.deleted(key, view(), now); }
    std::string plan(const namespaced_name& wanted) { return text_of(writes.plan(wanted, view(), now)); }
};

TEST_CASE_FIXTURE(fixture, "pending writes: what a cache has to show before it answers, as a table") {
    struct row {
        const char* what;
        const char* written;  // version
        const char* passed;   // how far the cache is
        const char* present;  // the version that it has; empty: no object
        const char* get;
    };
    const row rows[] = {
        {"the event has come", "12", "12", "12", "answer"},
        {"the cache is behind, and has an older version", "12", "10", "10", "x@12"},
        {"the cache is behind, and has no such object", "12", "10", "", "x@12"},
        {"a later event of another object has come", "12", "13", "10", "answer"},
        {"it was deleted since", "12", "13", "", "answer"},
        {"the object is newer than the watch is known to be", "12", "", "12", "answer"},
        {"nothing is known of the watch", "12", "", "10", "x@12"},
        {"a version of more digits", "9", "10", "", "answer"},
        {"a version without an order, and another one", "b", "10", "a", "x@b"},
        {"a version without an order, and that one", "b", "10", "b", "answer"},
        {"a version without an order, and no object", "b", "10", "", "x@b"},
    };
    for (const row& one : rows) {
        CAPTURE(one.what);
        fixture f;
        f.passed = "1";
        f.wrote(x, one.written);
        CHECK(f.writes.size() == 1);
        f.passed = one.passed;
        if (*one.present != 0) f.show(meta_of(x, one.present));
        CHECK(f.plan(x) == one.get);
        CHECK(f.plan(all_of_default) == one.get);
        CHECK(f.writes.empty() == (std::string(one.get) == "answer"));
        // It is the same if the cache has come so far before the answer to the write.
        fixture fast;
        fast.passed = one.passed;
        fast.cached = f.cached;
        fast.wrote(x, one.written);
        CHECK(fast.plan(x) == one.get);
    }
}

TEST_CASE_FIXTURE(fixture, "pending writes: what a cache has to show of a deletion, as a table") {
    struct row {
        const char* what;
        const char* passed;
        const char* present;  // the version that it has; empty: no object
        const char* uid;
        bool terminating;
        const char* get;
    };
    const row rows[] = {
        {"the object is there", "10", "8", "u1", false, "-x@8"},
        {"a later event of another object has come", "20", "8", "u1", false, "-x@8"},
        {"the object was written since", "20", "20", "u1", false, "-x@8"},
        {"it waits for its finalizers", "20", "20", "u1", true, "answer"},
        {"it is gone", "20", "", "", false, "answer"},
        {"another of its name has come", "20", "20", "u2", false, "answer"},
    };
    for (const row& one : rows) {
        CAPTURE(one.what);
        fixture f;
        f.show(meta_of(x, "8"));
        f.deleted(x);
        f.cached.clear();
        f.passed = one.passed;
        object_meta present = meta_of(x, one.present, one.uid);
        if (one.terminating) present.deletion_timestamp = wall_time(1s);
        if (*one.present != 0) f.show(present);
        CHECK(f.plan(x) == one.get);
        CHECK(f.plan(everything) == one.get);
    }
}

TEST_CASE_FIXTURE(fixture, "pending writes: an own object that is deleted before the cache has shown it") {
    wrote(x, "12");
    deleted(x);
    CHECK(plan(x) == "-x@12");
    passed = "12";
    show(meta_of(x, "12"));
    CHECK(plan(x) == "-x@12");
    passed = "13";
    cached.clear();
    CHECK(plan(x) == "answer");
    CHECK(writes.empty());
}

TEST_CASE_FIXTURE(fixture, "pending writes: a deletion of what neither the cache nor an own write knows is none") {
    deleted(x);
    CHECK(writes.empty());
    // What is on its way out already is shown.
    object_meta terminating = meta_of(x, "8");
    terminating.deletion_timestamp = wall_time(1s);
    show(terminating);
    deleted(x);
    CHECK(writes.empty());
}

TEST_CASE_FIXTURE(fixture, "pending writes: a deletion of versions without an order ends with the object") {
    show(meta_of(x, "b"));
    deleted(x);
    CHECK(plan(x) == "-x@b");
    cached.clear();
    passed = "";
    CHECK(plan(x) == "answer");
}

TEST_CASE_FIXTURE(fixture, "pending writes: a read waits for its own object or namespace, the newest write first") {
    wrote(x, "12");
    now += 1ms;
    wrote({"default", "z"}, "13");
    now += 1ms;
    wrote(y, "14");
    CHECK(plan(x) == "x@12");
    CHECK(plan({"default", "other"}) == "answer");
    CHECK(plan({"other", "x"}) == "answer");
    CHECK(plan(all_of_default) == "z@13 x@12");
    CHECK(plan({"third", ""}) == "answer");
    CHECK(plan(everything) == "y@14 z@13 x@12");
    passed = "13";
    CHECK(plan(everything) == "y@14");
}

TEST_CASE_FIXTURE(fixture, "pending writes: of an object the newest write counts, in whatever order answers come") {
    wrote(x, "12");
    wrote(x, "15");
    wrote(x, "13");
    CHECK(plan(x) == "x@15");
    deleted(x);
    CHECK(plan(x) == "-x@15");
    wrote(x, "18", "u2");
    CHECK(plan(x) == "x@18");
}

TEST_CASE_FIXTURE(fixture, "pending writes: a wait that ended well is over, unless there was another write meanwhile") {
    wrote(x, "b");
    const auto first = writes.plan(x, view(), now).awaited.at(0);
    wrote(x, "c");
    writes.shown(first);
    CHECK(plan(x) == "x@c");
    writes.shown(writes.plan(x, view(), now).awaited.at(0));
    CHECK(plan(x) == "answer");
    writes.shown(first);
    CHECK(writes.empty());
}

TEST_CASE_FIXTURE(fixture, "pending writes: after its time the server is asked at once, and a minute later no more") {
    wrote(x, "12");
    CHECK(writes.deadline_of(writes.plan(x, view(), now).awaited.at(0)) == now + 1s);
    now += 999ms;
    CHECK(plan(x) == "x@12");
    wrote(y, "13");
    now += 1ms;
    CHECK(plan(x) == "ask");
    CHECK(plan(y) == "y@13");
    CHECK(plan(everything) == "ask");
    CHECK(plan({"default", "other"}) == "answer");
    now += pending_writes::lifetime - 1ms;
    CHECK(plan(x) == "ask");
    now += 1ms;
    CHECK(plan(x) == "answer");
    passed = "11";
    CHECK(plan(y) == "ask");
    CHECK(writes.size() == 1);
}

TEST_CASE_FIXTURE(fixture, "pending writes: there is a bound, and what is dropped makes all reads ask the server") {
    for (std::size_t i = 0; i <= pending_writes::most; ++i) {
        now += 1us;
        CHECK(plan({"default", "other"}) == "answer");
        wrote({"default", "n" + std::to_string(i)}, std::to_string(100 + i));
    }
    CHECK(writes.size() == pending_writes::most);
    CHECK(plan({"default", "other"}) == "ask");
    now += 1s + pending_writes::lifetime;
    passed = "100000";
    CHECK(plan({"default", "other"}) == "answer");
    CHECK(writes.empty());
}

// A server with a history, a cache that shows a beginning of it, and this program and others, who write. A read is to
// wait for exactly the objects whose last own write the cache has yet to show.
class model {
public:
    explicit model(std::uint64_t seed) : random_(seed) {}

    void step() {
        now_ += std::chrono::milliseconds(1 + below(400));
        const namespaced_name key(below(2) == 0 ? "default" : "other",
                                  std::string(1, static_cast<char>('a' + below(3))));
        switch (below(8)) {
        case 0: write(key, true); break;
        case 1: write(key, false); break;
        case 2: remove(key, true); break;
        case 3: remove(key, false); break;
        case 4:
        case 5: shown_ += std::min<std::size_t>(below(3), history_.size() - shown_); break;
        case 6: shown_ = history_.size(); break;
        default: break;
        }
        check(key);
        check({key.namespace_, ""});
        check({});
    }

private:
    struct change {
        namespaced_name key;
        object_meta meta;
        bool removed = false;
    };
    struct own {
        std::size_t at = 0;  // in the history
        std::string uid;
        time_point since;
    };

    std::size_t below(std::size_t bound) { return random_() % bound; }
    any_object state(const namespaced_name& key, std::size_t length) const {
        for (std::size_t i = length; i-- > 0;) {
            if (history_[i].key == key) return history_[i].removed ? any_object() : object_of(history_[i].meta);
        }
        return {};
    }
    cache_view view() const {
        return {std::to_string(9 + shown_), [this](const namespaced_name& key) { return state(key, shown_); }};
    }
    void add(const namespaced_name& key, object_meta meta, bool removed) {
        meta.resource_version = std::to_string(10 + history_.size());
        change one;
        one.key = key;
        one.meta = std::move(meta);
        one.removed = removed;
        history_.push_back(std::move(one));
        // A watch may be faster than the answer.
        if (below(4) == 0) shown_ = history_.size();
    }
    void write(const namespaced_name& key, bool mine) {
        const any_object present = state(key, history_.size());
        object_meta meta = present ? present.meta() : meta_of(key, "", "u" + std::to_string(history_.size()));
        add(key, std::move(meta), false);
        if (!mine) return;
        const change& made = history_.back();
        writes_.wrote(made.meta, view(), now_);
        note(key, made.meta.uid.str());
    }
    void remove(const namespaced_name& key, bool mine) {
        const any_object present = state(key, history_.size());
        if (!present) return;
        const std::string uid = present.meta().uid.str();
        object_meta meta = present.meta();
        const bool held = !meta.deletion_timestamp.present() && below(3) == 0;  // by a finalizer
        // What goes when its finalizers go, and of what this program never heard, is no deletion of its own.
        mine = mine && !meta.deletion_timestamp.present() && knows(key, uid);
        meta.deletion_timestamp = wall_time(1s);
        add(key, std::move(meta), !held);
        if (!mine) return;
        writes_.deleted(key, view(), now_);
        note(key, uid);
    }
    void note(const namespaced_name& key, const std::string& uid) {
        own& mine = own_[key];
        mine.at = history_.size() - 1;
        mine.uid = uid;
        mine.since = now_;
    }
    bool knows(const namespaced_name& key, const std::string& uid) const {
        const auto mine = own_.find(key);
        if (mine != own_.end() && mine->second.at >= shown_) return mine->second.uid == uid;
        const any_object present = state(key, shown_);
        return present && present.meta().uid == uid;
    }
    void check(const namespaced_name& wanted) {
        std::set<std::string> missing;
        bool late = false;
        for (const auto& [key, mine] : own_) {
            const bool meant =
                wanted.name.empty() ? wanted.namespace_.empty() || wanted.namespace_ == key.namespace_ : wanted == key;
            if (!meant || mine.at < shown_ || now_ - mine.since >= 1s + pending_writes::lifetime) continue;
            missing.insert(to_string(key));
            late = late || now_ - mine.since >= 1s;
        }
        const auto plan = writes_.plan(wanted, view(), now_);
        std::set<std::string> awaited;
        for (const auto& one : plan.awaited) awaited.insert(to_string(key_of(one.of)));
        CHECK(awaited == missing);
        CHECK(plan.next == (late ? step::ask_server : (missing.empty() ? step::answer : step::wait)));
    }

    std::mt19937_64 random_;
    time_point now_{1h};
    std::vector<change> history_;
    std::size_t shown_ = 0;  // of the history, by the cache
    std::map<namespaced_name, own> own_;
    pending_writes writes_{1s};
};

TEST_CASE("pending writes: any sequence of writes and events, against a model") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        model m(seed);
        for (int i = 0; i < 150; ++i) m.step();
    }
}

}  // namespace
