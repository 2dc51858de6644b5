// Tenants: hunger, limits and victims; worlds of tenants that take from each other until all stay as they are.
#include "tenants/book.hpp"

#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace gpu_scheduler;

namespace {

tenant_account account(std::string name, std::int64_t quota, std::int64_t weight, std::int64_t request_milli,
                       std::string parent = "", std::int64_t limit = -1) {
    tenant_account out;
    out.claim = {std::move(name), std::move(parent), quota, limit, weight, request_milli};
    return out;
}
tenant_pod pod(std::string name, std::string tenant, std::int64_t amount = 1000, std::int32_t priority = 0,
               std::int64_t seconds = 100) {
    return {std::move(name), std::move(tenant), amount, priority, seconds};
}

// Tenants and their pods on one heap of GPUs: pods start in the order of hunger, priority and name, and take places by
// the rule for victims, until nothing changes.
class world {
public:
    world(std::int64_t gpus, std::vector<tenant_account> tenants, std::vector<tenant_pod> pods)
        : gpus_(gpus), tenants_(std::move(tenants)), pods_(std::move(pods)), is_running_(pods_.size()) {}

    // Requests are what pods hold and wait for.
    tenant_book book() const {
        auto accounts = tenants_;
        for (auto& each : accounts) {
            each.claim.own_request = 0;
            for (const auto& one : pods_) each.claim.own_request += one.tenant == each.claim.name ? one.amount : 0;
        }
        tenant_book out(gpus_, accounts);
        out.set_running(running());
        for (const auto& each : running()) out.hold(each.tenant, each.amount);
        return out;
    }
    std::vector<tenant_pod> running() const {
        std::vector<tenant_pod> out;
        for (std::size_t i = 0; i < pods_.size(); ++i) {
            if (is_running_[i]) out.push_back(pods_[i]);
        }
        return out;
    }
    std::int64_t free() const {
        auto out = gpus_ * milli_per_gpu;
        for (std::size_t i = 0; i < pods_.size(); ++i) out -= is_running_[i] ? pods_[i].amount : 0;
        return out;
    }
    // The one that starts last has run for the shortest time.
    void start(std::size_t pod) {
        is_running_[pod] = true;
        pods_[pod].running_seconds = 1'000'000 - ++starts_;
    }

    // One decision: the first pod that can be placed, with its victims. False: none can.
    bool step() {
        const auto now = book();
        std::vector<std::size_t> waiting;
        for (std::size_t i = 0; i < pods_.size(); ++i) {
            if (!is_running_[i]) waiting.push_back(i);
        }
        std::ranges::sort(waiting, {}, [&](std::size_t i) {
            return std::tuple(now.hunger(pods_[i].tenant), -pods_[i].priority, pods_[i].name);
        });
        for (const auto next : waiting) {
            const auto& wanted = pods_[next];
            if (now.over_limit(wanted.tenant, wanted.amount)) continue;
            const auto needed = wanted.amount - free();
            if (needed > 0) {
                const auto victims = victims_of(now, wanted, needed);
                if (!victims) continue;
                for (const auto victim : *victims) is_running_[victim] = false;
                evictions += victims->size();
            }
            start(next);
            return true;
        }
        return false;
    }
    // As plan_preemption(): all that may go leave, and come back, the most important first, as far as they can.
    std::optional<std::vector<std::size_t>> victims_of(const tenant_book& now, const tenant_pod& wanted,
                                                       std::int64_t needed) const {
        std::vector<std::size_t> out;
        std::int64_t freed = 0;
        for (std::size_t i = 0; i < pods_.size(); ++i) {
            if (!is_running_[i] || !now.may_take(wanted.tenant, wanted.amount, wanted.priority, pods_[i])) continue;
            out.push_back(i);
            freed += pods_[i].amount;
        }
        if (freed < needed) return {};
        std::ranges::sort(out, std::greater(), [&](std::size_t i) {
            return std::tuple(pods_[i].priority, pods_[i].running_seconds, pods_[i].name);
        });
        std::erase_if(out, [&](std::size_t i) {
            if (freed - pods_[i].amount < needed) return false;
            freed -= pods_[i].amount;
            return true;
        });
        return out;
    }
    // False: it does not end. With which pods run, the order of their starts counts.
    bool settle() {
        for (int i = 0; i < 10'000; ++i) {
            if (!step()) return true;
        }
        return false;
    }
    std::int64_t held_by(const std::string& tenant) const { return book().find(tenant)->allocated; }

