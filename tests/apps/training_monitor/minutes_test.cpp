#include "minutes.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "gpus/gpu_hours.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

using namespace training_monitor;
using namespace std::chrono_literals;

TEST_CASE("minutes: the first points wait until the clusters have settled, for two minutes at most") {
    struct row {
        const char* what;
        int settles_after;  // minutes; -1: never
        std::size_t after_one, after_three;
    };
    const row rows[] = {
        {"settled at once", 0, 1, 3},
        {"settled before the second", 1, 0, 2},
        {"never", -1, 0, 1},
    };
    for (const auto& one : rows) {
        CAPTURE(one.what);
        kcontrol::testing::manual_environment env;
        boost::asio::io_context context;
        job_table table;
        totals points;
        gpu_hours hours;
        std::stop_source ending;
        cluster_view view;
        view.name = "a";
        view.state = "connecting";
        table.set_cluster(view);
        boost::asio::co_spawn(context, record_minutes(env, table, hours, points, nullptr, ending.get_token()),
                              boost::asio::detached);
        env.advance(0s, context);
        for (int minute = 0; minute < 3; ++minute) {
            if (minute == one.settles_after) {
                view.state = "live";
                table.set_cluster(view);
            }
            env.advance(1min, context);
            if (minute == 0) CHECK(points.size() == one.after_one);
        }
        CHECK(points.size() == one.after_three);
        view.state = "connecting";  // one that joins later has no say in it
        table.set_cluster(view);
        env.advance(1min, context);
        CHECK(points.size() == one.after_three + 1);
        ending.request_stop();
        env.advance(0s, context);
    }
}
