// Everything that starts and stops on simulated time, and what stands under a parent that was stopped.
#include "lifecycle/simulated.hpp"

#define KCONTROL_LIVES                                                                                         \
    controller_life, exporter_life, manager_life, led_manager_life, leader_life, run_life, informer_set_life,  \
        crd_watch_life, informer_life, engaged_cluster_life, multicluster_manager_life, led_multicluster_life, \
        directory_source_life, secret_source_life, task_group_life
#include "lifecycle/suite.hpp"

#include <stop_token>

TEST_CASE_TEMPLATE("lifecycle: under a stopped parent", Life, controller_life, manager_life, led_manager_life,
                   leader_life, run_life, informer_set_life, informer_life, task_group_life) {
    static_assert(Life::has_parent);
    subject<Life> it;
    std::stop_source parent;
    it.start(parent.get_token());
    CHECK(it.works());
    parent.request_stop();
    it.settle();
    CHECK_FALSE(it.works());
    CHECK(it.stops());
    it.start(parent.get_token());
    it.settle();
    CHECK_FALSE(it.works());
    CHECK(it.stops());
    CHECK(it.runs_again());
}
