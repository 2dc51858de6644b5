// The life of a scaler, again and again: with each request failing once, in each way, and with the program killed at
// each.
#include "scaler_world.hpp"
#include "support/disturbed_life.hpp"

using namespace inference_autoscaler;
using namespace inference_autoscaler::tests;

namespace {

// Up under load, down without, to zero, and woken.
class life final : public test::disturbed_life<scaler_world> {
public:
    using disturbed_life::disturbed_life;

    std::string play() override {
        quiet_ = true;
        w_.add_target(1);
        w_.busy = 2;
        w_.load = 1;
        quiet_ = false;
        w_.add_scaler({{"minReplicas", 0},
                       {"maxReplicas", 3},
                       {"zero", {{"afterSeconds", 60}, {"listen", true}, {"wake", {{"query", "load"}}}}},
                       {"down", {{"forSeconds", 30}, {"settleSeconds", 30}, {"inFlight", {{"metric", "running"}}}}}});
        if (!goes_on_until([this] { return w_.replicas() == 3; })) return "it does not grow";
        w_.busy = 0.1;
        w_.load = 0;
        if (!goes_on_until([this] { return w_.replicas() == 0; })) return "it does not go to zero";
        w_.wake("now");
        if (!goes_on_until([this] { return w_.replicas() == 1 && w_.scaler().status.replicas == 1; }))
            return "it does not wake";
        return most_ > 3 ? "too many" : w_.events("ForeignScale") > 0 ? "its own change is another's" : "well";
    }

private:
    void tick() override {
        w_.in_flight = {{"llama-1", 1}, {"llama-2", 2}, {"llama-3", 3}};
        w_.follow();
        most_ = std::max(most_, w_.replicas());
    }
    std::int64_t most_ = 0;
};

}  // namespace

TEST_CASE("a scaler's life ends well whichever request fails, and wherever the program is killed") {
    test::sweep<life>("well", 400, 12);
}
