// When the scale of a target is read again, with a watch of the target that works, that can't be had, and that is lost.
#include "scaler_world.hpp"
#include "support/how_much.hpp"

#include <random>

using namespace inference_autoscaler;
using namespace inference_autoscaler::tests;

namespace {

using fault_function = std::function<void(testing::fault&)>;

struct watching : scaler_world {
    watching() {
        add_target(2);
        busy = 0.9;
    }
    ~watching() {
        stop();
        world.run_for(2min);  // until the server has noticed, too, and its answers that hang or are slow have ended
    }
    /// What is asked of Deployments from now on, but for their scales, goes wrong so.
    void disturb(const fault_function& lists, const fault_function& watches) {
        server.api().set_faults([lists, watches](const http::server_request& asked) {
            testing::fault out;
            const bool watch = asked.target.find("watch=") != std::string::npos;
            const auto& how = watch ? watches : lists;
            if (how && asked.method == "GET" && asked.target.find("/deployments?") != std::string::npos) how(out);
            return out;
        });
    }
    std::size_t asked(const std::string& method, int code) {
        std::size_t out = 0;
        for (const auto& each : server.api().request_log().requests())
            out +=
                each.method == method && each.code == code && each.target.find("/scale") != std::string::npos ? 1 : 0;
        return out;
    }
    std::size_t reads_in(duration time) {
        const auto before = asked("GET", 200);
        world.run_for(time);
        return asked("GET", 200) - before;
    }
};

}  // namespace

TEST_CASE_FIXTURE(watching,
                  "while a target stays as it is its scale is read once in five minutes, at each look besides") {
    add_scaler();
    settle(60);
    const auto before = looks;
    const auto reads = reads_in(30min);
    CHECK(looks - before >= 115);
    CHECK((reads >= 5 && reads <= 7));
    set_replicas(5);
    CHECK(reads_in(16s) >= 1);
    CHECK(events("ForeignScale") == 1);
    CHECK(scaler().status.replicas == 5);
    CHECK(reads_in(30min) <= 8);
    (void)server.api().remove(deployments_id, {"default", "llama"}).has_value();
    world.run_for(16s);
    CHECK(condition("Ready").starts_with("Ready=False NoTarget"));
}

TEST_CASE("a kind that can't be watched: read at each look, told once, and ready all the same") {
    const std::vector<fault_function> ways{
        [](testing::fault& f) { f.status(403, "Forbidden", "the test says so"); },
        [](testing::fault& f) { f.status(406, "NotAcceptable", "the test says so"); },
        [](testing::fault& f) { f.html(200); }, [](testing::fault& f) { f.drop(); }};
    for (const auto& way : ways) {
        watching w;
        w.disturb(way, way);
        w.add_scaler();
        w.settle(90);
        CHECK(w.reads_in(5min) >= 19);
        w.set_replicas(5);
        w.settle(16);
        CHECK(w.events("ForeignScale") == 1);
        w.world.run_for(20min);
        CHECK(w.told("a kind of targets can't be watched") == 1);
        w.disturb({}, {});
        w.world.run_for(12min);
        CHECK(w.reads_in(10min) <= 3);  // it was tried again
    }
    watching w;
    w.disturb(ways[1], ways[1]);
    w.add_scaler();
    w.settle(30);
    CHECK(w.m->informers_synced().check().has_value());
}

TEST_CASE("a watch that is lost: another's change is noticed all the same, and no version that is old is written") {
    const std::vector<fault_function> ways{
        [](testing::fault& f) { f.bytes_per_second(1); },     [](testing::fault& f) { f.lose_event(0); },
        [](testing::fault& f) { f.cut_after_events(0); },     [](testing::fault& f) { f.end_after_events(0); },
        [](testing::fault& f) { f.garbage_before_event(0); }, [](testing::fault& f) { f.hang(); }};
    for (const auto& way : ways) {
        INFO("way " << &way - ways.data());
        for (const bool grows : {false, true}) {
            watching w;
            w.disturb({}, way);
            w.add_scaler();
            w.settle(40);
            w.set_replicas(6);
            w.busy = grows ? 2 : 0.9;
            w.world.run_for(grows ? 16s : 5min + 16s);
            const auto status = w.scaler().status;
            CHECK(status.replicas == 6);
            CHECK(w.replicas() == (grows ? 7 : 6));
            CHECK((status.last_scale && status.last_scale->rule == (grows ? "busy" : "foreign")));
            CHECK(w.asked("PUT", 409) == 0);
        }
    }
}

TEST_CASE("random lives of a target and its watch: in the end what is told is what there is") {
    const auto seeds =
        static_cast<int>(kcontrol::test::asked_for("KCONTROL_SIM_SEEDS", kcontrol::test::as_many_as(20, 2)));
    for (int seed = 1; seed <= seeds; ++seed) {
        INFO("seed " << seed);
        std::mt19937 draw(static_cast<unsigned>(seed));
        const auto below = [&draw](unsigned n) { return static_cast<int>(draw() % n); };
        watching w;
        w.add_scaler();
        for (int step = 0; step < 20; ++step) {
            switch (below(6)) {
            case 0: w.set_replicas(1 + below(8)); break;
            case 1: w.busy = below(2) == 0 ? 2 : 0.9; break;
            case 2:
                w.disturb({}, [rate = 1 + below(200)](testing::fault& f) {
                    f.bytes_per_second(static_cast<std::size_t>(rate));
                });
                break;
            case 3:
                w.disturb({}, [n = below(3)](testing::fault& f) { f.cut_after_events(static_cast<std::size_t>(n)); });
                break;
            case 4: w.disturb({}, {}); break;
            default: w.stop(), w.start();
            }
            w.settle(1 + below(30));
        }
        w.busy = 0.9;
        w.disturb({}, {});
        w.settle(30);
        w.world.run_for(5min);
        const auto status = w.scaler().status;
        CHECK((status.replicas == w.replicas() && status.wanted == w.replicas()));
        CHECK((w.replicas() >= 1 && w.replicas() <= 8));
    }
}
