// Fair shares: by hand, and what holds for random tenants.
#include "tenants/fair_share.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace gpu_scheduler;

namespace {

tenant_claim claim(std::string name, std::int64_t quota, std::int64_t weight, std::int64_t request_milli,
                   std::string parent = "", std::int64_t limit = -1) {
    return {std::move(name), std::move(parent), quota, limit, weight, request_milli};
}

}  // namespace

TEST_CASE("share_out: rows") {
    struct {
        const char* why;
        std::int64_t gpus;
        std::vector<tenant_claim> claims;
        fair_shares expected;
    } rows[] = {
        {"weights 3:1 on 8", 8, {claim("a", 0, 3, 8000), claim("b", 0, 1, 8000)}, {{"a", 6000}, {"b", 2000}}},
        {"what one doesn't want, others get",
         8,
         {claim("a", 0, 3, 1000), claim("b", 0, 1, 8000)},
         {{"a", 1000}, {"b", 7000}}},
        {"all are satisfied", 8, {claim("a", 4, 3, 1000), claim("b", 0, 1, 2500)}, {{"a", 1000}, {"b", 2500}}},
        {"the quota first", 8, {claim("a", 0, 3, 8000), claim("b", 6, 1, 8000)}, {{"a", 2000}, {"b", 6000}}},
        {"the quota, then the rest by weight",
         8,
         {claim("a", 2, 1, 8000), claim("b", 2, 1, 8000)},
         {{"a", 4000}, {"b", 4000}}},
        {"the largest remainder", 10, {claim("a", 0, 1, 10000), claim("b", 0, 5, 10000)}, {{"a", 2000}, {"b", 8000}}},
        {"equal remainders go by name",
         8,
         {claim("c", 0, 1, 8000), claim("b", 0, 1, 8000), claim("a", 0, 1, 8000)},
         {{"a", 3000}, {"b", 3000}, {"c", 2000}}},
        {"quotas beyond what there is",
         8,
         {claim("a", 12, 1, 20000), claim("b", 4, 9, 20000)},
         {{"a", 6000}, {"b", 2000}}},
        {"weight 0 has its quota only",
         8,
         {claim("a", 1, 0, 8000), claim("b", 0, 1, 3000)},
         {{"a", 1000}, {"b", 3000}}},
        {"a limit", 8, {claim("a", 0, 3, 8000, "", 2), claim("b", 0, 1, 8000)}, {{"a", 2000}, {"b", 6000}}},
        {"parts of a GPU", 1, {claim("a", 0, 1, 250), claim("b", 0, 1, 500)}, {{"a", 250}, {"b", 0}}},
        {"levels",
         8,
         {claim("lab", 0, 1, 0), claim("shop", 0, 1, 8000), claim("nlp", 0, 3, 8000, "lab"),
          claim("cv", 0, 1, 8000, "lab")},
         {{"lab", 4000}, {"shop", 4000}, {"nlp", 3000}, {"cv", 1000}}},
        {"own pods of a tenant with others below",
         8,
         {claim("lab", 6, 1, 8000), claim("nlp", 2, 1, 8000, "lab"), claim("shop", 0, 1, 8000)},
         {{"lab", 7000}, {"nlp", 2000}, {"shop", 1000}}},
        {"a limit above holds below",
         8,
         {claim("lab", 0, 1, 0, "", 2), claim("nlp", 0, 1, 8000, "lab")},
         {{"lab", 2000}, {"nlp", 2000}}},
        {"parents that lead in a circle, or nowhere",
         9,
         {claim("a", 0, 1, 9000, "b"), claim("b", 0, 1, 9000, "a"), claim("c", 0, 1, 9000, "none")},
         {{"a", 3000}, {"b", 3000}, {"c", 3000}}},
        {"no GPUs", 0, {claim("a", 2, 1, 8000)}, {{"a", 0}}},
        {"no tenants", 8, {}, {}},
    };
    for (const auto& row : rows) {
        CAPTURE(row.why);
        CHECK(share_out(row.gpus, row.claims) == row.expected);
    }
}

TEST_CASE("share_out: what always holds") {
    std::mt19937 random(11);
    const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
    for (int round = 0; round < 20'000; ++round) {
        CAPTURE(round);
        const auto gpus = below(40);
        std::vector<tenant_claim> claims;
        for (std::int64_t i = below(8); i >= 0; --i) {
            auto made = claim(std::string(1, static_cast<char>('a' + i)), below(3) * below(8), below(5), below(20'000));
            if (below(4) == 0) made.own_request = 0;
            if (below(3) == 0) made.limit = below(12);
            if (below(2) == 0 && !claims.empty()) made.parent = claims[random() % claims.size()].name;
            claims.push_back(std::move(made));
        }
        const auto shares = share_out(gpus, claims);

        // The order of input is of no meaning.
        auto shuffled = claims;
        std::ranges::shuffle(shuffled, random);
        REQUIRE(share_out(gpus, shuffled) == shares);

        std::map<std::string, std::vector<tenant_claim>> levels;
        for (const auto& each : claims) levels[each.parent].push_back(each);
        const auto request_of = [&](const auto& self, const tenant_claim& of) -> std::int64_t {
            auto sum = of.own_request;
            for (const auto& each : levels[of.name]) sum += self(self, each);
            return of.limit < 0 ? sum : std::min(sum, of.limit * milli_per_gpu);
        };
        const auto whole = [&](std::int64_t milli) { return (milli + 999) / 1000; };
        for (const auto& [parent, level] : std::map(levels)) {
            const auto above = parent.empty() ? gpus * 1000 : whole(shares.find(parent)->second) * 1000;
            std::int64_t sum = 0, wanted = 0, quotas = 0;
            for (const auto& each : level) {
                const auto share = shares.find(each.name)->second, request = request_of(request_of, each);
                REQUIRE(share >= 0);
                REQUIRE(share <= request);
                sum += share;
                wanted += whole(request);
                quotas += std::min(each.quota, whole(request));
            }
            REQUIRE(sum <= above);
            if (!parent.empty()) continue;
            bool has_weights = true;
            for (const auto& each : level) has_weights = has_weights && each.weight > 0;
            std::int64_t given = 0;
            for (const auto& each : level) given += whole(shares.find(each.name)->second);
            if (has_weights) REQUIRE(given == std::min(gpus, wanted));
            if (quotas > gpus) continue;
            for (const auto& a : level) {
                const auto guaranteed = std::min(a.quota, whole(request_of(request_of, a)));
                const auto share = whole(shares.find(a.name)->second);
                REQUIRE(share >= guaranteed);
                if (share == whole(request_of(request_of, a))) continue;
                // Nobody has more beyond its quota, by weight, than one that requests more; but for a last GPU.
                for (const auto& b : level) {
                    const auto others =
                        whole(shares.find(b.name)->second) - std::min(b.quota, whole(request_of(request_of, b)));
                    REQUIRE((others - 1) * a.weight < (share - guaranteed + 1) * std::max<std::int64_t>(1, b.weight));
                }
            }
        }
    }
}
