// What is saved comes back, and what is broken changes nothing.
#include "history/history.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gpu_labeler;

namespace {

kcontrol::wall_time at(std::int64_t seconds) { return kcontrol::wall_time(std::chrono::seconds(seconds)); }

gpu_sample gpu(unsigned index, std::string uuid, double watts) {
    gpu_sample out;
    out.index = index;
    out.uuid = std::move(uuid);
    out.power_watts = watts;
    return out;
}

std::string shown(const history& h, const char* uuid, metric which = metric::power) {
    std::string out;
    for (const auto& p : h.points(uuid, which)) {
        out += (out.empty() ? "" : " ") + std::to_string(p.time) + ":" + std::to_string(static_cast<int>(p.value));
    }
    return out;
}

// Two slots of 10 s, four of 30 s.
history_layout small() {
    history_layout out;
    out.recent = {10, 2};
    out.earlier = {30, 4};
    out.most_gpus = 2;
    return out;
}

history filled() {
    history h(small());
    for (std::int64_t t = 0; t <= 130; t += 10) h.record(at(t), {gpu(0, "a", static_cast<double>(t)), gpu(1, "b", 1)});
    return h;
}

}  // namespace

TEST_CASE("saved past: it comes back, and goes on") {
    const auto before = filled();
    const auto saved = before.save();
    history after(small());
    REQUIRE(after.restore(saved, at(131)));
    CHECK(shown(after, "a") == "30:40 60:70 90:100 120:120 130:130");
    CHECK(shown(after, "a") == shown(before, "a"));
    CHECK(shown(after, "b") == shown(before, "b"));
    REQUIRE(after.gpus().size() == 2);
    CHECK(after.gpus()[1].index == 1);
    CHECK(after.gpus()[1].last_seen == 130);
    CHECK(after.save() == saved);
    after.record(at(140), {gpu(0, "a", 140)});
    // The mean that was saved counts as one value.
    CHECK(shown(after, "a") == "30:40 60:70 90:100 120:132");
    history empty(small());
    REQUIRE(empty.restore(history(small()).save(), at(5)));
    CHECK(empty.gpus().empty());
}

TEST_CASE("saved past: what is too old, or lies ahead, is left out") {
    const auto saved = filled().save();
    history late(small());
    REQUIRE(late.restore(saved, at(130 + 60)));
    CHECK(shown(late, "a") == "90:100 120:125");
    REQUIRE(late.restore(saved, at(130 + 120)));
    CHECK(late.gpus().empty());
    history early(small());  // the clock was set back
    REQUIRE(early.restore(saved, at(70)));
    CHECK(shown(early, "a") == "30:40");
    CHECK(early.gpus()[0].last_seen == 70);
}

TEST_CASE("saved past: of slots of another length the others remain; more GPUs than there is room for are left out") {
    const auto saved = filled().save();
    auto layout = small();
    layout.recent = {5, 4};
    history other(layout);
    REQUIRE(other.restore(saved, at(131)));
    CHECK(shown(other, "a") == "30:40 60:70 90:100");
    layout = small();
    layout.most_gpus = 1;
    history one(layout);
    REQUIRE(one.restore(saved, at(131)));
    CHECK(one.gpus().size() == 1);
}

TEST_CASE("saved past: a broken file changes nothing") {
    auto h = filled();
    const auto good = h.save();
    const auto refused = [&](std::string text) {
        const auto done = h.restore(text, at(131));
        return !done && done.error() == kcontrol::errc::decode_failed && h.save() == good;
    };
    CHECK(refused(""));
    CHECK(refused("GPUPAST1"));
    CHECK(refused("GPUPAST2" + good.substr(8)));
    CHECK(refused(good + "x"));
    CHECK(refused("{}"));
    for (std::size_t i = 0; i < good.size(); i += 7) {
        CAPTURE(i);
        CHECK(refused(good.substr(0, i)));
        auto flipped = good;
        flipped[i] = static_cast<char>(flipped[i] ^ 4);
        CHECK(refused(flipped));
    }
}
