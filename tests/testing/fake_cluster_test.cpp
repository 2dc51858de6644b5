// What lives in a fake_cluster: pods, Jobs, ReplicaSets, Deployments.
#include <kcontrol/testing/fake_cluster.hpp>

#include "support/print.hpp"

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::group_resource;

const group_resource pods("", "pods"), jobs("batch", "jobs"), sets("apps", "replicasets"),
    deployments("apps", "deployments"), nodes("", "nodes");

testing::api_server_options as_a_cluster() {
    testing::api_server_options options;
    return options.default_and_validate(true).collect_garbage(true);
}

class cluster_fixture {
public:
    explicit cluster_fixture(testing::fake_cluster_options options = {}, std::uint64_t seed = 1)
        : world(seed), fakes(world, server, std::move(options)) {}

    json::value parsed(std::string_view text) { return json::parse(text).value(); }

    /// `spec` beside the container: `"restartPolicy":"Never"`.
    void create_pod(const std::string& annotations, const std::string& spec = R"("restartPolicy":"Never")") {
        api.create(parsed(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{)" + annotations +
                          R"(}},"spec":{"containers":[{"name":"c","image":"i"}],)" + spec + "}}"))
            .value();
    }
    json::value get(const group_resource& id, const std::string& name) {
        return api.get(id, {"default", name}).value();
    }
    bool exists(const std::string& pod) { return api.get(pods, {"default", pod}).has_value(); }
    std::string text(const std::string& pointer) {
        boost::system::error_code problem;
        const json::value pod = get(pods, "p");
        const json::value* found = pod.find_pointer(pointer, problem);
        return found == nullptr     ? "nothing"
               : found->is_string() ? std::string(found->get_string())
                                    : json::serialize(*found);
    }
    std::string condition(const json::value& object, std::string_view type) {
        const json::value* all = json::find(object, {"status", "conditions"});
        if (all == nullptr) return "none";
        for (const auto& one : all->as_array()) {
            if (json::get_string(one, {"type"}) != type) continue;
            return std::string(json::get_string(one, {"status"})) + " " +
                   std::string(json::get_string(one, {"reason"}));
        }
        return "none";
    }
    std::int64_t number(const group_resource& id, const std::string& name,
                        std::initializer_list<std::string_view> path) {
        const json::value object = get(id, name);
        const json::value* found = json::find(object, path);
        return found == nullptr || !found->is_int64() ? -1 : found->get_int64();
    }
    std::size_t count(std::string_view phase) {
        std::size_t sum = 0;
        for (const auto& pod : api.list(pods)) sum += json::get_string(pod, {"status", "phase"}) == phase ? 1U : 0U;
        return sum;
    }

    testing::sim_world world;
    testing::sim_server& server = world.add_server("cluster", as_a_cluster());
    testing::api_server& api = server.api();
    testing::fake_cluster fakes;
};

std::string job_text(const std::string& spec, const std::string& annotations = {}) {
    return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{)" + spec +
           R"(,"template":{"metadata":{"annotations":{)" + annotations +
           R"(}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})";
}

std::string deployment_text(const std::string& image, const std::string& strategy) {
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"default"},"spec":{"replicas":4,)"
           R"("strategy":)" +
           strategy +
           R"(,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},)"
           R"("spec":{"containers":[{"name":"c","image":")" +
           image + R"("}]}}}})";
}

}  // namespace

TEST_CASE_FIXTURE(cluster_fixture, "a pod is bound, runs as long as it says, and ends with what it says") {
    create_pod(R"("sim/run-ms":"5000","sim/exit-code":"3","sim/message":"out of data","sim/reason":"OOMKilled")");
    world.run_for(1s);
    CHECK(text("/spec/nodeName") == "node-0");
    CHECK(text("/status/phase") == "Running");
    CHECK(text("/status/podIP") == "10.244.0.2");
    CHECK(condition(get(pods, "p"), "Ready") == "True ");
    CHECK(text("/status/containerStatuses/0/state/running/startedAt") != "nothing");
    world.run_for(5s);
    CHECK(text("/status/phase") == "Failed");
    CHECK(text("/status/containerStatuses/0/state/terminated/exitCode") == "3");
    CHECK(text("/status/containerStatuses/0/state/terminated/message") == "out of data");
    CHECK(text("/status/containerStatuses/0/state/terminated/reason") == "OOMKilled");
    CHECK(condition(get(pods, "p"), "Ready") == "False PodFailed");
    CHECK(fakes.idle());
}

