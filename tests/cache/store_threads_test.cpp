// The store's promise to readers: any thread, any time. Worth its money under ThreadSanitizer (scripts/test.sh --only
// tsan), but what readers may see is checked here with any compiler.
#include <kcontrol/cache/store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <string>
#include <thread>

namespace {

using namespace kcontrol;

struct gauge {
    object_meta metadata;
    int version = 0;
    std::string text;  // says the same as metadata does: a torn object shows
};

constexpr int keys = 24;
constexpr int writes = 1000;

namespaced_name key_of(int i) { return {i % 2 == 0 ? "even" : "odd", "g" + std::to_string(i)}; }

any_object make(int i, int version) {
    auto object = std::make_shared<gauge>();
    const auto key = key_of(i);
    object->metadata.namespace_ = key.namespace_;
    object->metadata.name = key.name;
    object->metadata.uid = "u" + std::to_string(i);
    object->metadata.resource_version = std::to_string(version);
    object->version = version;
    object->text = key.name + "@" + std::to_string(version);
    return any_object(std::shared_ptr<const gauge>(std::move(object)));
}

// What one thread saw. doctest's assertions are for the test's own thread, so faults are counted here.
class observer {
public:
    void see(const any_object& object) {
        const auto seen = object.as<gauge>();
        const auto& meta = object.meta();
        if (seen->text != meta.name + "@" + meta.resource_version) ++torn;
        int& last = latest_[meta.name];
        if (seen->version < last) ++backwards;
        last = seen->version;
    }

    void look_at(const store& s, int round) {
        const auto key = key_of(round % keys);
        if (const auto one = s.get(key)) {
            see(one);
            if (one.key() != key) ++torn;
        }
        const auto all = s.list();
        for (std::size_t i = 0; i < all.size(); ++i) {
            see(all[i]);
            if (i > 0 && !(all[i - 1].key() < all[i].key())) ++unsorted;
        }
        // A replace is one step: versions beyond `writes` are its, and then all of one generation.
        if (!all.empty() && all.front().as<gauge>()->version > writes) {
            for (const auto& object : all) {
                if (object.as<gauge>()->version != all.front().as<gauge>()->version) ++mixed;
            }
            if (all.size() != static_cast<std::size_t>(keys)) ++mixed;
        }
        look_at_one_moment(s.snapshot());
        for (const auto& object : s.list("odd")) {
            if (object.meta().namespace_ != "odd") ++torn;
        }
        if (s.size() > static_cast<std::size_t>(keys)) ++mixed;
        ++looks;
    }

    // All reads of a snapshot are of one moment, and of the same one however long it is held.
    void look_at_one_moment(const store_snapshot& now) {
        if (const auto found = now.by_index("shelf", "even")) {
            const auto scanned = now.select(cache_query().in_namespace("even"));
            if (!std::equal(found->begin(), found->end(), scanned.begin(), scanned.end())) ++mixed;
        }
        std::size_t count = 0;
        now.for_each([&](const any_object& object) {
            see(object);
            ++count;
            if (now.find(object.key()) != &object) ++mixed;
        });
        if (count != now.size()) ++mixed;
        if (held_.size() != held_count_) ++mixed;
        held_.for_each([&](const any_object& object) {
            if (object.as<gauge>()->text != object.meta().name + "@" + object.meta().resource_version) ++torn;
            if (held_.find(object.key()) != &object) ++mixed;
        });
        if (looks % 7 == 0) {
            held_ = now;
            held_count_ = count;
        }
    }

    int torn = 0, backwards = 0, unsorted = 0, mixed = 0, looks = 0;

private:
    std::map<std::string, int> latest_;
    store_snapshot held_;
    std::size_t held_count_ = 0;
};

}  // namespace

TEST_CASE("store: four threads read while one writes") {
    store s;
    std::atomic<bool> done = false;
    std::atomic<int> running = 0;
    std::array<observer, 4> observers;
    std::array<std::thread, 4> readers;  // seam: ok, the store is promised to readers on any thread
    for (std::size_t i = 0; i < readers.size(); ++i) {
        readers[i] = std::thread([&, i] {  // seam: ok, as above
            ++running;
            for (int round = 0; !done || round == 0; ++round) {
                observers[i].look_at(s, round);
            }
        });
    }
    while (running < 4) std::this_thread::yield();

    std::size_t events = 0;
    const auto by_shelf = [&] {
        return *s.add_index("shelf", index_rule::of<gauge>([](const gauge& g) { return g.metadata.namespace_; }));
    };
    store_index shelf = by_shelf();
    for (int version = 1; version <= writes; ++version) {
        if (version % 100 == 50) shelf.reset();
        if (version % 100 == 0) shelf = by_shelf();
        const int i = version * 7 % keys;
        const auto change = version % 5 == 0 ? s.remove(make(i, version)) : s.apply(make(i, version));
        events += change.events.size();
    }
    for (int generation = 1; generation <= 40; ++generation) {
        std::vector<any_object> all;
        for (int i = 0; i < keys; ++i) all.push_back(make(i, writes + generation));
        events += s.replace(store_content(std::move(all)), false).events.size();
    }
    done = true;
    for (auto& reader : readers) reader.join();

    CHECK(events > static_cast<std::size_t>(writes) / 2);
    CHECK(s.size() == static_cast<std::size_t>(keys));
    for (const auto& o : observers) {
        CHECK(o.looks > 0);
        CHECK(o.torn == 0);
        CHECK(o.backwards == 0);
        CHECK(o.unsorted == 0);
        CHECK(o.mixed == 0);
    }
}
