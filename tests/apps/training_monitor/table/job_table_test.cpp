#include "table/job_table.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;

namespace {

observed_job job(std::string name, job_state state, std::string version = "1", std::string uid = "") {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.name = name;
    out.view.kind = "PyTorchJob";
    out.view.api_version = "kubeflow.org/v1";
    out.view.uid = uid.empty() ? "uid-of-" + name : uid;
    out.view.state = state;
    out.resource_version = std::move(version);
    return out;
}

observed_job of_kind(observed_job out, std::string_view kind, std::string_view api_version) {
    out.view.kind = kind;
    out.view.api_version = api_version;
    return out;
}

observed_job batch(std::string name, std::string group, std::string owner_kind, std::string owner) {
    observed_job out = of_kind(job(std::move(name), job_state::running), "Job", "batch/v1");
    out.owner = job_owner{std::move(group), std::move(owner_kind), std::move(owner)};
    return out;
}

cluster_view cluster(std::vector<kind_view> kinds, std::string name = "a") {
    cluster_view out;
    out.name = std::move(name);
    out.state = "live";
    out.kinds = std::move(kinds);
    return out;
}

kind_view kind(std::string name, std::string api_version, std::string state = "live") {
    kind_view out;
    out.kind = std::move(name);
    out.api_version = std::move(api_version);
    out.state = std::move(state);
    return out;
}

std::string shown(const job_table& table) {
    std::string out;
    for (const auto& j : table.jobs()) out += (out.empty() ? "" : " ") + j->name + "/" + std::string(j->kind);
    return out;
}

std::string types(const std::vector<change>& changes) {
    std::string out;
    for (const auto& c : changes) out += (out.empty() ? "" : " ") + std::string(to_string(c.type));
    return out;
}

}  // namespace

TEST_CASE("all who ask between two changes get the same list") {
    job_table table;
    CHECK(table.all_jobs()->empty());
    table.add(job("one", job_state::running));
    table.add(job("two", job_state::created));
    const auto first = table.all_jobs();
    CHECK(*first == table.jobs());
    CHECK(table.all_jobs() == first);
    table.update(job("two", job_state::created, "2"));  // nothing that is shown
    CHECK(*table.all_jobs() == table.jobs());
    table.update(job("two", job_state::running, "3"));
    const auto second = table.all_jobs();
    CHECK(second != first);
    CHECK(*second == table.jobs());
    CHECK(first->at(1)->state == job_state::created);  // who reads it goes on
    table.remove(job("one", job_state::running));
    CHECK(*table.all_jobs() == table.jobs());
    table.remove_cluster("a");
    CHECK(table.all_jobs()->empty());
}

TEST_CASE("a job is added, changes its state and goes; ids increase") {
    job_table table;
    const auto added = table.add(job("bert", job_state::created), true);
    REQUIRE(types(added) == "job");
    CHECK_FALSE(added[0].previous);
    CHECK(added[0].initial);
    const auto ran = table.update(job("bert", job_state::running, "2"));
    REQUIRE(types(ran) == "job");
    CHECK(ran[0].previous == job_state::created);
    CHECK(ran[0].job->state == job_state::running);
    CHECK(ran[0].id > added[0].id);
    const auto gone = table.remove(job("bert", job_state::running, "3"));
    REQUIRE(types(gone) == "job-removed");
    CHECK(gone[0].id > ran[0].id);
    CHECK(gone[0].job->name == "bert");
    CHECK(table.jobs().empty());
    CHECK(table.counters().jobs == 1);
    CHECK(table.counters().transitions == 1);
    CHECK(table.counters().duplicates == 0);
    CHECK(table.counters().lost == 0);
}

TEST_CASE("an update that changes nothing visible is no change") {
    job_table table;
    table.add(job("bert", job_state::running));
    CHECK(table.update(job("bert", job_state::running, "2")).empty());
    auto fewer = job("bert", job_state::running, "3");
    fewer.view.gpus = 8;
    const auto changed = table.update(fewer);
    REQUIRE(types(changed) == "job");
    CHECK_FALSE(changed[0].previous);
    CHECK(table.counters().transitions == 0);
    CHECK(table.counters().duplicates == 0);
}

TEST_CASE("what was told already is counted as a duplicate and tells nothing") {
    job_table table;
    table.add(job("bert", job_state::running));
    CHECK(table.add(job("bert", job_state::running)).empty());
    CHECK(table.update(job("bert", job_state::running)).empty());
    CHECK(table.counters().duplicates == 2);
}

TEST_CASE("an update or a removal of a job that never came is counted as a loss") {
    job_table table;
    CHECK(types(table.update(job("bert", job_state::running))) == "job");
    CHECK(table.remove(job("gpt", job_state::running)).empty());
    CHECK(table.counters().lost == 2);
}

