// Devices for claims: tables, random small worlds beside a search that tries everything, and a model in which nothing
// is given twice.
#include <kcontrol/scheduling/device_allocator.hpp>

#include "scheduling/objects.hpp"
#include "simulation/seeds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace kcontrol::scheduling;
namespace dra = kcontrol::api::resource::v1;

namespace {

using slices = std::vector<std::shared_ptr<const dra::resource_slice>>;
using claims = std::vector<std::shared_ptr<const dra::resource_claim>>;

std::shared_ptr<const dra::resource_slice> slice_of(const std::string& name, const std::string& spec) {
    return object_of<dra::resource_slice>(R"({"metadata":{"name":")" + name + R"("},"spec":{"driver":"gpu.example",)" +
                                          spec + "}}");
}
// A pool of one slice on node n.
std::shared_ptr<const dra::resource_slice> pool_of(const std::string& name, const std::string& devices,
                                                   const std::string& more = {}) {
    return slice_of(name, R"("nodeName":"n","pool":{"name":")" + name +
                              R"(","generation":1,"resourceSliceCount":1},"devices":[)" + devices + "]" + more);
}
std::shared_ptr<const dra::resource_claim> claim_of(const std::string& devices) {
    return object_of<dra::resource_claim>(R"({"metadata":{"namespace":"nlp","name":"c"},"spec":{"devices":)" + devices +
                                          "}}");
}
std::shared_ptr<const dra::device_class> class_of(std::string_view name) {
    if (name == "gpu") return object_of<dra::device_class>(R"({"metadata":{"name":"gpu"},"spec":{}})");
    if (name != "zero") return nullptr;
    return object_of<dra::device_class>(R"({"metadata":{"name":"zero"},"spec":{
        "selectors":[{"cel":{"expression":"x==0"}}],
        "config":[{"opaque":{"driver":"gpu.example","parameters":{"a":1}}}]}})");
}

// "x==0": the attribute x is the integer 0. Anything else fails.
result<bool> selects(const device_inventory::known_device& of, std::string_view expression) {
    if (!expression.starts_with("x==")) return error(errc::invalid_argument, "no such key: y");
    const auto* found = of.object->attributes.get("x");
    return found != nullptr && found->int_ == expression[3] - '0';
}
device_allocator_options options() { return {&selects, &class_of}; }
result<std::optional<std::vector<dra::allocation_result>>> allocate(const slices& all, const claims& of,
                                                                    const held_devices& held = {},
                                                                    const std::string& node = "n") {
    return allocate_devices(of, device_inventory(all), held, *node_of(node, "{}", R"({"zone":"a"})"), options());
}
// "request=pool/device …" of all claims.
std::string given(const slices& all, const claims& of, const held_devices& held = {}, const std::string& node = "n") {
    const auto found = allocate(all, of, held, node);
    if (!found) return found.error().message();
    if (!*found) return "none";
    std::string out;
    for (const auto& one : **found) {
        for (const auto& each : one.devices.results) {
            out += (out.empty() ? "" : " ") + each.request.str() + "=" + each.pool.str() + "/" + each.device.str();
        }
    }
    return out;
}

const std::string two = R"({"name":"a","attributes":{"x":{"int":0}},"capacity":{"memory":{"value":"40Gi"}}},
                           {"name":"b","attributes":{"x":{"int":1}},"capacity":{"memory":{"value":"80Gi"}}})";

std::string exactly(const std::string& more, const std::string& of_class = "gpu") {
    return R"({"name":"r","exactly":{"deviceClassName":")" + of_class + R"(")" + more + "}}";
}
claims one_claim(const std::string& requests, const std::string& more = {}) {
    return {claim_of(R"({"requests":[)" + requests + "]" + more + "}")};
}

}  // namespace