    std::size_t evictions = 0;

private:
    std::int64_t gpus_;
    std::vector<tenant_account> tenants_;
    std::vector<tenant_pod> pods_;
    std::vector<bool> is_running_;
    std::int64_t starts_ = 0;
};

std::vector<tenant_pod> many(const std::string& tenant, int count, std::int32_t priority = 0) {
    std::vector<tenant_pod> out;
    for (int i = 0; i < count; ++i) out.push_back(pod(tenant + std::to_string(i), tenant, 1000, priority));
    return out;
}

}  // namespace

TEST_CASE("tenants: classes of hunger") {
    tenant_book book(10, {account("a", 0, 1, 20'000), account("none", 0, 0, 0)});
    const auto held = [&](std::int64_t amount) {
        auto now = book;
        now.hold("a", amount);
        return now.hunger("a");
    };
    CHECK(held(0) == 0);
    CHECK(held(2999) == 0);
    CHECK(held(3000) == 1);
    CHECK(held(6999) == 1);
    CHECK(held(7000) == 2);
    CHECK(book.hunger("none") == 2);
    CHECK(book.hunger("unknown") == 2);
    CHECK(book.hunger("a", {0, 0}) == 2);
}

TEST_CASE("tenants: limits, also of those above") {
    tenant_book book(100, {account("lab", 0, 1, 0, "", 16), account("nlp", 0, 1, 0, "lab", 1)});
    CHECK_FALSE(book.over_limit("nlp", 1000));
    CHECK(book.over_limit("nlp", 1001) == "tenant nlp is at its limit of 1 GPU");
    book.hold("lab", 15'500);
    CHECK(book.over_limit("nlp", 1000) == "tenant lab is at its limit of 16 GPUs");
    book.hold("nlp", 500);
    CHECK(book.find("lab")->allocated == 16'000);
    CHECK(book.over_limit("nlp", 600) == "tenant nlp is at its limit of 1 GPU");
    CHECK_FALSE(book.over_limit("unknown", 1000));
}

TEST_CASE("tenants: what may be taken") {
    // "a" has 4 guaranteed, "b" 2; each has a fair share of 5 and 3.
    std::vector<tenant_account> both = {account("a", 4, 1, 8000), account("b", 2, 1, 8000)};
    const auto may = [&](std::int64_t a, std::int64_t b, const tenant_pod& victim, std::int64_t amount = 1000) {
        tenant_book book(8, both);
        book.hold("a", a);
        book.hold("b", b);
        book.set_running({victim});
        return book.may_take("a", amount, 5, victim);
    };
    CHECK(may(4000, 4000, pod("v", "b")));
    CHECK_FALSE(may(5000, 4000, pod("v", "b")));        // "a" has what is due to it
    CHECK_FALSE(may(4500, 4000, pod("v", "b")));        // and would have more
    CHECK_FALSE(may(4000, 3000, pod("v", "b")));        // "b" has no more than its share
    CHECK_FALSE(may(4000, 4000, pod("v", "b", 2000)));  // a part of the pod is due to "b", and the quota is used up
    CHECK(may(3000, 4000, pod("v", "b", 2000)));        // the quota of "a" covers its pod
    CHECK(may(0, 8000, pod("v", "b", 5000), 5000));
    CHECK(may(4000, 4000, pod("v", "b", 1000, 9)));  // whatever its priority
    CHECK_FALSE(may(4000, 4000, pod("v", "unknown")));
    both[1].min_runtime_seconds = 101;
    CHECK_FALSE(may(4000, 4000, pod("v", "b")));
    CHECK(may(4000, 4000, pod("v", "b", 1000, 0, 101)));
    both[1].min_runtime_seconds = 0;
    both[1].preemptible = false;
    CHECK_FALSE(may(4000, 4000, pod("v", "b")));
    // Within a tenant: by priority alone.
    CHECK(may(8000, 0, pod("v", "a", 1000, 4)));
    CHECK_FALSE(may(8000, 0, pod("v", "a", 1000, 5)));
}

TEST_CASE("tenants: what may be taken on another branch") {
    tenant_book book(8, {account("lab", 4, 1, 0), account("nlp", 0, 1, 8000, "lab"), account("cv", 0, 1, 8000, "lab"),
                         account("shop", 4, 1, 8000)});
    book.hold("nlp", 4000);
    book.hold("shop", 4000);
    book.set_running({pod("v", "nlp"), pod("w", "shop")});
    CHECK(book.may_take("cv", 1000, 0, pod("v", "nlp")));
    // "cv" is due two, but the four of "lab" are held already: nothing is taken from outside.
    CHECK_FALSE(book.may_take("cv", 1000, 0, pod("w", "shop")));
    book.hold("nlp", -2000);
    book.hold("shop", 2000);
    CHECK(book.may_take("cv", 1000, 0, pod("w", "shop")));
}

TEST_CASE("tenants: victims are the least important pods of what exceeds") {
    tenant_book book(8, {account("a", 4, 1, 4000), account("b", 0, 1, 8000)});
    book.hold("b", 8000);
    const std::vector<tenant_pod> running = {pod("old", "b", 1000, 0, 500), pod("big", "b", 3000, 0, 400),
                                             pod("new", "b", 1000, 0, 10), pod("high", "b", 2000, 7, 1),
                                             pod("low", "b", 1000, -1)};
    book.set_running(running);
    const auto may = [&](std::size_t i, std::int64_t amount) { return book.may_take("a", amount, 0, running[i]); };
    CHECK(may(4, 1000));
    CHECK(may(2, 1000));
    CHECK(may(1, 1000));        // of "big" 2 GPUs exceed what is due to "b"; the quota of "a" covers its pod
    CHECK_FALSE(may(0, 1000));  // all of these is due
    CHECK_FALSE(may(3, 1000));
    CHECK_FALSE(may(4, 5000));  // more than is due to "a"
    CHECK_FALSE(book.may_take("b", 1000, 0, pod("v", "a")));
}

// A borrower's pod of 8 GPUs of which 4 exceed: the owner of the other 4 gets them in one round, and that is the end.
TEST_CASE("tenants: a large pod of which a part exceeds goes for a quota, and for no fair share") {
    for (const std::int64_t quota : {4, 0}) {
        auto pods = many("owner", 4);
        pods.push_back(pod("large", "borrower", 8000, 100));
        pods.push_back(pod("small", "borrower", 4000, 100));
        world w(8, {account("owner", quota, 1, 0), account("borrower", quota, 1, 0)}, pods);
        w.start(4);
        REQUIRE(w.settle());
        CHECK(w.held_by("owner") == quota * 1000);
        CHECK(w.held_by("borrower") == 8000 - quota * 1000);  // the small one in the place of the large one
        CHECK(w.evictions == (quota > 0 ? 1 : 0));
    }
}

// Pods of a tenant that has others below it are like one more tenant there.
TEST_CASE("tenants: own pods of a tenant give back what those below it are due") {
    auto pods = many("lab", 8, 100);
    const auto others = many("nlp", 8);
    pods.insert(pods.end(), others.begin(), others.end());
    world w(8, {account("lab", 8, 1, 0), account("nlp", 4, 1, 0, "lab")}, pods);
    for (std::size_t i = 0; i < 8; ++i) w.start(i);
    REQUIRE(w.settle());
    CHECK(w.held_by("nlp") == 4000);
    CHECK(w.held_by("lab") == 8000);
}

TEST_CASE("tenants: weights 3 and 1 come to 6 and 2, and stay") {
    auto pods = many("a", 8);
    const auto others = many("b", 8);
    pods.insert(pods.end(), others.begin(), others.end());
    for (const bool a_first : {true, false}) {
        world w(8, {account("a", 0, 3, 0), account("b", 0, 1, 0)}, pods);
        for (std::size_t i = 0; i < 8; ++i) w.start(a_first ? i : 8 + i);
        REQUIRE(w.settle());
        CHECK(w.held_by("a") == 6000);
        CHECK(w.held_by("b") == 2000);
        CHECK(w.evictions == (a_first ? 2 : 6));
        CHECK_FALSE(w.step());
    }
}

TEST_CASE("tenants: one under its quota gets it, from those that have more") {
    auto pods = many("borrower", 8, 100);
    const auto owners = many("owner", 8);
    pods.insert(pods.end(), owners.begin(), owners.end());
    world w(8, {account("owner", 4, 1, 0), account("borrower", 4, 9, 0)}, pods);
    for (std::size_t i = 0; i < 8; ++i) w.start(i);
    REQUIRE(w.settle());
    CHECK(w.held_by("owner") == 4000);
    CHECK(w.evictions == 4);
}

// Random tenants, levels, quotas, limits, sizes and priorities. KCONTROL_GPU_WORLDS=100000: so many worlds.
TEST_CASE("tenants: no circle of evictions, and nobody beyond what there is") {
    const auto worlds = static_cast<int>(kcontrol::test::asked_for("KCONTROL_GPU_WORLDS", 1000));
    for (int seed = 0; seed < worlds; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
        const auto gpus = 1 + below(12);
        const bool ones = below(2) == 0;
        std::vector<tenant_account> tenants;
        for (int i = 0; i < 2 + below(4); ++i) {
            auto made = account(std::string(1, static_cast<char>('a' + i)), below(2) * below(6), below(4), 0);
            if (below(4) == 0) made.claim.limit = made.claim.quota + below(6);
            if (below(3) == 0 && i > 0) made.claim.parent = tenants[random() % tenants.size()].claim.name;
            made.preemptible = below(5) != 0;
            tenants.push_back(std::move(made));
        }
        std::vector<tenant_pod> pods;
        for (int i = 0; i < 4 + below(12); ++i) {
            const std::int64_t sizes[] = {250, 500, 1000, 1000, 2000, 4000};
            pods.push_back(pod("p" + std::to_string(10 + i), tenants[random() % tenants.size()].claim.name,
                               ones ? 1000 : sizes[below(6)], static_cast<std::int32_t>(below(3)), below(200)));
        }
        world w(gpus, tenants, pods);
        for (std::size_t i = 0; i < pods.size(); ++i) {
            if (below(2) == 0 && pods[i].amount <= w.free() && !w.book().over_limit(pods[i].tenant, pods[i].amount))
                w.start(i);
        }
        REQUIRE(w.settle());
        REQUIRE(w.free() >= 0);
        const auto end = w.book();
        for (const auto& each : tenants) {
            const auto& held = *end.find(each.claim.name);
            REQUIRE((each.claim.limit < 0 || held.allocated <= each.claim.limit * milli_per_gpu));
        }
        // With whole GPUs, one level, quotas that are there and preemptible tenants, each holds its fair share at
        // least.
        std::int64_t quotas = 0;
        for (const auto& each : tenants) quotas += each.claim.quota;
        const bool plain = ones && quotas <= gpus && std::ranges::all_of(tenants, [](const tenant_account& each) {
                               return each.preemptible && each.claim.parent.empty();
                           });
        if (!plain) continue;
        for (const auto& each : tenants) {
            const auto& held = *end.find(each.claim.name);
            REQUIRE(held.allocated >= held.fair_share);
        }
    }
}
