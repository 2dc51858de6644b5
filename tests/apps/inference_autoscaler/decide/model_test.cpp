// Random lives of a scaler: loads, replicas that load, fail or find no node, values that are missing, restarts, edits,
// and others who change the replicas. KCONTROL_SIM_SEEDS=100000 tries more.
#include "api/validation.hpp"
#include "decide/kept.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <random>

using namespace inference_autoscaler;
using std::chrono::seconds;

namespace {

class life {
public:
    explicit life(unsigned seed) : random_(seed) {
        spec_.max_replicas = between(1, 20);
        spec_.min_replicas = between(0, spec_.max_replicas);
        spec_.metrics.prometheus.emplace();
        spec_.down.settle_seconds = between(0, 40) * 30;
        spec_.down.for_seconds = between(0, 20) * 15;
        spec_.down.max_step = between(1, 3);
        spec_.down.below_percent = between(40, 100);
        spec_.up.max_step = between(1, 5);
        spec_.up.max_percent = between(0, 200);
        spec_.up.settle_seconds = chance(3) ? between(0, 120) : 0;
        if (chance(2)) spec_.capacity.emplace();
        if (chance(4)) spec_.on_missing.mode = "Max";
        if (spec_.min_replicas == 0) spec_.zero.emplace().wake.emplace();
        rules_ = rules_of(spec_);
        if (chance(2)) rules_[2].pods.emplace();  // a mean
        start_seconds_ = between(0, 300);
        replicas_ = std::max(spec_.min_replicas, 1);
        for (int i = 0; i < replicas_; ++i) warm_at_.push_back(0);
        status_.last_scale.reset();
    }