TEST_CASE("device_allocator: count, All, selectors, capacity") {
    const slices all{pool_of("p", two)};
    const device_id a{"gpu.example", "p", "a"};
    struct row {
        std::string requests, found;
        held_devices held = {};
    };
    const std::string all_mode = R"(,"allocationMode":"All")";
    const row rows[] = {
        {exactly(""), "r=p/a"},
        {exactly(R"(,"count":2)"), "r=p/a r=p/b"},
        {exactly(R"(,"count":3)"), "none"},
        {exactly(""), "r=p/b", {a}},
        {exactly("", "zero"), "none", {a}},
        {exactly(R"(,"selectors":[{"cel":{"expression":"x==1"}}])"), "r=p/b"},
        {exactly(R"(,"selectors":[{"cel":{"expression":"x==1"}}])", "zero"), "none"},
        {exactly(all_mode), "r=p/a r=p/b"},
        {exactly(all_mode, "zero"), "r=p/a"},
        {exactly(all_mode), "none", {a}},
        {exactly(all_mode + R"(,"selectors":[{"cel":{"expression":"x==2"}}])"), "none"},
        {exactly(R"(,"adminAccess":true)", "zero"), "r=p/a", {a}},
        {exactly(R"(,"capacity":{"requests":{"memory":"64Gi"}})"), "r=p/b"},
        {exactly(R"(,"capacity":{"requests":{"cores":"1"}})"), "none"},
        {exactly("") + "," + exactly("", "zero"), "r=p/b r=p/a"},
        {R"({"name":"r","firstAvailable":[{"name":"s","deviceClassName":"gpu","count":3},
                                          {"name":"t","deviceClassName":"zero"}]})",
         "r/t=p/a"},
    };
    for (const auto& each : rows) {
        CAPTURE(each.requests);
        CHECK(given(all, one_claim(each.requests), each.held) == each.found);
    }
    // A driver that describes its pool anew: only the newest generation counts, and only once it is whole.
    const auto later = [](int count) {
        return slice_of("later", R"("nodeName":"n","pool":{"name":"p","generation":2,"resourceSliceCount":)" +
                                     std::to_string(count) + R"(},"devices":[{"name":"z"}])");
    };
    CHECK(given({all[0], later(1)}, one_claim(exactly(""))) == "r=p/z");
    CHECK(given({all[0], later(2)}, one_claim(exactly(""))) == "none");
    CHECK(given({later(2), pool_of("q", R"({"name":"d"})")}, one_claim(exactly(""))) == "r=q/d");
    CHECK(given({later(2), pool_of("q", R"({"name":"d"})")}, one_claim(exactly(all_mode))) == "none");
    CHECK(given({pool_of("q", R"({"name":"d"},{"name":"d"})")}, one_claim(exactly(""))) == "none");
}

TEST_CASE("device_allocator: where devices are") {
    const auto pool = [](const std::string& place) {
        return slices{slice_of("p", place + R"(,"pool":{"name":"p","generation":1,"resourceSliceCount":1})")};
    };
    const std::string d = R"("devices":[{"name":"d"}],)";
    const auto in_zone = [](const std::string& zone) {
        return R"("nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":[")" +
               zone + R"("]}]}]})";
    };
    const auto any = one_claim(exactly(""));
    CHECK(given(pool(d + R"("nodeName":"n")"), any) == "r=p/d");
    CHECK(given(pool(d + R"("nodeName":"m")"), any) == "none");
    CHECK(given(pool(d + R"("allNodes":true)"), any) == "r=p/d");
    CHECK(given(pool(d + in_zone("a")), any) == "r=p/d");
    CHECK(given(pool(d + in_zone("b")), any) == "none");
    const std::string by_device =
        R"("perDeviceNodeSelection":true,"devices":[{"name":"c","nodeName":"m"},{"name":"d",)";
    CHECK(given(pool(by_device + R"("nodeName":"n"}])"), any) == "r=p/d");
    CHECK(given(pool(by_device + in_zone("a") + "}]"), any) == "r=p/d");
    const auto selector = [&](const std::string& place) {
        return to_json((**allocate(pool(place), any))[0].node_selector);
    };
    CHECK(selector(d + R"("allNodes":true)") == "null");
    CHECK(selector(d + R"("nodeName":"n")") ==
          R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]})");
    CHECK(selector(d + in_zone("a")).find(R"("key":"zone")") != std::string::npos);
}