TEST_CASE_FIXTURE(cluster_fixture, "a pod that fails starts again after the backoff, as its list of exit codes says") {
    create_pod(R"("sim/run-ms":"1000","sim/exit-code":"1,2,0")", R"("restartPolicy":"OnFailure")");
    world.run_for(2s);
    CHECK(text("/status/phase") == "Running");
    CHECK(text("/status/containerStatuses/0/state/waiting/reason") == "CrashLoopBackOff");
    CHECK(text("/status/containerStatuses/0/lastState/terminated/exitCode") == "1");
    CHECK(condition(get(pods, "p"), "Ready") == "False ContainersNotReady");
    world.run_for(12s);  // 10 s of backoff
    CHECK(text("/status/containerStatuses/0/lastState/terminated/exitCode") == "2");
    world.run_for(25s);  // and 20
    CHECK(text("/status/phase") == "Succeeded");
    CHECK(text("/status/containerStatuses/0/restartCount") == "2");
}

TEST_CASE_FIXTURE(cluster_fixture, "pods are evicted, by their annotation and by the test") {
    create_pod(R"("sim/run-ms":"forever","sim/evict-ms":"60000")");
    CHECK(!fakes.evict_pod({"default", "p"}));  // it does not run yet
    world.run_for(55s);
    CHECK(text("/status/phase") == "Running");
    world.run_for(10s);
    CHECK(text("/status/phase") == "Failed");
    CHECK(text("/status/reason") == "Evicted");
    CHECK(condition(get(pods, "p"), "DisruptionTarget") == "True TerminationByKubelet");
    CHECK(api.remove(pods, {"default", "p"}));
    CHECK(!exists("p"));
    create_pod(R"("sim/run-ms":"forever")");
    world.run_for(1s);
    CHECK(fakes.evict_pod({"default", "p"}));
    CHECK(text("/status/reason") == "Evicted");
    CHECK(!fakes.end_pod({"default", "p"}));
}

TEST_CASE_FIXTURE(cluster_fixture, "the pods of a node that is lost are deleted after a while, and stay") {
    create_pod("", R"("restartPolicy":"Always")");
    world.run_for(1s);
    fakes.lose_node("node-0");
    world.run_for(1s);
    CHECK(condition(get(pods, "p"), "Ready") == "False ");
    CHECK(text("/status/phase") == "Running");
    CHECK(condition(api.get(nodes, {"", "node-0"}).value(), "Ready") == "Unknown NodeStatusUnknown");
    world.run_for(5min);
    CHECK(text("/metadata/deletionTimestamp") != "nothing");
    CHECK(condition(get(pods, "p"), "DisruptionTarget") == "True DeletionByTaintManager");
    world.run_for(1h);
    CHECK(exists("p"));
    fakes.restore_node("node-0");
    world.run_for(2s);
    CHECK(!exists("p"));
}

TEST_CASE_FIXTURE(cluster_fixture, "a node that is back in time has its pods back, but for those that have ended") {
    create_pod(R"("sim/run-ms":"60000")");
    world.run_for(1s);
    fakes.lose_node("node-0");
    world.run_for(1s);
    CHECK(condition(get(pods, "p"), "Ready") == "False ");
    fakes.restore_node("node-0");
    world.run_for(1s);
    CHECK(condition(get(pods, "p"), "Ready") == "True ");
    CHECK(condition(get(pods, "p"), "ContainersReady") == "True ");
    fakes.lose_node("node-0");
    world.run_for(2min);
    CHECK(text("/status/phase") == "Running");  // nobody hears that it has ended
    std::string seen;
    const auto watched = api.on_change([&](const testing::resource_type& type, testing::change, const json::value& o) {
        if (type.plural == "pods") seen += condition(o, "Ready") + "; ";
    });
    fakes.restore_node("node-0");
    world.run_for(1s);
    CHECK(text("/status/phase") == "Succeeded");
    CHECK(seen == "False PodCompleted; ");
    CHECK(text("/metadata/deletionTimestamp") == "nothing");
}

