// What a handler that is behind is told: every transition of the queue, and a random store whose handler must end where
// the store does.
#include <kcontrol/cache/detail/event_queue.hpp>
#include <kcontrol/cache/store.hpp>
#include <kcontrol/testing/sim_context.hpp>

#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using detail::event_queue;

struct thing {
    object_meta metadata;
};

any_object make(const std::string& name, const std::string& uid, const std::string& version) {
    auto object = std::make_shared<thing>();
    object->metadata.name = name;
    object->metadata.namespace_ = "default";
    object->metadata.uid = uid;
    object->metadata.resource_version = version;
    return any_object(std::shared_ptr<const thing>(std::move(object)));
}

std::string state_of(const any_object& object) {
    return std::string(object.meta().uid) + std::string(object.meta().resource_version);
}

std::string describe(const any_event& e) {
    if (e.type == event_type::added) return "+" + state_of(e.new_object) + (e.initial ? "i" : "");
    if (e.type == event_type::deleted) return (e.final_state_unknown ? "?" : "-") + state_of(e.old_object);
    if (e.resync) return "=" + state_of(e.new_object);
    return "~" + state_of(e.old_object) + ">" + state_of(e.new_object);
}

// Plays words against a queue of one object: "+A1" added with uid A and version 1 ("+A1i": initial), "~A2" updated,
// "=" resync, "-A3" deleted, "?" deleted with its final state unknown, "<" the next is popped, ">" it has been told.
std::string play(event_queue& queue, const std::string& words, const std::string& name = "x") {
    std::string told;
    any_object now;
    std::istringstream in(words);
    for (std::string word; in >> word;) {
        const char what = word.front();
        const auto object = word.size() > 2 ? make(name, word.substr(1, 1), word.substr(2, 1)) : any_object();
        if (what == '<') {
            const auto next = queue.pop();
            told += (told.empty() ? "" : " ") + (next ? describe(*next) : "nothing");
        } else if (what == '>') {
            queue.told();
        } else if (what == '+') {
            any_event e(event_type::added, {}, object);
            e.initial = word.back() == 'i';
            queue.push(e, {});
            now = object;
        } else if (what == '~') {
            queue.push(any_event(event_type::updated, now, object), {});
            now = object;
        } else if (what == '=') {
            any_event e(event_type::updated, now, now);
            e.resync = true;
            queue.push(e, {});
        } else {
            any_event e(event_type::deleted, what == '-' ? object : now, {});
            e.final_state_unknown = what == '?';
            queue.push(e, {});
            now = {};
        }
    }
    return told;
}

std::string rest(event_queue& queue) {
    std::string told;
    while (const auto next = queue.pop()) {
        told += (told.empty() ? "" : " ") + describe(*next);
        queue.told();
    }
    return told;
}

struct row {
    const char* before;  // told already
    const char* behind;  // observed while the handler is behind
    const char* told;
};

TEST_CASE("event_queue: every transition of an object whose handler is behind") {
    const std::vector<row> table{
        // never told of it
        {"", "+A1", "+A1"},
        {"", "+A1i", "+A1i"},
        {"", "+A1 ~A2", "+A2"},
        {"", "+A1i ~A2 ~A3", "+A3i"},
        {"", "+A1 =", "+A1"},
        {"", "+A1 -A2", ""},
        {"", "+A1 ?", ""},
        {"", "+A1 ~A2 -A3 +B4", "+B4"},
        {"", "+A1 -A2 +A3", "+A3"},
        {"", "+A1 ~B2", "+B2"},
        // told of it
        {"+A1", "~A2", "~A1>A2"},
        {"+A1", "~A2 ~A3", "~A1>A3"},
        {"+A1", "=", "=A1"},
        {"+A1", "= =", "=A1"},
        {"+A1", "= ~A2", "~A1>A2"},
        {"+A1", "~A2 =", "~A1>A2"},
        {"+A1", "= -A2", "-A2"},
        {"+A1", "-A2", "-A2"},
        {"+A1", "?", "?A1"},
        {"+A1", "~A2 -A3", "-A3"},
        {"+A1", "~A2 ?", "?A2"},
        {"+A1", "-A2 +A3", "-A2 +A3"},  // the same uid: it left a selector and came back
        {"+A1", "-A2 +B3", "-A2 +B3"},
        {"+A1", "? +B3", "?A1 +B3"},
        {"+A1", "~A2 -A3 +B4 ~B5", "-A3 +B5"},
        {"+A1", "-A2 +B3 =", "-A2 +B3"},
        {"+A1", "-A2 +B3 -B4", "-A2"},
        {"+A1", "-A2 +B3 -B4 +C5", "-A2 +C5"},
        {"+A1", "~B2", "~A1>B2"},       // as it came: nothing waits that it could differ from
        {"+A1", "~A2 ~B3", "?A1 +B3"},  // another uid is a deletion and an addition
        {"+A1", "= ~B3", "?A1 +B3"},
        {"+A1", "-A2 +B3 ~C4", "-A2 +C4"},
        {"+A1", "-A2 -A2", "-A2"},
        // told of it, and told that it is gone
        {"+A1 -A2", "+A3", "+A3"},
        {"+A1 -A2", "+B3 -B4", ""},
    };
    for (const row& one : table) {
        CAPTURE(one.before);
        CAPTURE(one.behind);
        event_queue queue(false, 1);
        std::string words;
        std::istringstream in(one.before);
        for (std::string word; in >> word;) words += word + " < > ";
        // One play, so that each event has the object of the one before as its old one.
        const std::string so_far = play(queue, words + one.behind);
        CHECK(so_far == one.before);
        const std::size_t waited = queue.pending();
        CHECK(waited <= 2);
        const std::uint64_t delivered = queue.delivered();
        CHECK(rest(queue) == one.told);
        CHECK(queue.delivered() - delivered == waited);
        CHECK(queue.empty());
        CHECK(queue.pending() == 0);
        CHECK_FALSE(queue.full());
    }
}

