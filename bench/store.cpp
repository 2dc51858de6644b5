// PB-7 and PB-8: the store beside readers on other threads, and what a cached read takes. The same work as the peers'
// programs do: pods that have only names for PB-7, the corpus' pods for PB-8.
//
// usage: store [--seconds S] [--only PB-7|PB-8] [PODS_NDJSON]
// Prints "id TAB variant TAB value TAB unit". Without a corpus PB-8 is left out.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/cache/store.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/json/cursor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

std::atomic<std::size_t> allocations{0}, allocated{0};

}  // namespace

// Not inline: g++ 12 takes their pairing for a mismatch otherwise.
[[gnu::noinline]] void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    allocated.fetch_add(size, std::memory_order_relaxed);
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace kcontrol;
using api::core::v1::pod;

double seconds_each = 1.0;

double now() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();  // seam: ok, a benchmark's stop watch
    return std::chrono::duration<double>(since).count();
}

void print(const char* id, const std::string& variant, double value, const char* unit) {
    std::printf("%s\t%s\t%.*f\t%s\n", id, variant.c_str(), value >= 1000 ? 0 : 1, value, unit);
    std::fflush(stdout);
}

std::vector<pod> empty_pods(std::size_t count, std::size_t namespaces) {
    std::vector<pod> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        char name[32];
        std::snprintf(name, sizeof name, "pod-%020zu", i);
        all[i].metadata.name = name;
        all[i].metadata.namespace_ = "namespace-" + std::to_string(i % namespaces);
    }
    return all;
}

any_object share(const pod& p) { return any_object(std::make_shared<const pod>(p)); }

/// One writer, as the informer's strand is, beside threads that read in a loop.
template <class Read>
void contention(const std::string& variant, const std::vector<pod>& pods, int readers, const Read& read) {
    store s;
    std::vector<any_object> all;
    for (const auto& p : pods) all.push_back(share(p));
    s.replace(store_content(std::move(all)), true);
    std::atomic<bool> stop = false;
    std::atomic<std::size_t> lists = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < readers; ++i) {
        threads.emplace_back([&] {
            while (!stop.load(std::memory_order_relaxed)) {
                if (read(s) == 0) std::abort();
                lists.fetch_add(1, std::memory_order_relaxed);
            }
        });
    }
    std::size_t writes = 0, told = 0;
    const double start = now();
    while (writes % 64 != 0 || now() - start < seconds_each) {
        // A prime, so that writes jump about.
        told += s.apply(share(pods[writes * 7919 % pods.size()])).events.size();
        ++writes;
    }
    const double took = now() - start;
    const auto listed = static_cast<double>(lists.load());
    stop = true;
    for (auto& thread : threads) thread.join();
    if (told != writes) throw std::runtime_error("a write was no event");
    print("PB-7", variant, static_cast<double>(writes) / took, "writes/s");
    if (readers > 0) print("PB-7", variant, listed / took, "lists/s");
}

std::size_t see_all(const store& s) {
    std::size_t found = 0;
    s.snapshot().for_each([&](const any_object&) { ++found; });
    return found;
}

void measure_contention() {
    for (const std::size_t count : {10'000U, 160'000U}) {
        const auto pods = empty_pods(count, 1);
        const std::string objects = std::to_string(count) + " objects, ";
        for (const int readers : {0, 1, 10, 40}) {
            contention(objects + std::to_string(readers) + " full-list readers", pods, readers, see_all);
        }
        contention(objects + "10 full-list readers that share every object", pods, 10,
                   [](const store& s) { return s.list().size(); });
    }
    contention("160000 objects, 10 readers of 1 % by index", empty_pods(160'000, 100), 10, [](const store& s) {
        const cache_query query = cache_query().in_namespace("namespace-0");
        return s.select(query).size();
    });
}

/// Repeats `read`, which says how many objects it found.
template <class F>
void time_read(const std::string& variant, const F& read) {
    const std::size_t found = read();
    if (found == 0) throw std::runtime_error(variant + ": nothing found");
    std::size_t reads = 0, sum = 0;
    const std::size_t allocations_before = allocations, allocated_before = allocated;
    const double start = now();
    double took = 0;
    for (; took < seconds_each; took = now() - start) {
        for (int i = 0; i < 100; ++i) sum += read();
        reads += 100;
    }
    const auto each = [&](double total) { return total / static_cast<double>(reads); };
    if (sum < reads) throw std::runtime_error(variant + ": nothing found");
    const std::string name = found == 1 ? variant : variant + ": " + std::to_string(found) + " pods";
    print("PB-8", name, each(took * 1e9), "ns/op");
    print("PB-8", name, each(static_cast<double>(allocated - allocated_before)), "B/op");
    print("PB-8", name, each(static_cast<double>(allocations - allocations_before)), "allocs/op");
}

