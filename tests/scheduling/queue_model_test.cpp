// The queue beside a plain list that has the same rules: random calls, and every pod's place after each.
#include <kcontrol/scheduling/scheduling_queue.hpp>

#include "scheduling/objects.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using scheduling::cluster_event;
using scheduling::event_actions;
using scheduling::interned_name;
using scheduling::plugin_set;
using scheduling::pod_info;
using scheduling::queue_state;
using scheduling::scheduling_queue;
using scheduling::scheduling_queue_options;

namespace {

// The plugins by number; the last one gates. Plugin i names events of resource i.
constexpr plugin_set gate_bit = 4;
const char* const resources[] = {"Node", "Pod", "Gate"};

struct plain_pod {
    std::shared_ptr<const pod_info> pod;
    queue_state state = queue_state::active;
    time_point added;
    time_point entered;
    time_point until;  // backoff, unschedulable
    time_point backoff_until;
    std::uint32_t rejections = 0;
    std::uint32_t failures = 0;
    std::uint32_t attempts = 0;
    plugin_set rejected_by = 0;
    std::uint64_t number = 0;
    std::size_t popped_at = 0;  // in flight: how many events there were
    queue_state before = queue_state::active;
    time_point until_before;
    bool was_updated = false;
};

class queue_world {
public:
    explicit queue_world(std::uint64_t seed) : random_(seed) {
        for (const char* resource : resources) {
            REQUIRE(queue_.add_plugin(resource, {{interned_name(resource), event_actions::all}}).has_value());
        }
    }