TEST_CASE("event_queue: what comes while the handler is being told waits for its return") {
    struct {
        const char* words;
        const char* told;
        const char* then;
    } const table[]{
        {"+A1 < ~A2 ~A3 >", "+A1", "~A1>A3"},
        {"+A1 < -A2 >", "+A1", "-A2"},
        {"+A1 < -A2 +B3 > <", "+A1 -A2", "+B3"},
        {"+A1 < > -A2 +B3 < ~B4 >", "+A1 -A2", "+B4"},  // between the deletion and the addition
        {"+A1 < > -A2 +B3 < -B4 >", "+A1 -A2", ""},
        {"+A1 < > -A2 +B3 < -B4 +C5 >", "+A1 -A2", "+C5"},
        {"+A1 < > ~A2 < -A3 >", "+A1 ~A1>A2", "-A3"},
        {"<", "nothing", ""},
    };
    for (const auto& one : table) {
        CAPTURE(one.words);
        event_queue queue(false, 1);
        CHECK(play(queue, one.words) == one.told);
        CHECK(rest(queue) == one.then);
    }
}

TEST_CASE("event_queue: every version is told as it came") {
    event_queue queue(true, 100);
    play(queue, "+A1i ~A2 = ~A3 -A4 +B5 -B6");
    CHECK(queue.pending() == 7);
    CHECK(rest(queue) == "+A1i ~A1>A2 =A2 ~A2>A3 -A4 +B5 -B6");
    CHECK(queue.coalesced() == 0);
    CHECK(queue.delivered() == 7);
}

TEST_CASE("event_queue: objects are told in the order in which they began to wait") {
    event_queue queue(false, 1);
    play(queue, "+A1", "x");
    play(queue, "+B1", "y");
    play(queue, "~A2", "x");
    CHECK(rest(queue) == "+A2 +B1");
    CHECK(queue.coalesced() == 1);
    CHECK(queue.delivered() == 2);
}

TEST_CASE("event_queue: one of every version is full at its bound, until half of it has been told") {
    event_queue queue(true, 4);
    for (int i = 0; i < 3; ++i) play(queue, "+A1");
    CHECK_FALSE(queue.full());
    play(queue, "+A1");
    CHECK(queue.full());
    play(queue, "+A1");  // what can't be left out, as a list, goes beyond
    CHECK(queue.pending() == 5);
    play(queue, "< > < >");
    CHECK(queue.full());
    play(queue, "<");
    CHECK_FALSE(queue.full());
    CHECK(queue.pending() == 3);
    CHECK(queue.times_full() == 1);
    queue.clear();
    CHECK(queue.pending() == 1);
    play(queue, ">");
    CHECK(queue.pending() == 0);
}

TEST_CASE("event_queue: synced comes when all of the first list has been told, not when it has been popped") {
    event_queue queue(false, 1);
    play(queue, "+A1i", "x");
    play(queue, "+B1i", "y");
    queue.push_synced();
    play(queue, "+C2", "z");
    CHECK_FALSE(queue.synced());
    play(queue, "< >");
    play(queue, "~A2", "x");  // no part of the first list
    CHECK_FALSE(queue.synced());
    play(queue, "<");
    CHECK_FALSE(queue.synced());
    play(queue, ">");
    CHECK(queue.synced());
    CHECK(queue.pending() == 2);
    play(queue, "< >");
    CHECK(queue.synced());

    event_queue empty(false, 1);
    CHECK_FALSE(empty.synced());
    empty.push_synced();
    CHECK(empty.synced());

    // All that it waited for went before it was told.
    event_queue gone_too(false, 1);
    play(gone_too, "+A1i");
    gone_too.push_synced();
    CHECK_FALSE(gone_too.synced());
    any_event e(event_type::deleted, make("x", "A", "2"), {});
    gone_too.push(e, {});
    CHECK(gone_too.synced());
}

