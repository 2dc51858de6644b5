#include <kcontrol/webhook/authority_set.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

const wall_time start = wall_time(std::chrono::seconds(1'800'000'000));

authority_policy policy() {
    authority_policy out;
    out.authority_lifetime(100h).renew_before(40h).publish_ahead(2h).certificate_lifetime(10h);
    return out;
}

webhook_authority made_at(duration after, const std::string& name) {
    return {name, secret_string(name + "-key"), start + after, start + after + 100h};
}

std::string signer(const authority_set& set, duration after) {
    const auto* found = set.signer(start + after, policy());
    return found == nullptr ? "nobody" : found->certificate;
}

}  // namespace

TEST_CASE("an authority is trusted before it signs, and for as long as its certificates live") {
    authority_set set;
    CHECK(set.needs_authority(start, policy()));
    CHECK(signer(set, 0h) == "nobody");
    set.add(made_at(0h, "A"));
    CHECK(signer(set, 0h) == "A");  // nobody else could
    CHECK_FALSE(set.needs_authority(start + 59h, policy()));
    CHECK(set.needs_authority(start + 60h, policy()));

    set.add(made_at(60h, "B"));
    CHECK_FALSE(set.needs_authority(start + 60h, policy()));
    CHECK(signer(set, 61h) == "A");
    CHECK(set.bundle(start + 61h) == "AB");
    CHECK_FALSE(set.prune(start + 61h, policy()));

    CHECK(signer(set, 62h) == "B");
    CHECK(set.prune(start + 62h, policy()));  // A's key is of no use any more
    CHECK(set.all().front().key.empty());
    CHECK(set.bundle(start + 71h) == "AB");
    CHECK_FALSE(set.prune(start + 71h, policy()));
    CHECK(set.prune(start + 72h, policy()));  // A's last certificate has ended
    CHECK(set.bundle(start + 72h) == "B");
}

TEST_CASE("what has ended signs nothing and is not trusted") {
    authority_set set;
    set.add(made_at(0h, "A"));
    CHECK(signer(set, 100h) == "nobody");
    CHECK(set.bundle(start + 100h).empty());
    CHECK(set.prune(start + 100h, policy()));
    CHECK(set.all().empty());
}

TEST_CASE("authorities come back from their text; what is no such text says nothing of itself") {
    authority_set set;
    set.add(made_at(0h, "A"));
    set.add(made_at(60h, "B"));
    const secret_string text = set.encode();
    CHECK(authority_set::decode(text.reveal()).value() == set);
    for (const std::string bad : {"", "{}", "[1]", R"([{"certificate":"x","key":"canary"}])"}) {
        const auto refused = authority_set::decode(bad);
        REQUIRE_FALSE(refused);
        CHECK(std::string(refused.error().what()).find("canary") == std::string::npos);
    }
}