TEST_CASE_FIXTURE(cluster_fixture, "one pod alone loses its node") {
    create_pod(R"("sim/run-ms":"forever","sim/node-lost-ms":"10000")");
    world.run_for(9s);
    CHECK(condition(get(pods, "p"), "Ready") == "True ");
    world.run_for(2s);
    CHECK(condition(get(pods, "p"), "Ready") == "False ");
    world.run_for(5min);
    CHECK(text("/metadata/deletionTimestamp") != "nothing");
}

TEST_CASE_FIXTURE(cluster_fixture, "a pod may lose its node before it runs") {
    SUBCASE("while it starts") { create_pod(R"("sim/start-ms":"60000","sim/node-lost-ms":"10000")"); }
    SUBCASE("without an image") { create_pod(R"("sim/image-error":"no such image","sim/node-lost-ms":"10000")"); }
    world.run_for(9s);
    CHECK(condition(get(pods, "p"), "Ready") == "none");
    world.run_for(2s);
    CHECK(condition(get(pods, "p"), "Ready") == "False ");
    CHECK(text("/status/phase") == "Pending");
    world.run_for(5min);
    CHECK(text("/metadata/deletionTimestamp") != "nothing");
}

TEST_CASE_FIXTURE(cluster_fixture, "what no node takes and what has no image waits, and says why") {
    create_pod(R"("sim/unschedulable":"0/1 nodes have a GPU")");
    world.run_for(1min);
    CHECK(text("/status/phase") == "Pending");
    CHECK(condition(get(pods, "p"), "PodScheduled") == "False Unschedulable");
    CHECK(text("/status/conditions/0/message") == "0/1 nodes have a GPU");
    CHECK(api.remove(pods, {"default", "p"}));
    create_pod(R"("sim/image-error":"no such image")");
    world.run_for(1min);
    CHECK(text("/status/phase") == "Pending");
    CHECK(text("/status/containerStatuses/0/state/waiting/reason") == "ImagePullBackOff");
    CHECK(api.remove(pods, {"default", "p"}));
    world.run_for(2s);
    create_pod("", R"("restartPolicy":"Never","nodeSelector":{"gpu":"yes"})");
    world.run_for(1min);
    CHECK(condition(get(pods, "p"), "PodScheduled") == "False Unschedulable");
    api.create(parsed(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"big","labels":{"gpu":"yes"}}})")).value();
    world.run_for(1s);
    CHECK(text("/spec/nodeName") == "big");
}

TEST_CASE_FIXTURE(cluster_fixture, "a deleted pod goes when its containers have ended, and a finalizer keeps it") {
    create_pod("", R"("restartPolicy":"Always")");
    world.run_for(1s);
    CHECK(api.remove(pods, {"default", "p"}));
    world.run_for(500ms);
    CHECK(exists("p"));
    world.run_for(1s);
    CHECK(!exists("p"));
    CHECK(fakes.idle());
    create_pod("", R"("restartPolicy":"Always")");
    world.run_for(1s);
    api.patch(pods, {"default", "p"}, parsed(R"({"metadata":{"finalizers":["test/x"]}})")).value();
    CHECK(api.remove(pods, {"default", "p"}));
    world.run_for(1min);
    CHECK(exists("p"));
    api.patch(pods, {"default", "p"}, parsed(R"({"metadata":{"finalizers":null}})")).value();
    CHECK(!exists("p"));
}

