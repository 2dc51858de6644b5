// The ledger of a node, and which of its GPUs a pod gets.
#include "allocate/allocate.hpp"

#include "allocate/slice_turns.hpp"
#include "devices/ledger.hpp"
#include "devices/node_sources.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace gpu_scheduler;

namespace {

// Four GPUs of 10,000 MiB, with shares.
node_devices shared_node(int gpus = 4) {
    node_devices out;
    out.source = device_source::hami;
    for (int i = 0; i < gpus; ++i) {
        gpu made;
        made.uuid = "GPU-" + std::to_string(i);
        made.index = static_cast<unsigned>(i);
        made.memory_mib = 10'000;
        made.most_shares = 4;
        out.gpus.push_back(std::move(made));
    }
    return out;
}
// A100s of 40 GB, of which the last ones are divided.
node_devices sliced_node(int gpus = 3, int divided = 2) {
    auto out = shared_node(gpus);
    out.source = device_source::topology;
    for (int i = 0; i < gpus; ++i) {
        auto& each = out.gpus[static_cast<std::size_t>(i)];
        each.memory_mib = 40'960;
        each.is_divided = i >= gpus - divided;
    }
    return out;
}

device_hold whole(const std::string& uuid) { return {uuid, 0, 0, "", 0}; }
device_hold share(const std::string& uuid, std::int64_t mib, int cores = 0) { return {uuid, mib, cores, "", 0}; }
device_hold slice(const std::string& uuid, const std::string& profile, unsigned start) {
    return {uuid, 0, 0, profile, start};
}

container_request wholes(int gpus) {
    container_request out;
    out.gpus = gpus;
    return out;
}
container_request shares(int gpus, std::int64_t mib, int cores = 0) {
    auto out = wholes(gpus);
    out.is_share = true;
    out.memory_mib = mib;
    out.cores = cores;
    return out;
}
container_request slices(std::vector<std::string> profiles) {
    container_request out;
    out.slices = std::move(profiles);
    return out;
}

std::string check(const node_ledger& node, const device_hold& hold) {
    const auto answer = node.check(hold);
    return answer ? "" : answer.error().message();
}

std::string given(node_ledger node, std::vector<container_request> containers,
                  placement_policy policy = placement_policy::best_fit, slice_turns* turns = nullptr) {
    placer by(policy, {});
    const auto out = allocate(node, {std::move(containers)}, {1000, 100}, by, turns);
    return out ? write_record(out->devices) : "none";
}
std::string record(const std::vector<device_hold>& devices) { return write_record(devices); }

}  // namespace

TEST_CASE("ledger: shares") {
    node_ledger node(shared_node());
    REQUIRE(node.add(share("GPU-0", 6000, 60)));
    CHECK(check(node, share("GPU-0", 4000, 40)) == "");
    CHECK(check(node, share("GPU-0", 4001)) == "uuid \"GPU-0\": memoryMiB 4001 is more than the 4000 that are free");
    CHECK(check(node, share("GPU-0", 1, 41)) == "uuid \"GPU-0\": cores 41 are more than the 40 that are free");
    CHECK(check(node, whole("GPU-0")) == "uuid \"GPU-0\": the GPU is held");
    CHECK(check(node, whole("GPU-9")) == "uuid \"GPU-9\": the node has no such GPU");
    CHECK(check(node, slice("GPU-1", "1g.5gb", 0)) == "uuid \"GPU-1\": the GPU has no slices");
    REQUIRE(node.add(whole("GPU-1")));
    CHECK(check(node, share("GPU-1", 1)) == "uuid \"GPU-1\": the GPU is held");
    for (int i = 0; i < 3; ++i) REQUIRE(node.add(share("GPU-0", 1)));
    CHECK(check(node, share("GPU-0", 1)) == "uuid \"GPU-0\": it has 4 shares, the most");
    node.remove(share("GPU-0", 6000, 60));
    CHECK(check(node, share("GPU-0", 9997, 100)) == "");
}

