#include <kcontrol/controllerutil/retry.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/print.hpp"

using namespace kcontrol;
using testing::manual_environment;

namespace {

class world {
public:
    /// Attempts that end like this, one after the other; the last one again and again.
    result<int> run(std::vector<result<int>> outcomes, retry_policy policy = {}) {
        auto attempt = [&]() -> awaitable<result<int>> {
            times.push_back(env.now());
            if (on_attempt) on_attempt();
            co_return outcomes[std::min(times.size(), outcomes.size()) - 1];
        };
        return testing::run(context, env, retry_on_conflict(env, attempt, source.get_token(), policy));
    }

    boost::asio::io_context context;
    manual_environment env;
    std::stop_source source;
    std::vector<time_point> times;
    std::function<void()> on_attempt;
};

const error conflict(api_errc::conflict, "modified");

}  // namespace

TEST_CASE("a conflict is tried again five times in all, ten milliseconds apart and a little more") {
    world w;
    const auto outcome = w.run({conflict});
    CHECK(outcome.error() == api_errc::conflict);
    REQUIRE(w.times.size() == 5);
    for (std::size_t i = 1; i < 5; ++i) {
        const auto pause = w.times[i] - w.times[i - 1];
        CHECK(pause >= std::chrono::milliseconds(10));
        CHECK(pause <= std::chrono::milliseconds(11));
    }
}

TEST_CASE("what is no conflict ends it") {
    world w;
    CHECK(w.run({conflict, conflict, 7}).value() == 7);
    CHECK(w.times.size() == 3);
    world other;
    CHECK(other.run({conflict, error(api_errc::invalid)}).error() == api_errc::invalid);
    CHECK(other.times.size() == 2);
}

TEST_CASE("attempts and delays are chosen, and none is fewer than one attempt") {
    world w;
    CHECK(!w.run({conflict}, retry_policy().attempts(0)).has_value());
    CHECK(w.times.size() == 1);
    world patient;
    CHECK(!patient.run({conflict}, retry_policy::contended()).has_value());
    CHECK(patient.times.size() == 200);
    CHECK(patient.times.back() - patient.times.front() < std::chrono::seconds(4));
}

TEST_CASE("a stop ends the pause, and the conflict is what is returned") {
    world w;
    w.on_attempt = [&] {
        if (w.times.size() == 2) w.source.request_stop();
    };
    CHECK(w.run({conflict}).error() == api_errc::conflict);
    CHECK(w.times.size() == 2);
}
