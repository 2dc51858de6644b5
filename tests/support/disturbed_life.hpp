// A whole life in a simulated world, again and again: with each request failing once, in each way, and with the program
// killed at each.
#pragma once

#include <kcontrol/testing/sim_world.hpp>

#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace kcontrol::test {

enum class trouble { none, error_500, conflict, dropped, answer_lost, killed };

/// The base of a life; World has `world`, `server`, the manager `m`, and start() and stop() of it.
template <class World>
class disturbed_life {
public:
    disturbed_life(trouble what, std::size_t at) {
        w_.server.api().set_faults([this, what, at](const http::server_request&) {
            if (quiet_ || ++requests_ != at) return testing::fault();
            met_ = true;
            testing::fault out;
            if (what == trouble::error_500) out.status(500, "InternalError", "the test says so");
            if (what == trouble::conflict) out.status(409, "Conflict", "the test says so");
            if (what == trouble::dropped) out.drop();
            if (what == trouble::answer_lost) out.drop_response();
            if (what == trouble::killed) kill_ = true;
            return out;
        });
        w_.stop();
        w_.start();  // under the faults
    }
    virtual ~disturbed_life() { w_.server.api().set_faults({}); }

    /// From the beginning to the end; what it came to.
    virtual std::string play() = 0;

    bool met() const { return met_; }
    std::size_t requests() const { return requests_; }
    World& world() { return w_; }

protected:
    /// What others do in a second, such as schedulers and kubelets; their requests are not counted and do not fail.
    virtual void tick() = 0;

    /// False: not within ten minutes.
    bool goes_on_until(const std::function<bool()>& done) {
        for (int second = 0; second < 600; ++second) {
            if (done()) return true;
            const auto next = w_.world.env().now() + std::chrono::seconds(1);
            w_.world.run_until([this] { return kill_; }, std::chrono::seconds(1));
            if (!kill_) w_.world.run_for(next - w_.world.env().now());
            if (kill_) {
                kill_ = false;
                w_.m.reset();  // as it is
                w_.start();
            }
            quiet_ = true;
            tick();
            quiet_ = false;
        }
        return false;
    }

    World w_;
    bool quiet_ = false;  ///< the test's own requests

private:
    bool kill_ = false, met_ = false;
    std::size_t requests_ = 0;
};

/// Every life ends `well`, as an undisturbed one of fewer than `most` requests does. Each way begins at another request
/// and fails one in `step`, so that together they meet all, or a third of them where that takes too long;
/// KCONTROL_SWEEP_STEP=1, the nightly's, is each one in each way.
template <class Life>
void sweep(const std::string& well, std::size_t most, std::size_t step) {
    step = std::max<std::size_t>(1, asked_for("KCONTROL_SWEEP_STEP", full_size() ? step : 3 * step));
    Life undisturbed(trouble::none, 0);
    REQUIRE(undisturbed.play() == well);
    const std::size_t requests = undisturbed.requests();
    MESSAGE("requests of a job's life, with those of a start: " << requests);
    CHECK(requests < most);
    constexpr const char* words[] = {"none", "error 500", "conflict", "dropped", "answer lost", "killed"};
    for (int what = 1; what < 6; ++what) {
        for (std::size_t at = 1 + static_cast<std::size_t>(what) % step; at <= requests; at += step) {
            Life one(static_cast<trouble>(what), at);
            const std::string end = one.play();
            CHECK(one.met());
            CHECK_MESSAGE(end == well, std::string(words[what]) << " at request " << at << ": " << end);
        }
    }
}

}  // namespace kcontrol::test