TEST_CASE("device_allocator: constraints, taints, counters") {
    const auto device = [](const std::string& name, int x, const std::string& more = {}) {
        return R"({"name":")" + name + R"(","attributes":{"x":{"int":)" + std::to_string(x) +
               R"(},"gpu.example/y":{"string":"s"}})" + more + "}";
    };
    const slices three{pool_of("p", device("a", 0) + "," + device("b", 1) + "," + device("c", 1))};
    const auto wants = [](const std::string& constraint) {
        return one_claim(exactly(R"(,"count":2)"), R"(,"constraints":[)" + constraint + "]");
    };
    CHECK(given(three, wants(R"({"matchAttribute":"gpu.example/x"})")) == "r=p/b r=p/c");
    CHECK(given(three, wants(R"({"matchAttribute":"gpu.example/x","requests":["other"]})")) == "r=p/a r=p/b");
    CHECK(given(three, wants(R"({"matchAttribute":"gpu.example/y"})")) == "r=p/a r=p/b");
    CHECK(given(three, wants(R"({"matchAttribute":"gpu.example/z"})")) == "none");
    CHECK(given(three, wants(R"({"distinctAttribute":"gpu.example/x"})")) == "r=p/a r=p/b");
    CHECK(given(three, wants(R"({"distinctAttribute":"gpu.example/y"})")) == "none");

    const auto taint = [](const char* effect) {
        return R"(,"taints":[{"key":"k","value":"v","effect":")" + std::string(effect) + R"("}])";
    };
    const auto tolerating = [](const char* words) {
        return exactly(R"(,"tolerations":[{)" + std::string(words) + "}]");
    };
    const slices tainted{pool_of("p", device("a", 0, taint("NoSchedule")))};
    CHECK(given(tainted, one_claim(exactly(""))) == "none");
    CHECK(given({pool_of("p", device("a", 0, taint("None")))}, one_claim(exactly(""))) == "r=p/a");
    for (const char* words : {R"("key":"k","operator":"Equal","value":"v")", R"("key":"k","operator":"Exists")",
                              R"("operator":"Exists")", R"("key":"k","value":"v","effect":"NoSchedule")"}) {
        CHECK(given(tainted, one_claim(tolerating(words))) == "r=p/a");
    }
    for (const char* words : {R"("key":"k","value":"w")", R"("key":"l","operator":"Exists")",
                              R"("key":"k","operator":"Exists","effect":"NoExecute")"}) {
        CHECK(given(tainted, one_claim(tolerating(words))) == "none");
    }

    // A GPU and its halves: one counter of two, in a slice of its own.
    const auto part = [&](const std::string& name, int count) {
        return device(name, 0,
                      R"(,"consumesCounters":[{"counterSet":"gpu","counters":{"slices":{"value":")" +
                          std::to_string(count) + R"("}}}])");
    };
    const std::string pool = R"("nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":2},)";
    const slices divided{
        slice_of("counters", pool + R"("sharedCounters":[{"name":"gpu","counters":{"slices":{"value":"2"}}}])"),
        slice_of("devices",
                 pool + R"("devices":[)" + part("whole", 2) + "," + part("left", 1) + "," + part("right", 1) + "]")};
    CHECK(given(divided, one_claim(exactly(""))) == "r=p/whole");
    CHECK(given(divided, one_claim(exactly(R"(,"count":2)"))) == "r=p/left r=p/right");
    CHECK(given(divided, one_claim(exactly("")), {{"gpu.example", "p", "left"}}) == "r=p/right");
    CHECK(given(divided, one_claim(exactly("")), {{"gpu.example", "p", "whole"}}) == "none");
    CHECK(given(divided, one_claim(exactly(R"(,"adminAccess":true)")), {{"gpu.example", "p", "whole"}}) == "r=p/whole");
    CHECK(given({divided[1]}, one_claim(exactly(""))) == "none");
}

TEST_CASE("device_allocator: what is wrong is named") {
    const slices all{pool_of("p", two)};
    CHECK(given(all, one_claim(exactly("", "none"))) ==
          "claim nlp/c: spec.devices.requests[0].exactly.deviceClassName: DeviceClass \"none\" does not exist");
    CHECK(given(all, one_claim(exactly(R"(,"selectors":[{"cel":{"expression":"y"}}])"))) ==
          "claim nlp/c: spec.devices.requests[0].exactly.selectors[0].cel.expression: \"y\" fails for device \"a\": no "
          "such key: y");
    auto how = options();
    how.most_steps(10);
    std::string many;
    for (int i = 0; i < 12; ++i) many += (i > 0 ? "," : "") + (R"({"name":"d)" + std::to_string(i) + R"("})");
    const auto found = allocate_devices(one_claim(exactly(R"(,"count":6)") + "," + exactly("", "zero")),
                                        device_inventory(slices{pool_of("p", many)}), {}, *node_of("n", "{}"), how);
    REQUIRE(!found.has_value());
    CHECK(found.error().message() == "claim nlp/c: its allocation takes too long to find");
}