    std::string play() {
        const int looks = between(50, 400);
        for (int i = 0; i < looks && broken_.empty(); ++i) {
            disturb();
            look();
        }
        calm();
        return broken_;
    }

private:
    int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
    bool chance(int one_in) { return between(1, one_in) == 1; }
    moment at() const { return {time_point(seconds(second_)), wall_time(seconds(1'800'000'000 + second_))}; }
    void fail(const std::string& what) {
        if (broken_.empty())
            broken_ = what + " at second " + std::to_string(second_) + ": " + std::string(to_string(last_.kind)) +
                      ", " + last_.sentence;
    }

    void disturb() {
        if (chance(30)) load_ = chance(4) ? 0 : between(0, 300);
        if (chance(40)) memory_ = restore(status_, rules_, replicas_, at());  // a restart, or another leader
        if (chance(60)) interfere(between(0, 25));
        if (chance(60)) spec_.max_replicas = between(std::max(spec_.min_replicas, 1), 20);
        missing_ = chance(15) ? between(1, 40) : missing_;
        nodes_ = chance(40) ? between(1, 30) : nodes_;
        failing_ = chance(30) ? between(0, 2) : failing_;
    }

    void interfere(int replicas) {
        foreign_ = foreign_ || replicas != replicas_;
        set(replicas);
    }
    void set(int replicas) {
        replicas_ = replicas;
        while (std::ssize(warm_at_) > replicas) warm_at_.pop_back();
        while (std::ssize(warm_at_) < replicas) warm_at_.push_back(second_ + start_seconds_);
    }

    facts seen() {
        facts out;
        out.now = at().now;
        out.replicas = replicas_;
        int index = 0;
        for (const long warm_at : warm_at_) {
            if (index++ >= nodes_) {
                ++out.unplaced;
                if (second_ - (warm_at - start_seconds_) >= 600) ++out.overdue;
            } else if (warm_at <= second_) {
                ++out.warm;
            }
        }
        out.failed = std::min(failing_, out.warm);
        out.warm -= out.failed;
        out.woken = !calm_ && chance(50);
        const double each = out.warm > 0 ? load_ / double(out.warm) : 0;
        out.values.at = out.now;
        for (const double value : {0.8, std::max(0.2, each / 12), each / 2}) {
            const bool gone = missing_ > 0 || out.warm == 0;
            out.values.rules.push_back(
                {gone ? missing_at(out.now, missing_reason::no_answer) : reading{out.now, value}, {}});
        }
        out.values.wake =
            missing_ > 0 ? missing_at(out.now, missing_reason::no_answer) : reading{out.now, double(load_)};
        if (missing_ > 0) --missing_;
        return out;
    }

    void look() {
        second_ += calm_ ? between(20, 60) : between(1, 30);
        const facts now = seen();
        last_ = decide(spec_, rules_, memory_, now);
        if (last_.sentence.empty()) fail("not explained");
        const bool up = last_.wanted > replicas_, down = last_.wanted < replicas_;
        const bool by_rule = last_.kind == verdict::up || last_.kind == verdict::on_missing;
        if ((up || down) && last_.kind != verdict::give_back && last_.wanted != 0 &&
            (last_.wanted < std::max(spec_.min_replicas, 1) || last_.wanted > spec_.max_replicas))
            fail("out of the bounds");
        if (last_.wanted == 0 && replicas_ > 0 && spec_.min_replicas > 0) fail("zero without being allowed to");
        if (!up && by_rule) fail("an up that is none");
        if (by_rule && now.loading() > 0) fail("more while replicas load");
        const int step = std::max(spec_.up.max_step, int(std::ceil(replicas_ * spec_.up.max_percent / 100.0 - 1e-9)));
        if (by_rule && last_.wanted > replicas_ + step) fail("more than a step");
        if (last_.kind == verdict::up && !(last_.value && *last_.value > *last_.threshold))
            fail("a rule that doesn't hold");
        if (down && last_.kind != verdict::bounds) {
            if (second_ - lowered_ < spec_.down.settle_seconds) fail("down twice within settleSeconds");
            if (last_.kind == verdict::down && second_ - changed_ < spec_.down.settle_seconds) fail("not settled");
            if (last_.kind == verdict::down && !last_.lost.empty()) fail("down without all values");
            if (last_.kind == verdict::zero && !(*now.values.wake->known() <= 0)) fail("zero under load");
        }
        if (foreign_ != last_.foreign && second_ != 0 && !unknown_foreign()) fail("another's change");
        if (last_.foreign) record(replicas_, "foreign");
        foreign_ = false;
        memory_ = last_.next;
        if (up || down) apply(down);
        keep(memory_, rules_, status_);
        status_.replicas = replicas_;
    }
    // Another's change to what a restarted process believes there is, or that is none.
    bool unknown_foreign() const { return !memory_.replicas || *memory_.replicas == replicas_ || !status_.last_scale; }

    void record(int to, std::string_view why) {
        scale_record out;
        out.time = timestamp(std::chrono::floor<seconds>(at().wall));
        out.from = status_.replicas;
        out.to = to;
        out.rule = why;
        status_.last_scale = out;
        changed_ = second_;
    }
    void apply(bool down) {
        status_.replicas = replicas_;
        record(last_.wanted, last_.rule.empty() ? to_string(last_.kind) : last_.rule);
        set(last_.wanted);
        if (down && last_.kind != verdict::bounds) lowered_ = second_;
        ++changes_;
    }

    // A constant load. Once nothing changed for longer than anything is waited for, nothing changes for an hour more.
    void calm() {
        missing_ = failing_ = 0;
        calm_ = true;
        nodes_ = 100;
        const int longest = 60 * 60 + spec_.down.settle_seconds + spec_.down.for_seconds + start_seconds_ + 700;
        const long end = second_ + 1200 + 25L * longest;  // all downs that the bounds allow, and the ups after them
        for (long last = second_; second_ - last < longest && broken_.empty();) {
            changes_ = 0;
            look();
            if (changes_ > 0) last = second_;
            if (second_ > end) fail("changes without end");
        }
        const long until = second_ + 3600;
        while (second_ < until && broken_.empty()) {
            look();
            if (changes_ > 0) fail("a change under constant load");
        }
    }

    std::mt19937 random_;
    inference_scaler_spec spec_;
    inference_scaler_status status_;
    std::vector<scaling_rule> rules_;
    memory memory_;
    decision last_;
    std::deque<long> warm_at_;
    long second_ = 0, lowered_ = -100000, changed_ = -100000;
    int replicas_ = 0, load_ = 0, missing_ = 0, nodes_ = 100, failing_ = 0, start_seconds_ = 0, changes_ = 0;
    bool foreign_ = false, calm_ = false;
    std::string broken_;
};

}  // namespace

TEST_CASE("random lives: bounds, no down within settleSeconds, no more while replicas load, calm under constant load") {
    const auto seeds =
        static_cast<unsigned>(kcontrol::test::asked_for("KCONTROL_SIM_SEEDS", kcontrol::test::as_many_as(60, 3)));
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        const std::string broken = life(seed).play();
        REQUIRE_MESSAGE(broken.empty(), "seed " << seed << ": " << broken);
    }
}
