// Memory that stays exhausted: whoever can't even wait must not keep the loop from everybody else.
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/timer.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <new>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

// An environment in which there is no memory for a timer, `scarce` times.
class scarce_environment final : public environment {
public:
    explicit scarce_environment(environment& of) : of_(of) {}
    time_point now() const noexcept override { return of_.now(); }
    wall_time wall_now() const noexcept override { return of_.wall_now(); }
    std::uint64_t random() override { return of_.random(); }
    std::unique_ptr<timer> make_timer(const executor& ex) override {
        if (scarce == 0) return of_.make_timer(ex);
        --scarce;
        throw std::bad_alloc();
    }
    result<std::string> read_file(const std::string& path, std::size_t max_bytes) override {
        return of_.read_file(path, max_bytes);
    }
    result<std::vector<std::string>> list_directory(const std::string& path) override {
        return of_.list_directory(path);
    }
    result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) override {
        return of_.watch_directory(ex, path);
    }
    std::optional<std::string> variable(const std::string& name) const override { return of_.variable(name); }

    int scarce = 0;

private:
    environment& of_;
};

}  // namespace

// reflector::run() catches std::bad_alloc and takes the next step, which is to wait; where that throws, too, it takes
// the next one at once, for ever, and its thread does nothing else. So this fails, as doctest is told; without that
// remark once it is mended.
TEST_CASE("informer: where there is no memory even to wait, others on its loop get on" * doctest::should_fail()) {
    constexpr int attempts = 10'000;  // and then there is some, so that this test ends
    widget_world f;
    scarce_environment env(f.env);
    auto& server = f.add("s");
    any_informer informer(env, f.home, f.connect(server.config()), resource_of<widget>());
    f.network.set_link("s", testing::link_state::refused);
    env.scarce = attempts;
    informer.start();
    f.context.run_for(10s);
    CHECK(attempts - env.scarce < 1000);  // tries in ten seconds
    env.scarce = 0;
    f.context.run_for(60s);
    f.ends_within(1s, informer.stop());
    f.context.run_for(1s);
}