TEST_CASE("device_allocator: the order of devices is the caller's, the configuration that of class and claim") {
    auto how = options();
    how.order([](auto& devices) { std::ranges::reverse(devices); });
    const auto claim =
        one_claim(exactly(R"(,"count":1)", "zero") + R"(,{"name":"q","exactly":{"deviceClassName":"gpu"}})",
                  R"(,"config":[{"requests":["q"],"opaque":{"driver":"gpu.example","parameters":{"b":1}}}])");
    const slices all{pool_of("p", two + R"(,{"name":"c","attributes":{"x":{"int":0}}})")};
    const auto found = allocate_devices(claim, device_inventory(all), {}, *node_of("n", "{}"), how);
    REQUIRE(found.has_value());
    REQUIRE(found->has_value());
    const auto& one = (**found)[0].devices;
    CHECK(one.results[0].device == "c");
    CHECK(one.results[1].device == "b");
    CHECK(to_json(one.config[0]) ==
          R"({"opaque":{"driver":"gpu.example","parameters":{"a":1}},"requests":["r"],"source":"FromClass"})");
    CHECK(to_json(one.config[1]) ==
          R"({"opaque":{"driver":"gpu.example","parameters":{"b":1}},"requests":["q"],"source":"FromClaim"})");
    CHECK(one.config.size() == 2);
}

namespace {

// A small world, and a search that tries every combination and looks at it as a whole.
class small_world {
public:
    explicit small_world(std::uint64_t seed) : random_(seed) {
        for (int p = 0, pools = 1 + below(2); p < pools; ++p) {
            std::string devices;
            const auto pool = "p" + std::to_string(p);
            for (int d = 0, count = 1 + below(p == 0 ? 3 : 2); d < count; ++d) {
                device made{
                    pool,         "d" + std::to_string(d), below(6) == 0 ? -1 : below(2), below(8) == 0, below(3),
                    below(8) == 0};
                devices += std::string(d > 0 ? "," : "") + R"({"name":")" + made.name + R"(")";
                if (made.x >= 0) devices += R"(,"attributes":{"x":{"int":)" + std::to_string(made.x) + "}}";
                if (made.is_tainted) devices += R"(,"taints":[{"key":"k","effect":"NoSchedule"}])";
                if (made.counters > 0) {
                    devices += R"(,"consumesCounters":[{"counterSet":"s","counters":{"c":{"value":")" +
                               std::to_string(made.counters) + R"("}}}])";
                }
                devices += "}";
                if (made.is_held) held.insert({"gpu.example", pool, made.name});
                devices_.push_back(made);
            }
            all.push_back(pool_of(pool, devices, R"(,"sharedCounters":[{"name":"s","counters":{"c":{"value":"3"}}}])"));
        }
        for (int c = 0, count = 1 + below(2); c < count; ++c) add_claim(1 + below(2));
    }

    slices all;
    claims of;
    held_devices held;

    // The first combination of alternatives for which there is an allocation, or empty.
    std::vector<std::size_t> first_possible() {
        std::vector<std::size_t> chosen;
        return try_choices(chosen) ? chosen : std::vector<std::size_t>();
    }
    // The alternatives of an allocation, after a look at it; empty: it is wrong.
    std::vector<std::size_t> choices_of(const std::vector<dra::allocation_result>& found) {
        std::vector<std::size_t> chosen;
        std::vector<unsigned> masks;
        for (std::size_t r = 0; r < requests_.size(); ++r) {
            unsigned mask = 0;
            std::size_t taken = 99;
            for (const auto& each : found[static_cast<std::size_t>(requests_[r].claim)].devices.results) {
                for (std::size_t a = 0; a < requests_[r].choices.size(); ++a) {
                    if (each.request != requests_[r].choices[a].name) continue;
                    taken = a;
                    for (std::size_t d = 0; d < devices_.size(); ++d) {
                        if (each.pool == devices_[d].pool && each.device == devices_[d].name) mask |= 1U << d;
                    }
                }
            }
            if (taken == 99 || !is_of_choice(requests_[r].choices[taken], mask)) return {};
            chosen.push_back(taken);
            masks.push_back(mask);
        }
        return is_possible(chosen, masks) ? chosen : std::vector<std::size_t>();
    }