TEST_CASE("how pods live may be a function of the test") {
    std::vector<std::size_t> runs;
    testing::fake_cluster_options options;
    options.pod_behavior([&runs](const json::value&, std::size_t run) {
        runs.push_back(run);
        return testing::pod_behavior().run_for(1s).exit_code(run == 0 ? 9 : 0);
    });
    cluster_fixture f(options);
    f.create_pod("");
    f.world.run_for(3s);
    CHECK(f.text("/status/phase") == "Failed");
    CHECK(f.api.remove(pods, {"default", "p"}));
    f.create_pod("");  // another one of that name
    f.world.run_for(3s);
    CHECK(f.text("/status/phase") == "Succeeded");
    CHECK(runs == std::vector<std::size_t>{0, 1});
}

TEST_CASE_FIXTURE(cluster_fixture, "a Job makes as many pods at a time as it may, until it is complete") {
    api.create(parsed(job_text(R"("completions":3,"parallelism":2)"))).value();
    world.run_for(1s);
    CHECK(api.list(pods).size() == 2);
    CHECK(number(jobs, "j", {"status", "active"}) == 2);
    CHECK(number(jobs, "j", {"status", "ready"}) == 2);
    world.run_for(2s);
    CHECK(api.list(pods).size() == 3);
    world.run_for(10s);
    CHECK(number(jobs, "j", {"status", "succeeded"}) == 3);
    CHECK(number(jobs, "j", {"status", "active"}) == -1);
    CHECK(condition(get(jobs, "j"), "Complete") == "True CompletionsReached");
    CHECK(fakes.idle());
    CHECK(api.remove(jobs, {"default", "j"}, testing::delete_request().dependents(testing::propagation::background)));
    world.run_for(1s);
    CHECK(api.list(pods).empty());
}

TEST_CASE_FIXTURE(cluster_fixture, "a Job fails once its pods failed too often, each time later") {
    api.create(parsed(job_text(R"("backoffLimit":2)", R"("sim/run-ms":"100","sim/exit-code":"1")"))).value();
    world.run_for(9s);
    CHECK(number(jobs, "j", {"status", "failed"}) == 1);
    CHECK(api.list(pods).size() == 1);
    world.run_for(10s);
    CHECK(number(jobs, "j", {"status", "failed"}) == 2);
    world.run_for(1min);
    CHECK(number(jobs, "j", {"status", "failed"}) == 3);
    CHECK(condition(get(jobs, "j"), "Failed") == "True BackoffLimitExceeded");
    CHECK(api.list(pods).size() == 3);
}

TEST_CASE_FIXTURE(cluster_fixture, "Jobs: indexes, deadlines, suspension, time to live") {
    SUBCASE("each index is done once") {
        api.create(parsed(job_text(R"("completionMode":"Indexed","completions":3,"parallelism":3)"))).value();
        world.run_for(1s);
        for (const auto& pod : api.list(pods)) {
            const auto index =
                json::get_string(pod, {"metadata", "labels", "batch.kubernetes.io/job-completion-index"});
            CHECK(json::get_string(pod, {"metadata", "name"}).starts_with("j-" + std::string(index) + "-"));
        }
        world.run_for(5s);
        CHECK(json::get_string(get(jobs, "j"), {"status", "completedIndexes"}) == "0-2");
    }
    SUBCASE("its time is up") {
        api.create(parsed(job_text(R"("activeDeadlineSeconds":30)", R"("sim/run-ms":"forever")"))).value();
        world.run_for(29s);
        CHECK(count("Running") == 1);
        world.run_for(5s);
        CHECK(condition(get(jobs, "j"), "Failed") == "True DeadlineExceeded");
        CHECK(api.list(pods).empty());
    }
    SUBCASE("suspended, and resumed") {
        api.create(parsed(job_text(R"("suspend":true)"))).value();
        world.run_for(1min);
        CHECK(api.list(pods).empty());
        CHECK(condition(get(jobs, "j"), "Suspended") == "True JobSuspended");
        api.patch(jobs, {"default", "j"}, parsed(R"({"spec":{"suspend":false}})")).value();
        world.run_for(10s);
        CHECK(condition(get(jobs, "j"), "Suspended") == "False JobResumed");
        CHECK(condition(get(jobs, "j"), "Complete") == "True CompletionsReached");
    }
    SUBCASE("gone some time after its end") {
        api.create(parsed(job_text(R"("ttlSecondsAfterFinished":100)"))).value();
        world.run_for(90s);
        CHECK(api.get(jobs, {"default", "j"}));
        world.run_for(20s);
        CHECK(!api.get(jobs, {"default", "j"}));
        CHECK(api.list(pods).empty());
    }
}