std::vector<any_object> read_pods(const char* path) {
    std::vector<any_object> pods;
    share_pool pool;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        json::cursor text(line);
        if (!text.take("{\"type\":\"ADDED\",\"object\":"))
            throw std::runtime_error("no such event: " + line.substr(0, 80));
        auto object = resource_of<pod>().decode(text, &pool);
        if (!object) throw std::runtime_error("not as servers write: " + line.substr(0, 80));
        pods.push_back(std::move(object));
    }
    if (pods.empty()) throw std::runtime_error(std::string(path) + ": no lines; it should hold watch events");
    return pods;
}

/// What a program does with what a read found: it takes a pointer to each.
template <class List>
std::size_t point_at(const List& list, std::vector<const pod*>& to) {
    to.clear();
    for (const auto& object : list) to.push_back(static_cast<const pod*>(object.address()));
    return to.size();
}

void measure_reads(const char* path) {
    const auto pods = read_pods(path);
    store s;
    s.replace(store_content(pods), true);
    const auto by_owner = s.add_index("owner", index_by_owner());
    const auto by_namespace = s.add_index("namespace", index_by_namespace());
    // The peers read in the order of their maps, which is that of their keys' memory; ours is the order of a list.
    std::vector<namespaced_name> keys;
    for (const auto& object : s.list()) keys.push_back(object.key());
    std::size_t next = 0;
    const auto next_key = [&]() -> const namespaced_name& {
        return keys[next = next + 1 == keys.size() ? 0 : next + 1];
    };
    std::vector<const pod*> found;

    const auto snapshot = s.snapshot();
    const auto get = [&] { return s.get(next_key()) ? 1 : 0; };
    const auto find = [&] { return snapshot.find(next_key()) != nullptr ? 1 : 0; };
    time_read("Get", find);
    time_read("Get, shared pointer", get);
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(1));
    time_read("Get in random order", find);
    time_read("Get in random order, shared pointer", get);
    const std::string ns = pods.front().meta().namespace_.str();
    const cache_query in_namespace = cache_query().in_namespace(ns);
    time_read("List namespace", [&] { return s.select(in_namespace).size(); });
    time_read("List namespace by an index", [&] { return s.by_index(*by_namespace, ns).size(); });
    time_read("List namespace, pointers kept", [&] { return point_at(s.select(in_namespace), found); });
    time_read("List namespace, shared pointers", [&] { return s.list(ns).size(); });
    const cache_query team = cache_query().labels(*label_selector::parse("team=ml,env=production"));
    time_read("List selector by a scan", [&] { return s.select(team).size(); });
    const auto by_team = s.add_index("team", index_by_label("team"));
    time_read("List selector", [&] { return s.select(team).size(); });
    const std::string owner = pods.front().meta().owner_references[0].uid.str();
    time_read("List owner", [&] { return s.by_index(*by_owner, owner).size(); });
    // Without versions, so that each write counts.
    std::vector<any_object> unversioned;
    for (const auto& p : pods) {
        pod copy = p.get<pod>();
        copy.metadata.resource_version.reset();
        unversioned.push_back(any_object(std::make_shared<const pod>(std::move(copy))));
    }
    const std::size_t prime = 7919;
    time_read("Update with 3 indexes",
              [&] { return s.apply(unversioned[++next * prime % pods.size()]).events.size(); });
}

}  // namespace

int main(int argc, char** argv) {
    const char* corpus = nullptr;
    std::string only;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--seconds" && i + 1 < argc) {
            seconds_each = std::atof(argv[++i]);
        } else if (argument == "--only" && i + 1 < argc) {
            only = argv[++i];
        } else {
            corpus = argv[i];
        }
    }
    try {
        if (only != "PB-8") measure_contention();
        if (only != "PB-7" && corpus != nullptr) measure_reads(corpus);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "store: %s\n", failed.what()), 1;
    }
}