private:
    struct device {
        std::string pool, name;
        int x;
        bool is_tainted;
        int counters;
        bool is_held;
    };
    struct choice {
        std::string name;
        int x;  // -1: any
        bool is_all;
        int count;
        bool tolerates;
    };
    struct request {
        int claim;
        std::string name;
        std::vector<choice> choices;
    };
    struct constraint {
        int claim;
        bool is_match;
        std::string request;  // empty: all
    };

    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

    static std::string words_of(const choice& c) {
        std::string out = R"("deviceClassName":"gpu")";
        if (c.x >= 0) out += R"(,"selectors":[{"cel":{"expression":"x==)" + std::to_string(c.x) + R"("}}])";
        out += c.is_all ? R"(,"allocationMode":"All")" : R"(,"count":)" + std::to_string(c.count);
        if (c.tolerates) out += R"(,"tolerations":[{"operator":"Exists"}])";
        return out;
    }
    void add_claim(int count) {
        const int claim = static_cast<int>(of.size());
        std::string words;
        for (int r = 0; r < count; ++r) {
            request made{claim, "r" + std::to_string(r), {}};
            const int choices = below(3) == 0 ? 2 : 1;
            std::string list;
            for (int a = 0; a < choices; ++a) {
                const auto sub = "s" + std::to_string(a);
                const auto name = choices == 1 ? made.name : made.name + "/" + sub;
                made.choices.push_back(
                    {name, below(2) == 0 ? -1 : below(2), below(6) == 0, below(3) == 0 ? 2 : 1, below(2) == 0});
                list += std::string(a > 0 ? "," : "") + "{" + (choices == 1 ? "" : R"("name":")" + sub + R"(",)") +
                        words_of(made.choices.back()) + "}";
            }
            words += std::string(r > 0 ? "," : "") + R"({"name":")" + made.name + R"(",)" +
                     (choices == 1 ? R"("exactly":)" + list : R"("firstAvailable":[)" + list + "]") + "}";
            requests_.push_back(made);
        }
        std::string constraints;
        if (below(2) == 0) {
            const constraint made{claim, below(2) == 0, below(2) == 0 ? "" : "r0"};
            constraints_.push_back(made);
            constraints = std::string(R"(,"constraints":[{")") + (made.is_match ? "match" : "distinct") +
                          R"(Attribute":"gpu.example/x")" + (made.request.empty() ? "" : R"(,"requests":["r0"])") +
                          "}]";
        }
        of.push_back(claim_of(R"({"requests":[)" + words + "]" + constraints + "}"));
    }
    bool matches(const choice& c, const device& d) const { return c.x < 0 || c.x == d.x; }
    bool is_of_choice(const choice& c, unsigned mask) const {
        int count = 0, matching = 0;
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            matching += matches(c, devices_[d]) ? 1 : 0;
            if ((mask >> d & 1U) == 0) continue;
            ++count;
            if (!matches(c, devices_[d]) || devices_[d].is_held || (devices_[d].is_tainted && !c.tolerates))
                return false;
        }
        return c.is_all ? matching > 0 && count == matching : count == c.count;
    }
    bool is_possible(const std::vector<std::size_t>& chosen, const std::vector<unsigned>& masks) const {
        unsigned all_of = 0;
        std::map<std::string, int> counters;
        for (const auto& each : devices_) counters[each.pool] += each.is_held ? each.counters : 0;
        for (const auto mask : masks) {
            if ((all_of & mask) != 0) return false;
            all_of |= mask;
            for (std::size_t d = 0; d < devices_.size(); ++d) {
                if ((mask >> d & 1U) != 0) counters[devices_[d].pool] += devices_[d].counters;
            }
        }
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            if ((all_of >> d & 1U) != 0 && devices_[d].counters > 0 && counters[devices_[d].pool] > 3) return false;
        }
        for (const auto& each : constraints_) {
            std::vector<int> values;
            for (std::size_t r = 0; r < requests_.size(); ++r) {
                if (requests_[r].claim != each.claim) continue;
                if (!each.request.empty() && requests_[r].name != each.request) continue;
                for (std::size_t d = 0; d < devices_.size(); ++d) {
                    if ((masks[r] >> d & 1U) != 0) values.push_back(devices_[d].x);
                }
            }
            const std::set<int> distinct(values.begin(), values.end());
            if (distinct.contains(-1)) return false;
            if (each.is_match ? distinct.size() > 1 : distinct.size() != values.size()) return false;
        }
        return chosen.size() == requests_.size();
    }
    bool try_choices(std::vector<std::size_t>& chosen) {
        if (chosen.size() == requests_.size()) {
            std::vector<unsigned> masks;
            return try_masks(chosen, masks);
        }
        for (std::size_t a = 0; a < requests_[chosen.size()].choices.size(); ++a) {
            chosen.push_back(a);
            if (try_choices(chosen)) return true;
            chosen.pop_back();
        }
        return false;
    }
    bool try_masks(const std::vector<std::size_t>& chosen, std::vector<unsigned>& masks) {
        if (masks.size() == requests_.size()) return is_possible(chosen, masks);
        const auto& c = requests_[masks.size()].choices[chosen[masks.size()]];
        for (unsigned mask = 1; mask < 1U << devices_.size(); ++mask) {
            if (!is_of_choice(c, mask)) continue;
            masks.push_back(mask);
            if (try_masks(chosen, masks)) return true;
            masks.pop_back();
        }
        return false;
    }

    std::mt19937_64 random_;
    std::vector<device> devices_;
    std::vector<request> requests_;
    std::vector<constraint> constraints_;
};

}  // namespace