TEST_CASE("event_queue: the age is that of the oldest event that the handler is not done with") {
    event_queue queue(false, 1);
    CHECK_FALSE(queue.oldest());
    const time_point start{};
    queue.push(any_event(event_type::added, {}, make("x", "A", "1")), start + 1s);
    queue.push(any_event(event_type::added, {}, make("y", "B", "1")), start + 2s);
    queue.push(any_event(event_type::updated, make("x", "A", "1"), make("x", "A", "2")), start + 3s);
    CHECK(queue.oldest() == start + 1s);
    REQUIRE(queue.pop());
    CHECK(queue.oldest() == start + 1s);
    queue.told();
    CHECK(queue.oldest() == start + 2s);
    REQUIRE(queue.pop());
    queue.told();
    CHECK_FALSE(queue.oldest());
}

// A store that changes at random, and a handler that hears of it at random times.
class model {
public:
    model(std::uint64_t seed, bool every_version) : random_(seed), every_(every_version), queue_(every_version, 8) {}

    void step() {
        const auto name = "o" + std::to_string(random_.below(6));
        switch (random_.below(8)) {
        case 0:
        case 1:
        case 2: return push(store_.apply(made(name, uid_of(name), next_version())));
        case 3: return push(store_.apply(made(name, ++uids_[name], next_version())));
        case 4: return push(store_.remove(made(name, uid_of(name), next_version())));
        case 5: return relist();
        case 6: return resync();
        default: return pop();
        }
    }
    void drain() {
        while (!queue_.empty() || telling_) pop();
    }

    // Where it ended: equal to the store.
    void check_end() {
        std::map<std::string, std::string> known;
        for (const auto& object : store_.list()) known[std::string(object.meta().name)] = state_of(object);
        CHECK(told_ == known);
        CHECK(faults == "");
        CHECK(queue_.delivered() + queue_.coalesced() == pushed_);
        if (every_) CHECK(queue_.coalesced() == 0);
    }

    std::string faults;

private:
    char uid_of(const std::string& name) {
        const auto found = uids_.try_emplace(name, 'A').first;
        return found->second;
    }
    static any_object made(const std::string& name, char uid, const std::string& version) {
        return make(name, std::string(1, uid), version);
    }
    std::string next_version() { return std::to_string(++version_); }

    void push(const store_change& change) {
        for (const any_event& e : change.events) {
            ++pushed_;
            queue_.push(e, {});
        }
        if (queue_.pending() > 2 * 6 + 1 && !every_) faults += "holds more than two events an object; ";
    }
    void relist() {
        std::vector<any_object> all;
        for (const auto& object : store_.list()) {
            const std::string name(object.meta().name);
            if (random_.chance(25)) continue;
            if (random_.chance(25)) {
                all.push_back(made(name, ++uids_[name], next_version()));
            } else {
                all.push_back(random_.chance(50) ? made(name, uid_of(name), next_version()) : object);
            }
        }
        push(store_.replace(store_content(std::move(all)), random_.chance(50)));
    }
    void resync() {
        store_change change;
        for (auto& object : store_.list()) {
            change.events.emplace_back(event_type::updated, object, object);
            change.events.back().resync = true;
        }
        push(change);
    }
    // Begins to tell the next, or ends it: events come in between.
    void pop() {
        if (std::exchange(telling_, false)) return queue_.told();
        const auto next = queue_.pop();
        if (!next) return;
        telling_ = true;
        take(*next);
    }
    void take(const any_event& e) {
        const std::string name(e.object().meta().name);
        const auto known = told_.find(name);
        const auto fault = [&](const char* what) { faults += name + " " + describe(e) + ": " + what + "; "; };
        if (e.type == event_type::added) {
            if (known != told_.end()) fault("was told already");
            told_[name] = state_of(e.new_object);
            return;
        }
        if (known == told_.end()) return fault("was never told");
        if (known->second.front() != state_of(e.object()).front()) fault("another uid is another object");
        if (e.type == event_type::deleted) {
            told_.erase(known);
            return;
        }
        if (known->second != state_of(e.old_object)) fault("old is not what was told last");
        if (e.resync && known->second != state_of(e.new_object)) fault("a resync changes nothing");
        known->second = state_of(e.new_object);
    }

    testing::sim_random random_;
    bool every_;
    event_queue queue_;
    store store_;
    std::map<std::string, char> uids_;
    std::map<std::string, std::string> told_;
    std::uint64_t version_ = 0, pushed_ = 0;
    bool telling_ = false;
};

TEST_CASE(
    "event_queue: whatever the interleaving, the handler ends where the store does, and each old is what it knew") {
    for (const bool every_version : {false, true}) {
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            CAPTURE(every_version);
            CAPTURE(seed);
            model one(seed, every_version);
            for (int i = 0; i < 400; ++i) one.step();
            one.drain();
            one.check_end();
        }
    }
}

}  // namespace