TEST_CASE("ledger: what is too much counts nevertheless") {
    node_ledger node(shared_node());
    REQUIRE(node.add(whole("GPU-0")));
    CHECK_FALSE(node.add(whole("GPU-0")));
    node.remove(whole("GPU-0"));
    CHECK(check(node, whole("GPU-0")) == "uuid \"GPU-0\": the GPU is held");
    node.remove(whole("GPU-0"));
    CHECK(check(node, whole("GPU-0")) == "");
    CHECK_FALSE(node.add(share("GPU-2", 20'000)));
    CHECK(check(node, share("GPU-2", 1)) == "uuid \"GPU-2\": memoryMiB 1 is more than the 0 that are free");
    CHECK_FALSE(node.add(whole("GPU-9")));
    node.remove(whole("GPU-9"));
}

TEST_CASE("ledger: unhealthy GPUs, and pods without a record") {
    auto devices = shared_node(3);
    devices.gpus[1].is_healthy = false;
    node_ledger node(devices);
    CHECK(check(node, whole("GPU-1")) == "uuid \"GPU-1\": the GPU is not healthy");
    node.add_unknown(1);
    CHECK(check(node, whole("GPU-0")) == "");
    REQUIRE(node.add(whole("GPU-0")));
    CHECK(check(node, whole("GPU-2")) == "uuid \"GPU-2\": the free GPUs are held by pods without a record");
    CHECK(check(node, share("GPU-2", 1)) == "uuid \"GPU-2\": the free GPUs are held by pods without a record");
    CHECK(given(node, {wholes(1)}) == "none");
    node.add_unknown(-1);
    CHECK(given(node, {wholes(1)}) == record({whole("GPU-2")}));
    node.remove(whole("GPU-0"));
    node.add_unknown(1);
    CHECK(given(node, {wholes(2)}) == "none");
    CHECK(given(node, {shares(2, 10)}) == "none");
}

TEST_CASE("ledger: slices") {
    node_ledger node(sliced_node());
    CHECK(check(node, whole("GPU-1")) == "uuid \"GPU-1\": the GPU is divided by MIG");
    CHECK(check(node, share("GPU-0", 5)) == "uuid \"GPU-0\": the node takes no shares");
    CHECK(check(node, slice("GPU-0", "1g.5gb", 0)) == "uuid \"GPU-0\": the GPU has no slices");
    CHECK(check(node, slice("GPU-1", "1g.9gb", 0)) == "uuid \"GPU-1\": mig \"1g.9gb\" can't start at 0");
    CHECK(check(node, slice("GPU-1", "3g.20gb", 2)) == "uuid \"GPU-1\": mig \"3g.20gb\" can't start at 2");
    REQUIRE(node.add(slice("GPU-1", "3g.20gb", 4)));
    REQUIRE(node.add(slice("GPU-1", "1g.5gb+me", 0)));
    CHECK(check(node, slice("GPU-1", "1g.5gb", 6)) == "uuid \"GPU-1\": mig \"1g.5gb\": the place at 6 is held");
    CHECK(check(node, slice("GPU-1", "1g.5gb+me", 1)) == "uuid \"GPU-1\": its media engines are held");
    CHECK(check(node, slice("GPU-1", "2g.10gb", 2)) == "");
    // A place that is held twice is free when both are gone.
    CHECK_FALSE(node.add(slice("GPU-1", "1g.5gb", 5)));
    node.remove(slice("GPU-1", "3g.20gb", 4));
    CHECK(check(node, slice("GPU-1", "1g.5gb", 5)) == "uuid \"GPU-1\": mig \"1g.5gb\": the place at 5 is held");
    node.remove(slice("GPU-1", "1g.5gb", 5));
    node.remove(slice("GPU-1", "1g.5gb+me", 0));
    CHECK(node.use(1).is_free());
}

TEST_CASE("allocate: whole GPUs and shares") {
    node_ledger node(shared_node());
    CHECK(given(node, {wholes(2)}) == record({whole("GPU-0"), whole("GPU-1")}));
    CHECK(given(node, {wholes(5)}) == "none");
    REQUIRE(node.add(share("GPU-2", 6000, 10)));
    REQUIRE(node.add(share("GPU-3", 7000, 95)));
    CHECK(given(node, {shares(1, 3000)}) == record({share("GPU-3", 3000)}));
    CHECK(given(node, {shares(1, 3000, 10)}) == record({share("GPU-2", 3000, 10)}));
    CHECK(given(node, {shares(1, 5000)}) == record({share("GPU-0", 5000)}));
    CHECK(given(node, {shares(2, 3000)}) == record({share("GPU-3", 3000), share("GPU-2", 3000)}));
    CHECK(given(node, {shares(4, 3001)}) == "none");
    CHECK(given(node, {shares(1, 10'001)}) == "none");
    auto half = shares(1, 0);
    half.memory_percent = 33;
    CHECK(given(node, {half}) == record({share("GPU-2", 3300)}));
    // In the order of containers, whatever is placed first.
    CHECK(given(node, {shares(1, 100), wholes(1), shares(1, 4000)}) ==
          record({share("GPU-3", 100), whole("GPU-0"), share("GPU-2", 4000)}));
    CHECK(given(node, {wholes(2), shares(1, 4001)}) == "none");
}

TEST_CASE("allocate: a share that would be in another's way goes elsewhere") {
    node_ledger node(shared_node(2));
    REQUIRE(node.add(share("GPU-0", 1000, 50)));
    REQUIRE(node.add(share("GPU-1", 2000, 0)));
    // By memory alone the larger one goes to GPU-1; the smaller one needs the cores of that GPU and its memory.
    CHECK(given(node, {shares(1, 7000, 50), shares(1, 2500, 60)}) ==
          record({share("GPU-0", 7000, 50), share("GPU-1", 2500, 60)}));
}

TEST_CASE("allocate: slices") {
    node_ledger node(sliced_node());
    CHECK(given(node, {slices({"1g.5gb"})}) == record({slice("GPU-1", "1g.5gb", 6)}));
    CHECK(given(node, {slices({"1g.5gb", "3g.20gb", "4g.20gb"})}) ==
          record({slice("GPU-2", "1g.5gb", 6), slice("GPU-1", "3g.20gb", 4), slice("GPU-1", "4g.20gb", 0)}));
    CHECK(given(node, {slices({"7g.40gb", "7g.40gb"}), wholes(1)}) ==
          record({slice("GPU-1", "7g.40gb", 0), slice("GPU-2", "7g.40gb", 0), whole("GPU-0")}));
    CHECK(given(node, {slices({"7g.40gb", "7g.40gb", "1g.5gb"})}) == "none");
    CHECK(given(node, {slices({"1g.9gb"})}) == "none");
    REQUIRE(node.add(slice("GPU-2", "4g.20gb", 0)));
    CHECK(given(node, {slices({"1g.5gb"})}) == record({slice("GPU-2", "1g.5gb", 6)}));
}

TEST_CASE("slice_turns: weights 5, 1, 1") {
    slice_turns turns;
    const std::vector<weighted_name> among = {{"a", 5}, {"b", 1}, {"c", 1}};
    std::string order;
    for (int i = 0; i < 14; ++i) order += among[turns.next(among)].name;
    CHECK(order == "aabacaaaabacaa");
    // GPUs take turns with their slices.
    slice_turns gpus;
    node_ledger node(sliced_node());
    CHECK(given(node, {slices({"1g.5gb"})}, placement_policy::best_fit, &gpus) ==
          record({slice("GPU-1", "1g.5gb", 6)}));
    CHECK(given(node, {slices({"1g.5gb"})}, placement_policy::best_fit, &gpus) ==
          record({slice("GPU-2", "1g.5gb", 6)}));
    CHECK(given(node, {slices({"1g.5gb"})}, placement_policy::best_fit, &gpus) ==
          record({slice("GPU-1", "1g.5gb", 6)}));
}

TEST_CASE("room: as placement sees it") {
    auto devices = sliced_node();
    devices.gpus.push_back(devices.gpus[0]);
    devices.gpus[3].uuid = "GPU-3";
    devices.gpus[3].is_healthy = false;
    node_ledger sliced(devices);
    REQUIRE(sliced.add(slice("GPU-1", "2g.10gb", 0)));
    CHECK(room_of(sliced, 7) == room{7, {1000, 750, 1000, 0}});
    node_ledger shared(shared_node());
    REQUIRE(shared.add(share("GPU-0", 9999)));
    REQUIRE(shared.add(whole("GPU-1")));
    CHECK(room_of(shared, 0).gpus == std::vector{0, 0, 1000, 1000});
}

// Pods come and go on a node; a plain list of what they hold says that nothing is given twice, and a search through all
// ways that nothing is refused that would fit. KCONTROL_GPU_WORLDS=100000: so many worlds.
TEST_CASE("allocate: never given twice, and refused only what doesn't fit") {
    const auto worlds = static_cast<int>(kcontrol::test::asked_for("KCONTROL_GPU_WORLDS", 100));
    for (int seed = 0; seed < worlds; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        const bool has_slices = below(2) == 0;
        auto devices = has_slices ? sliced_node(3, 2) : shared_node(3);
        if (below(4) == 0) devices.gpus[static_cast<std::size_t>(below(3))].is_healthy = false;
        node_ledger node(devices);
        placer by(static_cast<placement_policy>(below(4)), {{{100, 1, 400}, {}, 1}});
        slice_turns turns;
        std::vector<std::vector<device_hold>> pods;
        const auto check_all = [&] {
            std::map<std::string, std::int64_t> mib, cores, wholes_of;
            std::map<std::string, slot_mask> slots;
            for (const auto& pod : pods) {
                for (const auto& each : pod) {
                    const auto place = static_cast<std::size_t>(each.uuid.back() - '0');
                    REQUIRE(devices.gpus[place].is_healthy);
                    REQUIRE(devices.gpus[place].is_divided == each.is_slice());
                    mib[each.uuid] += each.memory_mib;
                    cores[each.uuid] += each.cores;
                    wholes_of[each.uuid] += each.is_whole() ? 1 : 0;
                    REQUIRE(mib[each.uuid] <= devices.gpus[place].memory_mib);
                    REQUIRE(cores[each.uuid] <= 100);
                    REQUIRE(wholes_of[each.uuid] <= 1);
                    REQUIRE((wholes_of[each.uuid] == 0 || mib[each.uuid] == 0));
                    if (!each.is_slice()) continue;
                    const auto mask = find_profile(node.profiles(place), each.profile)->at(each.start);
                    REQUIRE((slots[each.uuid] & mask) == 0);
                    slots[each.uuid] |= mask;
                }
            }
        };
        for (int step = 0; step < 25; ++step) {
            if (!pods.empty() && below(3) == 0) {
                const auto leaving = static_cast<std::size_t>(below(static_cast<int>(pods.size())));
                for (const auto& each : pods[leaving]) node.remove(each);
                pods.erase(pods.begin() + static_cast<std::ptrdiff_t>(leaving));
            } else {
                gpu_request wanted;
                for (int i = 0; i <= below(2); ++i) {
                    const char* profiles[] = {"1g.5gb",  "1g.5gb+me", "1g.10gb", "2g.10gb",
                                              "3g.20gb", "4g.20gb",   "7g.40gb"};
                    if (has_slices && below(3) > 0) {
                        wanted.containers.push_back(slices({profiles[below(7)], profiles[below(5)]}));
                    } else if (has_slices || below(4) == 0) {
                        wanted.containers.push_back(wholes(1 + below(2)));
                    } else {
                        wanted.containers.push_back(shares(1 + below(2), 1000 * (1 + below(8)), 25 * below(4)));
                    }
                }
                const auto got = allocate(node, wanted, {1000, 10}, by, below(2) == 0 ? &turns : nullptr);
                // All ways: each wish on each GPU, at each start.
                std::vector<std::vector<device_hold>> choices;
                std::vector<std::size_t> container_of;
                for (std::size_t c = 0; c < wanted.containers.size(); ++c) {
                    const auto& each = wanted.containers[c];
                    for (int i = 0; i < each.gpus; ++i) {
                        container_of.push_back(c);
                        auto& to = choices.emplace_back();
                        for (const auto& device : devices.gpus)
                            to.push_back(each.is_share ? share(device.uuid, each.memory_mib, each.cores)
                                                       : whole(device.uuid));
                    }
                    for (const auto& name : each.slices) {
                        container_of.push_back(1000);
                        auto& to = choices.emplace_back();
                        for (const auto& device : devices.gpus) {
                            for (unsigned start = 0; start < 8; ++start) to.push_back(slice(device.uuid, name, start));
                        }
                    }
                }
                auto scratch = node;
                std::vector<device_hold> taken;
                const auto by_force = [&](const auto& self, std::size_t next) -> bool {
                    if (next == choices.size()) return true;
                    for (const auto& hold : choices[next]) {
                        bool other = true;
                        for (std::size_t i = 0; i < next; ++i) {
                            other = other && (container_of[i] != container_of[next] || container_of[i] == 1000 ||
                                              !hold.is_share() || taken[i].uuid != hold.uuid);
                        }
                        if (!other || !scratch.check(hold) || !scratch.add(hold)) continue;
                        taken.push_back(hold);
                        if (self(self, next + 1)) return true;
                        taken.pop_back();
                        scratch.remove(hold);
                    }
                    return false;
                };
                REQUIRE((got || !by_force(by_force, 0)));
                if (!got) continue;
                for (const auto& each : got->devices) REQUIRE(node.add(each));
                pods.push_back(read_record(write_record(got->devices)).value());
            }
            check_all();
            // A restart reads the ledger from the records.
            node_ledger again(devices);
            for (const auto& pod : pods) {
                for (const auto& each : pod) REQUIRE(again.add(each));
            }
            for (std::size_t i = 0; i < devices.gpus.size(); ++i) REQUIRE(again.use(i) == node.use(i));
        }
    }
}