TEST_CASE("a job that was replaced by another of its name is gone first, and the new one has no previous state") {
    job_table table;
    table.add(job("bert", job_state::failed, "1", "u1"));
    const auto changes = table.add(job("bert", job_state::created, "9", "u2"));
    REQUIRE(types(changes) == "job-removed job");
    CHECK(changes[0].job->uid == "u1");
    CHECK_FALSE(changes[1].previous);
}

TEST_CASE("a cluster's change is told unless only times moved, and those a little") {
    job_table table;
    auto view = cluster({kind("Job", "batch/v1")});
    CHECK(types(table.set_cluster(view)) == "cluster");
    view.last_sync = "2026-11-21T06:40:10Z";
    CHECK(types(table.set_cluster(view)) == "cluster");  // it was never heard before
    view.last_sync = "2026-11-21T06:40:30Z";
    view.kinds[0].last_event = "2026-11-21T06:40:30Z";
    CHECK(table.set_cluster(view).empty());
    CHECK(table.clusters().at(0)->last_sync == "2026-11-21T06:40:30Z");
    view.last_sync = "2026-11-21T06:40:41Z";
    CHECK(types(table.set_cluster(view)) == "cluster");  // 31 s since it was last told
    view.kinds[0].watches = 1;
    CHECK(types(table.set_cluster(view)) == "cluster");
}

TEST_CASE("a cluster that leaves takes its jobs along, and no other's") {
    job_table table;
    table.set_cluster(cluster({}));
    table.set_cluster(cluster({}, "b"));
    table.add(job("bert", job_state::running));
    auto other = job("bert", job_state::running);
    other.view.cluster = "b";
    table.add(other);
    CHECK(types(table.remove_cluster("a")) == "job-removed cluster-removed");
    CHECK(table.remove_cluster("a").empty());
    REQUIRE(table.jobs().size() == 1);
    CHECK(table.jobs()[0]->cluster == "b");
    CHECK(table.clusters().size() == 1);
}

TEST_CASE("filters: every given dimension must match, several values of one are alternatives") {
    job_table table;
    table.add(job("bert", job_state::running));
    table.add(of_kind(job("tidy", job_state::failed), "Job", "batch/v1"));
    job_filter filter;
    CHECK(table.jobs(filter).size() == 2);
    filter.states = {job_state::running, job_state::failed};
    CHECK(table.jobs(filter).size() == 2);
    filter.kinds = {"Job"};
    CHECK(table.jobs(filter).size() == 1);
    filter.namespaces = {"other"};
    CHECK(table.jobs(filter).empty());
    filter.namespaces = {"ml"};
    filter.clusters = {"b"};
    CHECK(table.jobs(filter).empty());
}

TEST_CASE("the launcher Job of an MPIJob is part of it where MPIJobs are watched, and shown where they are not") {
    for (const char* state : {"live", "listing", "paused", "failed"}) {
        CAPTURE(state);
        job_table table;
        table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v2beta1", state)}));
        CHECK(table.add(batch("pi-launcher", "kubeflow.org", "MPIJob", "pi")).empty());
        CHECK(table.counters().jobs == 0);
    }
    for (const char* state : {"not-installed", "forbidden"}) {
        CAPTURE(state);
        job_table table;
        table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v2beta1", state)}));
        CHECK(types(table.add(batch("pi-launcher", "kubeflow.org", "MPIJob", "pi"))) == "job");
    }
}

