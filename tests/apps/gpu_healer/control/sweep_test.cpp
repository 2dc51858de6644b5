// The life of a case, again and again: with each request failing once, in each way, and with the healer killed at each.
#include "heal_world.hpp"
#include "support/disturbed_life.hpp"

using namespace gpu_healer;
using namespace gpu_healer::tests;

namespace {

// A fault with a pod on the node, a step, verification, and the release.
class life final : public test::disturbed_life<heal_world> {
public:
    using disturbed_life::disturbed_life;

    std::string play() override {
        quiet_ = true;
        w_.add_node("n0");
        w_.add_node("n1");
        w_.add_pod("train", "n0");
        w_.add_policy({{"drain", {{"mode", "Evict"}}}, {"verify", {{"holdSeconds", 5}}}});
        w_.steps->outcome = [this](const step_request&) {
            return step_outcome(asked_++ < 1 ? step_outcome::state::running : step_outcome::state::succeeded, "words");
        };
        w_.fail("n0");
        quiet_ = false;
        if (!goes_on_until([this] { return w_.phase("n0") == "Verifying"; })) return "no repair: " + w_.phase("n0");
        quiet_ = true;
        w_.heal("n0");
        quiet_ = false;
        if (!goes_on_until([this] {
                const auto all = w_.repairs("n0");
                return w_.taints("n0").empty() && w_.phase("n0") == "Released" && all.at(0).metadata.finalizers.empty();
            }))
            return "no release: " + w_.phase("n0") + ", " + w_.taints("n0");
        if (w_.repairs().size() != 1) return std::to_string(w_.repairs().size()) + " cases";
        if (w_.steps->begun.size() != 1) return std::to_string(w_.steps->begun.size()) + " steps";
        if (w_.steps->begun.begin()->second != 1) return "a step twice";
        if (!w_.annotation("n0", overridden_annotation).empty()) return "its own change is a person's";
        return "well";
    }

private:
    void tick() override { (void)w_.end_pods(); }
    int asked_ = 0;
};

}  // namespace

TEST_CASE("a case ends well whichever request fails, and wherever the healer is killed") {
    test::sweep<life>("well", 300, 12);
}
