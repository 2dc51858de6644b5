// Own writes that a cache has yet to show: what each read does, as tables, and against a model of a server and a cache.
#include <kcontrol/cluster/detail/pending_writes.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
using detail::own_change;
using detail::own_write;
using detail::own_writes_plan;
using detail::pending_writes;
using detail::selection;
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

// As the answer to the removal of a last finalizer has it.
object_meta released(object_meta meta) {
    meta.deletion_timestamp = wall_time(1s);
    meta.deletion_grace_period_seconds = 0;
    return meta;
}

// "answer", or what is waited for: a deletion begins with "-", the end of an object with "!".
std::string text_of(const own_writes_plan& plan) {
    if (plan.next == step::answer) return "answer";
    if (plan.next == step::ask_server) return "ask";
    std::string out;
    for (const auto& one : plan.awaited) {
        constexpr const char* marks[] = {"", "-", "!"};
        out += (out.empty() ? "" : " ") + std::string(marks[static_cast<std::size_t>(one.change)]) + one.of.name.str() +
               "@" + one.of.resource_version.str();
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
    void wrote(const object_meta& meta, selection selected = selection::yes) {
        writes.wrote(meta, selected, view(), now);
    }
    void wrote(const namespaced_name& key, const std::string& version, const std::string& uid = "u1") {
        wrote(meta_of(key, version, uid));
    }
    void deleted(const namespaced_name& key) { writes.deleted(meta_of(key, "", ""), view(), now); }
    void deleted(const object_meta& answer) { writes.deleted(answer, view(), now); }
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

TEST_CASE_FIXTURE(fixture,
                  "pending writes: the update that takes off the last finalizer is shown by the object's end") {
    struct row {
        const char* what;
        const char* passed;
        const char* present;  // the version that it has; empty: no object
        const char* uid;
        const char* get;
    };
    const row rows[] = {
        {"the object is there, marked", "10", "8", "u1", "!x@8"},
        {"a later event of another object has come", "20", "8", "u1", "!x@8"},
        {"it is gone", "20", "", "", "answer"},
        {"another of its name has come", "20", "20", "u2", "answer"},
    };
    for (const row& one : rows) {
        CAPTURE(one.what);
        fixture f;
        f.show(released(meta_of(x, "8")));
        f.wrote(released(meta_of(x, "8")));  // with the version before it
        f.cached.clear();
        f.passed = one.passed;
        if (*one.present != 0) f.show(released(meta_of(x, one.present, one.uid)));
        CHECK(f.plan(x) == one.get);
        CHECK(f.plan(everything) == one.get);
    }
    // A deletion that is acknowledged later, and answers to writes that were done before, do not bring it back.
    show(released(meta_of(x, "8")));
    wrote(released(meta_of(x, "8")));
    deleted(x);
    wrote(x, "7");
    wrote(x, "9");
    object_meta held = released(meta_of(x, "10"));
    held.finalizers.push_back("test/held");
    wrote(held);
    passed = "30";
    CHECK(plan(x) == "!x@10");
    cached.clear();
    CHECK(plan(x) == "answer");
    // An object that waits for its finalizers, or for its grace, has not gone.
    CHECK_FALSE(detail::is_removed(held));
    object_meta graceful = released(meta_of(x, "8"));
    graceful.deletion_grace_period_seconds = 30;
    CHECK_FALSE(detail::is_removed(graceful));
    CHECK_FALSE(detail::is_removed(meta_of(x, "8")));
    CHECK(detail::is_removed(released(meta_of(x, "8"))));
}

TEST_CASE_FIXTURE(fixture, "pending writes: the last finalizer of an object that the cache has yet to show") {
    wrote(x, "12");
    wrote(released(meta_of(x, "12")));
    CHECK(plan(x) == "!x@12");
    passed = "12";
    show(meta_of(x, "12"));
    CHECK(plan(x) == "!x@12");
    cached.clear();
    passed = "13";
    CHECK(plan(x) == "answer");
    // The end of a former object of that name says nothing of the present one.
    wrote(x, "15", "u2");
    wrote(released(meta_of(x, "12")));
    CHECK(plan(x) == "x@15");
}

TEST_CASE_FIXTURE(fixture, "pending writes: a late answer to a patch leaves an accepted deletion") {
    show(meta_of(x, "8"));
    deleted(x);
    wrote(x, "12");  // done before it
    CHECK(plan(x) == "-x@12");
    passed = "12";
    show(meta_of(x, "12"));
    CHECK(plan(x) == "-x@12");
    // One that was done after it has the mark.
    object_meta held = meta_of(x, "14");
    held.deletion_timestamp = wall_time(1s);
    held.finalizers.push_back("test/held");
    wrote(held);
    CHECK(plan(x) == "x@14");
}

TEST_CASE_FIXTURE(fixture, "pending writes: of an object that has left the selection only its end is shown") {
    show(meta_of(x, "8"));
    wrote(meta_of(x, "12"), selection::no);
    CHECK(plan(x) == "x@12");
    // The watch reports that write and none after it.
    wrote(meta_of(x, "14"), selection::no);
    CHECK(plan(x) == "x@12");
    cached.clear();
    passed = "12";
    wrote(meta_of(x, "16"), selection::no);
    CHECK(writes.empty());
    wrote(meta_of(x, "18"), selection::no);
    CHECK(writes.empty());

    // Another writer has had it leave before: its version is not known, but that it is no more there.
    show(meta_of(x, "20"));
    wrote(meta_of(x, "25"), selection::no);
    CHECK(plan(x) == "x@25");
    cached.clear();
    passed = "24";
    CHECK(plan(x) == "answer");

    // It comes back.
    show(meta_of(x, "30"));
    passed = "30";
    wrote(meta_of(x, "32"), selection::no);
    wrote(meta_of(x, "34"));
    CHECK(plan(x) == "x@34");
    passed = "34";
    CHECK(plan(x) == "answer");

    // Another object of its name is not selected: the one before it has gone.
    show(meta_of(x, "35"));
    wrote(meta_of(x, "38", "u2"), selection::no);
    CHECK(plan(x) == "!x@35");
    wrote(meta_of(x, "39", "u3"), selection::no);
    CHECK(plan(x) == "!x@35");
    cached.clear();
    passed = "37";
    CHECK(plan(x) == "answer");

    // One that the cache has yet to show.
    wrote(y, "40");
    wrote(meta_of(y, "42"), selection::no);
    CHECK(plan(y) == "y@42");
    passed = "40";
    show(meta_of(y, "40"));
    CHECK(plan(y) == "y@42");
    cached.clear();
    CHECK(plan(y) == "answer");
}

TEST_CASE_FIXTURE(fixture, "pending writes: what fields decide counts if the cache has the object, or is to show it") {
    wrote(meta_of(x, "12"), selection::perhaps);
    wrote(meta_of(x, "12"), selection::no);
    CHECK(writes.empty());
    show(meta_of(x, "8"));
    wrote(meta_of(x, "12"), selection::perhaps);
    CHECK(plan(x) == "x@12");
    cached.clear();
    wrote(y, "13");
    wrote(meta_of(y, "14"), selection::perhaps);
    CHECK(plan(y) == "y@14");
}

TEST_CASE_FIXTURE(fixture, "pending writes: of versions without an order the end of an object that was there says so") {
    show(meta_of(x, "a"));
    wrote(x, "b");
    show(meta_of(x, "c"));
    CHECK(plan(x) == "x@b");
    cached.clear();
    CHECK(plan(x) == "answer");
    // One that it has never had is perhaps to come.
    wrote(x, "d", "u2");
    CHECK(plan(x) == "x@d");
    show(meta_of(x, "c", "u2"));
    CHECK(plan(x) == "x@d");
    cached.clear();
    CHECK(plan(x) == "answer");
}

TEST_CASE_FIXTURE(fixture, "pending writes: a deletion is of the object whose uid the server says") {
    show(meta_of(x, "8"));
    deleted(meta_of(x, "", "u2"));  // another has made u2 of the same name
    CHECK(plan(x) == "ask");
    cached.clear();  // u1 has gone, and u2 is to come and to go
    passed = "20";
    CHECK(plan(x) == "ask");
    show(meta_of(x, "21", "u2"));
    passed = "21";
    CHECK(plan(x) == "ask");
    cached.clear();
    passed = "22";
    CHECK(plan(x) == "answer");
    CHECK(writes.empty());
    // A list of the server's is an end as well, if it was sent later.
    show(meta_of(x, "24"));
    deleted(meta_of(x, "", "u2"));
    writes.listed("30", now);
    passed = "30";
    CHECK(plan(x) == "ask");
    writes.listed("30", now + 1ns);
    CHECK(plan(x) == "answer");
    // The answer may have a version.
    deleted(meta_of(x, "40", "u3"));
    CHECK(plan(x) == "-x@40");
    passed = "40";
    CHECK(plan(x) == "answer");
    // The own write was of the same object, and what is repeated has no more time.
    wrote(y, "50");
    deleted(meta_of(y, "", "u1"));
    now += 900ms;
    deleted(meta_of(y, "", "u1"));
    CHECK(plan(y) == "-y@50");
    now += 100ms;
    CHECK(plan(y) == "ask");
}

TEST_CASE_FIXTURE(fixture, "pending writes: versions without an order end with what the server answers") {
    wrote(x, "b");
    writes.answered(x, nullptr, now);  // the read was sent before
    CHECK(plan(x) == "x@b");
    const object_meta later = meta_of(x, "c");
    writes.answered(x, &later, now + 1ns);
    CHECK(plan(x) == "x@c");
    show(later);
    CHECK(plan(x) == "answer");
    cached.clear();
    wrote(x, "d", "u2");
    writes.answered(x, nullptr, now + 1ns);
    CHECK(plan(x) == "answer");
    // Those that have one are compared.
    wrote(x, "30");
    const object_meta other = meta_of(x, "40");
    writes.answered(x, &other, now + 1ns);
    writes.answered(x, nullptr, now + 1ns);
    writes.answered(y, nullptr, now + 1ns);
    CHECK(plan(x) == "x@30");
}

TEST_CASE_FIXTURE(fixture,
                  "pending writes: while an overdue version is not shown, later ones of the object have no time") {
    wrote(x, "12");
    now += 500ms;
    wrote(x, "14");
    CHECK(plan(x) == "x@14");
    now += 1s;
    CHECK(plan(x) == "ask");
    wrote(x, "16");
    wrote(y, "17");
    CHECK(plan(x) == "ask");
    CHECK(plan(y) == "y@17");
    wrote(x, "18");
    CHECK(plan(x) == "ask");
    passed = "14";
    CHECK(plan(x) == "x@18");
    wrote(x, "20");
    CHECK(plan(x) == "x@20");
}

TEST_CASE_FIXTURE(fixture, "pending writes: what is passed is seen without a look at an object") {
    for (int i = 0; i < 100; ++i) wrote({"default", "n" + std::to_string(i)}, std::to_string(100 + i));
    std::size_t looks = 0;
    const cache_view counted("199", [&](const namespaced_name&) {
        ++looks;
        return any_object();
    });
    CHECK(text_of(writes.plan(everything, counted, now)) == "answer");
    CHECK(looks == 0);
    CHECK(writes.empty());
    // Nor do writes that are yet to come cost a read of another object one.
    for (int i = 0; i < 100; ++i) wrote({"default", "n" + std::to_string(i)}, std::to_string(300 + i));
    const cache_view next("200", counted.get);
    CHECK(text_of(writes.plan(y, next, now)) == "answer");
    CHECK(looks == 0);
}

TEST_CASE("pending writes: no patience is too long") {
    fixture f;
    f.writes = pending_writes(duration::max());
    f.wrote(x, "12");
    CHECK(f.plan(x) == "x@12");
    f.now += pending_writes::most_patience;
    CHECK(f.plan(x) == "ask");
    f.writes = pending_writes(duration::min());
    f.wrote(x, "13");
    CHECK(f.plan(x) == "ask");
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
    const namespaced_name other("default", "other");
    const auto fill = [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
            now += 1us;
            wrote({"default", "n" + std::to_string(i)}, std::to_string(100 + i));
        }
    };
    fill(0, pending_writes::most);
    CHECK(plan(other) == "answer");
    fill(pending_writes::most, 2);
    CHECK(writes.size() == pending_writes::most);
    CHECK(plan(other) == "ask");
    // It is over when the cache has those that were dropped.
    passed = "100";
    CHECK(plan(other) == "ask");
    passed = "101";
    CHECK(plan(other) == "answer");
    CHECK(writes.size() == pending_writes::most);
    fill(pending_writes::most + 2, 1);
    CHECK(plan(other) == "ask");
    now += 1s + pending_writes::lifetime;
    passed = "100000";
    CHECK(plan(other) == "answer");
    CHECK(writes.empty());
}

TEST_CASE_FIXTURE(fixture, "pending writes: a deletion that is dropped ends with the next list of the server's") {
    const auto remove = [&](std::size_t i) {
        const namespaced_name key("default", "n" + std::to_string(i));
        show(meta_of(key, "8"));
        now += 1us;
        deleted(key);
    };
    for (std::size_t i = 0; i <= pending_writes::most; ++i) remove(i);
    CHECK(plan(y) == "ask");
    passed = "50";
    CHECK(plan(y) == "ask");
    writes.listed("60", now + 1ns);
    CHECK(plan(y) == "ask");
    passed = "60";
    CHECK(plan(y) == "answer");
    // So does what may have been deleted.
    cached.clear();
    CHECK(plan(everything) == "answer");
    writes.lost(now);
    CHECK(plan(y) == "ask");
    writes.listed("70", now);
    passed = "80";
    CHECK(plan(y) == "ask");
    writes.listed("90", now + 1ns);
    passed = "90";
    CHECK(plan(y) == "answer");
    CHECK(writes.empty());
}

// A server with a history, a cache that shows a beginning of it, and this program and others, who write; objects have
// finalizers, and answers to own writes may be late, unless the cache selects. A read is to wait for exactly the
// objects whose last own write the cache has yet to show. A cache that selects is not notified of what it does not
// select: there a read may wait for more, until a bookmark comes.
class model {
public:
    model(std::uint64_t seed, bool selects) : random_(seed), selects_(selects) {}

    void step() {
        now_ += std::chrono::milliseconds(1 + below(400));
        const namespaced_name key(below(2) == 0 ? "default" : "other",
                                  std::string(1, static_cast<char>('a' + below(3))));
        switch (below(10)) {
        case 0: write(key, true); break;
        case 1: write(key, false); break;
        case 2: remove(key, true); break;
        case 3: remove(key, false); break;
        case 4: release(key); break;
        case 5: answer(); break;
        case 6:
        case 7: show(shown_ + std::min<std::size_t>(below(3), history_.size() - shown_)); break;
        case 8:
            show(history_.size());
            passed_ = shown_;  // as a bookmark has it
            break;
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
        bool selected = true;
        bool reported = true;  // by a watch of what is selected
    };
    struct own {
        std::size_t at = 0;  // in the history
        std::string uid;
        time_point since;
    };

    std::size_t below(std::size_t bound) { return random_() % bound; }
    const change* last(const namespaced_name& key, std::size_t length) const {
        for (std::size_t i = length; i-- > 0;) {
            if (history_[i].key == key) return history_[i].removed ? nullptr : &history_[i];
        }
        return nullptr;
    }
    any_object cached(const namespaced_name& key) const {
        const change* const one = last(key, shown_);
        return one != nullptr && one->selected ? object_of(one->meta) : any_object();
    }
    cache_view view() const {
        return {std::to_string(9 + passed_), [this](const namespaced_name& key) { return cached(key); }};
    }
    void show(std::size_t length) {
        for (; shown_ < length; ++shown_) {
            if (history_[shown_].reported) passed_ = shown_ + 1;
        }
    }
    // Other writers leave the selection as it is.
    void add(const namespaced_name& key, object_meta meta, bool removed, bool mine) {
        const change* const before = last(key, history_.size());
        const bool was_selected = before == nullptr ? !removed : before->selected;
        const bool was_shown = before != nullptr && was_selected;
        meta.resource_version = std::to_string(10 + history_.size());
        change one;
        one.key = key;
        one.meta = std::move(meta);
        one.removed = removed;
        one.selected = removed || !mine ? was_selected : !selects_ || below(2) == 0;
        one.reported = one.selected || was_shown;
        history_.push_back(std::move(one));
        // A watch may be faster than the answer.
        if (below(4) == 0) show(history_.size());
    }
    void write(const namespaced_name& key, bool mine) {
        const change* const present = last(key, history_.size());
        object_meta meta = present != nullptr ? present->meta : meta_of(key, "", "u" + std::to_string(history_.size()));
        add(key, std::move(meta), false, mine);
        if (!mine) return;
        answers_.push_back(history_.size() - 1);
        if (selects_ || below(2) == 0) answer();
    }
    // The answer to any own write that has none yet.
    void answer() {
        if (answers_.empty()) return;
        const auto which = answers_.begin() + static_cast<std::ptrdiff_t>(below(answers_.size()));
        const std::size_t at = *which;
        answers_.erase(which);
        const change& made = history_[at];
        wrote(made.meta, made.selected, at);
    }
    void remove(const namespaced_name& key, bool mine) {
        const change* const present = last(key, history_.size());
        if (present == nullptr) return;
        object_meta meta = present->meta;
        if (meta.deletion_timestamp.present()) return;
        const bool held = below(2) == 0;
        mine = mine && knows(key, meta.uid.str());  // else it is none to wait for
        meta = released(meta);
        if (held) meta.finalizers.push_back("test/held");
        add(key, meta, !held, false);
        if (!mine) return;
        object_meta answered = meta_of(key, "", meta.uid.str());  // as a Status has it
        if (held) answered = history_.back().meta;
        writes_.deleted(answered, view(), now_);
        note(key, history_.size() - 1);
    }
    // An own update takes off the last finalizer.
    void release(const namespaced_name& key) {
        const change* const present = last(key, history_.size());
        if (present == nullptr || !present->meta.deletion_timestamp.present()) return;
        object_meta meta = present->meta;
        meta.finalizers = {};
        const bool selected = present->selected;
        add(key, meta, true, true);
        wrote(meta, selected, history_.size() - 1);
    }
    void wrote(const object_meta& meta, bool selected, std::size_t at) {
        // What the cache neither selects nor has is none to wait for.
        const bool noted = selected || knows(key_of(meta), meta.uid.str());
        writes_.wrote(meta, selected ? selection::yes : selection::no, view(), now_);
        if (noted) note(key_of(meta), at);
    }
    void note(const namespaced_name& key, std::size_t at) {
        const auto [mine, is_new] = own_.try_emplace(key);
        if (!is_new && mine->second.at > at) return;
        mine->second.at = at;
        mine->second.uid = history_[at].meta.uid.str();
        mine->second.since = now_;
    }
    bool knows(const namespaced_name& key, const std::string& uid) const {
        const auto mine = own_.find(key);
        if (mine != own_.end() && mine->second.at >= shown_) return mine->second.uid == uid;
        const any_object present = cached(key);
        return present && present.meta().uid == uid;
    }
    // Whether the watch is to report something of the object, up to that change.
    bool is_missing(const namespaced_name& key, std::size_t at) const {
        for (std::size_t i = shown_; i <= at; ++i) {
            if (history_[i].key == key && history_[i].reported) return true;
        }
        return false;
    }
    void check(const namespaced_name& wanted) {
        std::set<std::string> missing;
        bool late = false;
        for (const auto& [key, mine] : own_) {
            const bool meant =
                wanted.name.empty() ? wanted.namespace_.empty() || wanted.namespace_ == key.namespace_ : wanted == key;
            if (!meant || !is_missing(key, mine.at) || now_ - mine.since >= 1s + pending_writes::lifetime) continue;
            missing.insert(to_string(key));
            late = late || now_ - mine.since >= 1s;
        }
        const auto plan = writes_.plan(wanted, view(), now_);
        std::set<std::string> awaited;
        for (const auto& one : plan.awaited) awaited.insert(to_string(key_of(one.of)));
        CHECK(std::includes(awaited.begin(), awaited.end(), missing.begin(), missing.end()));
        if (!selects_ || passed_ == history_.size()) CHECK(awaited == missing);
        if (missing.empty() != awaited.empty()) return;
        CHECK((plan.next == step::answer) == missing.empty());
        if (late) CHECK(plan.next == step::ask_server);
    }

    std::mt19937_64 random_;
    bool selects_;
    time_point now_{1h};
    std::vector<change> history_;
    std::vector<std::size_t> answers_;  // that are to come, by their change
    std::size_t shown_ = 0;             // of the history, by the cache
    std::size_t passed_ = 0;            // of it, as far as the cache knows
    std::map<namespaced_name, own> own_;
    pending_writes writes_{1s};
};

TEST_CASE("pending writes: any sequence of writes and events, against a model") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        model m(seed, seed % 2 == 0);
        for (int i = 0; i < 150; ++i) m.step();
    }
}

}  // namespace