TEST_CASE("when the owner's kind turns out not to be installed, its Jobs come into view; when it is, they leave") {
    job_table table;
    table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v2beta1", "listing")}));
    table.add(batch("pi-launcher", "kubeflow.org", "MPIJob", "pi"));
    CHECK(types(table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v2beta1", "not-installed")}))) ==
          "cluster job");
    CHECK(shown(table) == "pi-launcher/Job");
    CHECK(types(table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v2beta1", "live")}))) == "cluster job-removed");
    CHECK(table.remove(batch("pi-launcher", "kubeflow.org", "MPIJob", "pi")).empty());
    CHECK(table.counters().lost == 0);
}

TEST_CASE("a Job of an owner nobody watches, a CronJob or a Workflow, is shown") {
    job_table table;
    table.set_cluster(cluster({kind("Job", "batch/v1"), kind("MPIJob", "kubeflow.org/v2beta1")}));
    CHECK(types(table.add(batch("nightly-1", "batch", "CronJob", "nightly"))) == "job");
}

TEST_CASE("an MPIJob that one CRD serves in two versions is shown once, under the newer one") {
    job_table table;
    table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v1"), kind("MPIJob", "kubeflow.org/v2beta1")}));
    table.add(of_kind(job("pi", job_state::running), "MPIJob", "kubeflow.org/v1"));
    table.add(of_kind(job("pi", job_state::running), "MPIJob", "kubeflow.org/v2beta1"));
    REQUIRE(table.jobs().size() == 1);
    CHECK(table.jobs()[0]->api_version == "kubeflow.org/v2beta1");

    job_table old;
    old.set_cluster(
        cluster({kind("MPIJob", "kubeflow.org/v1"), kind("MPIJob", "kubeflow.org/v2beta1", "not-installed")}));
    old.add(of_kind(job("pi", job_state::running), "MPIJob", "kubeflow.org/v1"));
    CHECK(shown(old) == "pi/MPIJob");
}

TEST_CASE("the Jobs of a TrainJob's JobSet are part of the TrainJob, by label or by its name") {
    const auto train_job = of_kind(job("llm", job_state::running), "TrainJob", "trainer.kubeflow.org/v1alpha1");
    job_table table;
    table.set_cluster(cluster({kind("TrainJob", "trainer.kubeflow.org/v1alpha1"), kind("Job", "batch/v1")}));
    auto labelled = batch("llm-node-0", "jobset.x-k8s.io", "JobSet", "llm");
    labelled.part_of_train_job = true;
    CHECK(table.add(labelled).empty());
    CHECK(types(table.add(batch("llm-launcher-0", "jobset.x-k8s.io", "JobSet", "llm"))) == "job");
    CHECK(types(table.add(batch("other-0", "jobset.x-k8s.io", "JobSet", "other"))) == "job");
    CHECK(types(table.add(train_job)) == "job job-removed");  // now the launcher has an owner in view
    CHECK(shown(table) == "llm/TrainJob other-0/Job");
    CHECK(types(table.remove(train_job)) == "job-removed job");
    CHECK(shown(table) == "llm-launcher-0/Job other-0/Job");
}

TEST_CASE("a job in view is compared with what was shown, though it was out of view for a while") {
    job_table table;
    table.add(batch("pi-launcher", "kubeflow.org", "MPIJob", "pi"));
    table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v2beta1")}));
    auto done = batch("pi-launcher", "kubeflow.org", "MPIJob", "pi");
    done.view.state = job_state::succeeded;
    done.resource_version = "2";
    CHECK(table.update(done).empty());
    CHECK(table.counters().transitions == 0);  // nobody saw it
    const auto back = table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v2beta1", "not-installed")}));
    REQUIRE(types(back) == "cluster job");
    CHECK(table.counters().jobs == 1);
}

TEST_CASE("reserved ids are skipped by later changes") {
    job_table table;
    table.add(job("bert", job_state::created));
    CHECK(table.reserve_ids(5) == 2);
    CHECK(table.update(job("bert", job_state::running, "2"))[0].id == 7);
}

TEST_CASE("a visit sees each job that is shown, in order") {
    job_table table;
    const auto seen = [&] {
        std::string out;
        table.visit([&](const job_view& j) { out += j.name; });
        return out;
    };
    CHECK(seen().empty());
    for (const auto* name : {"b", "a", "c"}) table.add(job(name, job_state::running));
    CHECK(seen() == "abc");
    table.update(job("a", job_state::succeeded, "2"));
    table.remove(job("b", job_state::running));
    CHECK(seen() == "ac");
    CHECK(table.size() == 2);
    // The same name again before the deletion was heard.
    table.add(job("c", job_state::failed, "9", "another"));
    CHECK(seen() == "ac");
    // An owned job is hidden as soon as its owner's kind is watched.
    table.add(batch("launcher", "kubeflow.org", "MPIJob", "x"));
    CHECK(seen() == "aclauncher");
    table.set_cluster(cluster({kind("MPIJob", "kubeflow.org/v1")}));
    CHECK(seen() == "ac");
    CHECK(table.size() == 2);
    table.remove_cluster("a");
    CHECK(seen().empty());
    CHECK(table.size() == 0);
}

TEST_CASE("a change says what was shown before, and a removal whether the cluster has the job no more") {
    job_table table;
    const auto added = table.add(job("bert", job_state::pending));
    REQUIRE(added.size() == 1);
    CHECK(added[0].before == nullptr);
    const auto moved = table.update(job("bert", job_state::running, "2"));
    REQUIRE(moved.size() == 1);
    REQUIRE(moved[0].before != nullptr);
    CHECK(moved[0].before->state == job_state::pending);
    CHECK(moved[0].job->state == job_state::running);
    const auto deleted = table.remove(job("bert", job_state::running, "2"));
    REQUIRE(deleted.size() == 1);
    CHECK(deleted[0].deleted);
    table.add(job("bert", job_state::running, "2"));
    const auto left = table.remove_cluster("a");
    REQUIRE(left.size() == 1);
    CHECK_FALSE(left[0].deleted);
}