TEST_CASE(
    "device_allocator: finds an allocation exactly if there is one, and the first request has its first alternative") {
    const seed_range seeds(400);
    std::size_t possible = 0;
    for (auto seed = seeds.first; seed <= seeds.last; ++seed) {
        CAPTURE(seed);
        small_world world(seed);
        const auto wanted = world.first_possible();
        const auto found = allocate(world.all, world.of, world.held);
        REQUIRE(found.has_value());
        CHECK(found->has_value() == !wanted.empty());
        if (*found) {
            const auto chosen = world.choices_of(**found);
            REQUIRE(!chosen.empty());
            CHECK(chosen[0] == wanted[0]);
        }
        possible += *found ? 1 : 0;
    }
    MESSAGE(possible << " of " << seeds.count() << " were possible");
    CHECK(possible * 5 > seeds.count());
    CHECK(possible * 5 < seeds.count() * 4);
}

TEST_CASE("device_allocator: no device and no counter is given twice") {
    const seed_range seeds(40);
    for (auto seed = seeds.first; seed <= seeds.last; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t n) { return random() % n; };
        // Four GPUs with seven slices each, as partitions of 1, 2 and 4, on two nodes.
        slices all;
        std::map<std::string, int> size_of;
        for (const char* node : {"n", "m"}) {
            std::string devices, counters;
            for (int g = 0; g < 2; ++g) {
                const auto gpu = "g" + std::to_string(g);
                counters +=
                    std::string(g > 0 ? "," : "") + R"({"name":")" + gpu + R"(","counters":{"slices":{"value":"7"}}})";
                for (int i = 0; i < 9; ++i) {
                    const int size = i < 4 ? 1 : i < 7 ? 2 : 4;
                    const auto name = gpu + "-" + std::to_string(i);
                    size_of[name] = size;
                    devices += std::string(devices.empty() ? "" : ",") + R"({"name":")" + name +
                               R"(","attributes":{"x":{"int":)" + std::to_string(size) +
                               R"(}},"consumesCounters":[{"counterSet":")" + gpu +
                               R"(","counters":{"slices":{"value":")" + std::to_string(size) + R"("}}}]})";
                }
            }
            all.push_back(slice_of(node, R"("nodeName":")" + std::string(node) + R"(","pool":{"name":")" + node +
                                             R"(","generation":1,"resourceSliceCount":1},"devices":[)" + devices +
                                             R"(],"sharedCounters":[)" + counters + "]"));
        }
        std::vector<std::vector<device_id>> running;
        held_devices held;
        std::size_t given_count = 0;
        for (int step = 0; step < 60; ++step) {
            if (below(3) == 0 && !running.empty()) {
                const auto at = running.begin() + static_cast<std::ptrdiff_t>(below(running.size()));
                for (const auto& each : *at) held.erase(each);
                running.erase(at);
                continue;
            }
            const int sizes[] = {1, 2, 4};
            const auto words = R"(,"count":)" + std::to_string(1 + below(3)) +
                               R"(,"selectors":[{"cel":{"expression":"x==)" + std::to_string(sizes[below(3)]) +
                               R"("}}])";
            const auto found = allocate(all, one_claim(exactly(words)), held, below(2) == 0 ? "n" : "m");
            REQUIRE(found.has_value());
            if (!*found) continue;
            ++given_count;
            running.push_back(devices_of((**found)[0]));
            for (const auto& each : running.back()) CHECK(held.count(*held.insert(each)) == 1);
            std::map<std::string, int> sums;
            for (const auto& each : held) sums[each.pool + each.name.substr(0, 2)] += size_of[each.name];
            for (const auto& [gpu, sum] : sums) CHECK(sum <= 7);
        }
        CHECK(given_count > 5);
    }
}