    void step() {
        now_ += std::chrono::milliseconds(below(3) == 0 ? below(400'000) : below(700));
        advance();
        queue_.advance(now_);
        const std::string name(1, static_cast<char>('a' + below(24)));
        const auto found = pods_.find(name);
        plain_pod* const one = found == pods_.end() ? nullptr : &found->second;
        switch (below(12)) {
        case 0:
        case 1: return add(name);
        case 2: return remove(name);
        case 3:
        case 4:
        case 5: return pop();
        case 6: return event(below(3));
        case 7: closed_.contains(name) ? void(closed_.erase(name)) : void(closed_.insert(name)); return;
        case 8: return take(name);
        case 9: return end(one, 1 + below(3));
        case 10: return end(one, 0);
        default: return activate(one);
        }
    }

    void check() {
        std::optional<time_point> next;
        std::map<queue_state, std::size_t> sizes;
        for (const auto& [name, one] : pods_) {
            const auto* const found = queue_.find("default", name);
            REQUIRE(found != nullptr);
            REQUIRE(found->pod == one.pod.get());
            REQUIRE(found->state == one.state);
            REQUIRE(found->attempts == one.attempts);
            REQUIRE(found->added == one.added);
            REQUIRE(found->entered == one.entered);
            ++sizes[one.state];
            const bool waits = one.state == queue_state::backoff || one.state == queue_state::unschedulable;
            if (waits && (!next || one.until < *next)) next = one.until;
        }
        REQUIRE(queue_.size() == pods_.size());
        for (const auto state : {queue_state::active, queue_state::backoff, queue_state::unschedulable,
                                 queue_state::gated, queue_state::in_flight}) {
            REQUIRE(queue_.size(state) == sizes[state]);
        }
        REQUIRE(queue_.next_deadline() == next);
    }

private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    void wake(plain_pod& one) {
        if (closed_.contains(std::string(one.pod->name()))) {
            one.state = queue_state::gated;
            one.rejected_by = gate_bit;
        } else if (one.backoff_until > now_) {
            one.state = queue_state::backoff;
            one.until = one.backoff_until;
        } else {
            one.state = queue_state::active;
        }
    }
    void advance() {
        for (auto& [name, one] : pods_) {
            const bool waits = one.state == queue_state::backoff || one.state == queue_state::unschedulable;
            if (waits && one.until <= now_) wake(one);
        }
    }
    void add(const std::string& name) {
        const auto found = pods_.find(name);
        auto made = std::make_shared<core::pod>();
        made->metadata.namespace_ = "default";
        made->metadata.name = name;
        const bool is_new = found == pods_.end() || below(8) == 0;
        made->metadata.uid = is_new ? std::to_string(++numbers_) : std::string(found->second.pod->uid());
        made->spec.priority = is_new ? static_cast<std::int32_t>(below(3)) : found->second.pod->priority();
        const bool is_labelled = below(2) == 0;
        if (is_labelled) made->metadata.labels["a"] = "b";
        const auto info = std::make_shared<const pod_info>(std::move(made));
        queue_.set(info, now_);
        if (is_new) {
            plain_pod one;
            one.pod = info;
            one.added = one.entered = now_;
            one.number = numbers_;
            wake(one);
            pods_[name] = one;
            return;
        }
        plain_pod& one = found->second;
        const bool changed = is_labelled != one.pod->pod().metadata.labels.contains("a");
        one.pod = info;
        if (one.state == queue_state::active || one.state == queue_state::gated) return wake(one);
        if (!changed) return;
        if (one.state == queue_state::in_flight) one.was_updated = true;
        if (one.state == queue_state::unschedulable && (one.rejected_by & 2) != 0) wake(one);  // an event of a Pod
    }
    void remove(const std::string& name) {
        const auto found = pods_.find(name);
        if (found == pods_.end()) return;
        REQUIRE(queue_.remove("default", name, found->second.pod->uid()));
        pods_.erase(found);
    }
    void fly(plain_pod& one) {
        one.before = one.state;
        one.until_before = one.until;
        one.state = queue_state::in_flight;
        one.popped_at = events_.size();
        one.was_updated = false;
        ++one.attempts;
    }
    void pop() {
        plain_pod* first = nullptr;
        for (auto& [name, one] : pods_) {
            if (one.state != queue_state::active) continue;
            const auto rank = [](const plain_pod& of) {
                return std::tuple(-of.pod->priority(), of.entered, of.number);
            };
            if (first == nullptr || rank(one) < rank(*first)) first = &one;
        }
        const auto* const popped = queue_.pop(now_);
        REQUIRE((popped == nullptr) == (first == nullptr));
        if (first == nullptr) return;
        REQUIRE(popped->pod == first->pod.get());
        fly(*first);
    }
    void take(const std::string& name) {
        const auto found = pods_.find(name);
        if (found == pods_.end()) return;
        const bool may = found->second.state != queue_state::gated && found->second.state != queue_state::in_flight;
        REQUIRE((queue_.take(*found->second.pod, now_) != nullptr) == may);
        if (may) fly(found->second);
    }
    bool missed_help(const plain_pod& one) const {
        for (std::size_t i = one.popped_at; i < events_.size(); ++i) {
            if ((one.rejected_by & (plugin_set{1} << events_[i])) != 0) return true;
        }
        return one.was_updated;
    }
    // Of a pod in flight: by = 0 is done, put back or failed; else these plugins rejected it.
    void end(plain_pod* one, plugin_set by) {
        if (one == nullptr || one->state != queue_state::in_flight) return;
        const auto pod = one->pod;
        const auto after = [&](std::uint32_t times) {
            return now_ + std::min<duration>(10s, std::chrono::seconds(1U << std::min(times - 1, 10U)));
        };
        const auto land = [&](time_point until) {
            if (missed_help(*one)) return wake(*one);
            one->state = queue_state::unschedulable;
            one->until = until;
        };
        if (by != 0) {
            queue_.reject(*pod, by, now_);
            one->failures = 0;
            one->entered = now_;
            one->rejected_by = by;
            one->backoff_until = after(++one->rejections);
            return land(now_ + 5min);
        }
        switch (below(3)) {
        case 0:
            queue_.done(*pod);
            pods_.erase(std::string(pod->name()));
            return;
        case 1:
            queue_.fail(*pod, now_);
            one->entered = now_;
            one->rejected_by = 0;
            one->backoff_until = after(++one->failures);
            return wake(*one);
        default:
            queue_.put_back(*pod, now_);
            --one->attempts;
            one->before == queue_state::unschedulable ? land(one->until_before) : wake(*one);
        }
    }
    void event(std::uint64_t plugin) {
        std::size_t moved = 0;
        events_.push_back(plugin);
        for (auto& [name, one] : pods_) {
            const bool waits = one.state == queue_state::unschedulable || one.state == queue_state::gated;
            if (!waits || (one.rejected_by & (plugin_set{1} << plugin)) == 0) continue;
            wake(one);
            ++moved;
        }
        const cluster_event what{{interned_name(resources[plugin]), event_actions::add}, {}, {}};
        REQUIRE(queue_.event(what, now_) == moved);
    }
    void activate(plain_pod* one) {
        if (one == nullptr) return;
        const bool waits = one->state == queue_state::unschedulable || one->state == queue_state::gated;
        const bool flies = one->state == queue_state::in_flight;
        REQUIRE(queue_.activate(*one->pod, now_) == (waits || flies));
        if (waits) wake(*one);
        one->was_updated |= flies;
    }

    std::mt19937_64 random_;
    time_point now_{1000s};
    std::uint64_t numbers_ = 0;
    std::set<std::string> closed_;
    std::map<std::string, plain_pod> pods_;
    std::vector<std::uint64_t> events_;
    scheduling_queue queue_{scheduling_queue_options().gate(
        [this](const pod_info& pod) { return closed_.contains(std::string(pod.name())) ? gate_bit : plugin_set{0}; })};
};

}  // namespace

TEST_CASE("scheduling_queue: beside a plain list") {
    const auto steps = test::asked_for("KCONTROL_SCHEDULING_STEPS", test::as_many_as(10'000));
    constexpr std::uint64_t steps_of_world = 1000;
    for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(1, steps / steps_of_world); ++seed) {
        CAPTURE(seed);
        queue_world one(seed);
        for (std::uint64_t step = 0; step < steps_of_world; ++step) {
            CAPTURE(step);
            one.step();
            one.check();
        }
    }
}