TEST_CASE_FIXTURE(cluster_fixture, "a Deployment becomes available, and rolls without having too few pods") {
    api.create(parsed(deployment_text("one", R"({"type":"RollingUpdate"})"))).value();
    world.run_for(5s);
    CHECK(number(deployments, "d", {"status", "availableReplicas"}) == 4);
    CHECK(number(deployments, "d", {"status", "observedGeneration"}) == 1);
    CHECK(condition(get(deployments, "d"), "Progressing") == "True NewReplicaSetAvailable");
    std::size_t fewest = 4, most = 4;
    const auto watched = api.on_change([&](const testing::resource_type& type, testing::change, const json::value&) {
        if (type.plural != "pods") return;
        std::size_t ready = 0, all = 0;
        for (const auto& pod : api.list(pods)) {
            ready += condition(pod, "Ready").starts_with("True") ? 1U : 0U;
            all += json::find(pod, {"metadata", "deletionTimestamp"}) == nullptr ? 1U : 0U;
        }
        fewest = std::min(fewest, ready);
        most = std::max(most, all);
    });
    api.patch(deployments, {"default", "d"},
              parsed(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"two"}]}}}})"))
        .value();
    world.run_for(1min);
    CHECK(fewest >= 3);
    CHECK(most <= 5);
    CHECK(api.list(sets).size() == 2);
    CHECK(number(deployments, "d", {"status", "updatedReplicas"}) == 4);
    CHECK(number(deployments, "d", {"status", "replicas"}) == 4);
    CHECK(count("Running") == 4);
    api.patch(deployments, {"default", "d"}, parsed(R"({"spec":{"replicas":1}})")).value();
    world.run_for(1min);
    CHECK(count("Running") == 1);
    CHECK(fakes.idle());
    // Back to the first template: its set is used again, under the next number.
    const auto revision = [&] {
        const json::value d = get(deployments, "d");
        return std::string(json::get_string(d, {"metadata", "annotations", "deployment.kubernetes.io/revision"}));
    };
    CHECK(revision() == "2");
    api.patch(deployments, {"default", "d"},
              parsed(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"one"}]}}}})"))
        .value();
    world.run_for(1min);
    CHECK(api.list(sets).size() == 2);
    CHECK(revision() == "3");
}

TEST_CASE_FIXTURE(cluster_fixture, "a Deployment that recreates has no two sets of pods at once") {
    api.create(parsed(deployment_text("one", R"({"type":"Recreate"})"))).value();
    world.run_for(5s);
    CHECK(count("Running") == 4);
    api.patch(deployments, {"default", "d"},
              parsed(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"two"}]}}}})"))
        .value();
    world.run_for(500ms);
    CHECK(api.list(pods).size() == 4);  // all of the first set, ending
    world.run_for(10s);
    CHECK(count("Running") == 4);
    CHECK(number(deployments, "d", {"status", "updatedReplicas"}) == 4);
}

TEST_CASE("equal seeds run equally") {
    const auto digest = [] {
        cluster_fixture f({}, 7);
        f.api.create(f.parsed(deployment_text("one", R"({"type":"RollingUpdate"})"))).value();
        f.api.create(f.parsed(job_text(R"("completions":3,"parallelism":2)"))).value();
        f.world.run_for(1min);
        return f.world.context().digest();
    };
    CHECK(digest() == digest());
}
