#include "pods/pod_table.hpp"

#include "pods/pods.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

const job_ref bert_ref{"a", "ml", "PyTorchJob", "bert"};

}  // namespace

TEST_CASE("pod table: pods are found by their job, and told once") {
    pod_table table;
    CHECK(table.set("a", worker(1, ended(1))) == std::vector{bert_ref});
    CHECK(table.set("a", worker(0, ended(0))) == std::vector{bert_ref});
    CHECK(table.set("a", worker(0, ended(0))).empty());
    CHECK(table.size() == 2);
    const auto known = table.evidence(bert_ref);
    REQUIRE(known.pods.size() == 2);
    CHECK(known.pods[0].name == "bert-worker-0");
    CHECK(known.pods[1].failed->code == 1);
    CHECK(table.evidence({"b", "ml", "PyTorchJob", "bert"}).pods.empty());
}

TEST_CASE("pod table: a failure outlives its pod, until its job goes") {
    pod_table table;
    static_cast<void>(table.set("a", worker(0, ended(137))));
    CHECK(table.remove("a", worker(0, ended(137))) == std::vector{bert_ref});
    CHECK(table.remove("a", worker(0, ended(137))).empty());
    CHECK(table.size() == 0);
    REQUIRE(table.evidence(bert_ref).gone_failure);
    table.forget(bert_ref);
    CHECK_FALSE(table.has(bert_ref));
}

TEST_CASE("pod table: a pod that was preempted is remembered, one that somebody deleted is not") {
    pod_table table;
    const auto preempted = worker(0, R"("phase":"Running",)" + disrupted("PreemptionByScheduler"));
    static_cast<void>(table.set("a", preempted));
    static_cast<void>(table.remove("a", preempted));
    REQUIRE(table.evidence(bert_ref).gone_failure);
    CHECK(table.evidence(bert_ref).gone_failure->disrupted_reason == "PreemptionByScheduler");
    table.forget(bert_ref);
    static_cast<void>(table.set("a", worker(0, R"("phase":"Running")")));
    static_cast<void>(table.remove("a", worker(0, R"("phase":"Running")")));
    CHECK_FALSE(table.evidence(bert_ref).gone_failure);
}

TEST_CASE("pod table: a pod that was deleted is remembered as it was, until its job goes or one of its name comes") {
    pod_table table;
    const auto runs = R"("phase":"Running")";
    static_cast<void>(table.set("a", worker(0, runs)));
    static_cast<void>(table.set("a", worker(1, runs)));
    CHECK(table.remove("a", worker(0, runs), 1234).size() == 1);
    static_cast<void>(table.remove("a", worker(1, runs), 1235));
    CHECK(table.size() == 0);
    auto known = table.evidence(bert_ref);
    REQUIRE(known.deleted.size() == 2);
    CHECK(known.pods.empty());
    CHECK(known.deleted[0].name == "bert-worker-0");
    CHECK(known.deleted[0].phase == "Running");
    CHECK(known.deleted[0].deleted_at == 1234);
    CHECK(table.pods_of("a").empty());  // it holds no GPU any more
    static_cast<void>(table.set("a", worker(0, runs)));
    known = table.evidence(bert_ref);
    CHECK(known.pods.size() == 1);
    CHECK(known.deleted.size() == 1);
    table.forget(bert_ref);
    CHECK(table.evidence(bert_ref).deleted.empty());
    static_cast<void>(table.remove("a", worker(0, runs), 1236));
    table.forget_cluster("a");
    CHECK_FALSE(table.has(bert_ref));
}

TEST_CASE("pod table: of the pods that were deleted the last ones are remembered") {
    pod_table table(pod_limits().most_of_job(100'000));
    const auto runs = R"("phase":"Running")";
    auto pod = worker(0, runs);
    const auto name = [](int i) { return "p" + std::to_string(100'000 + i); };
    for (int i = 0; i < 20'005; ++i) {
        pod.metadata.name = name(i);
        static_cast<void>(table.set("a", pod));
        static_cast<void>(table.remove("a", pod, i));
    }
    const auto deleted = table.evidence(bert_ref).deleted;
    REQUIRE(deleted.size() == 20'000);
    CHECK(deleted.front().name == name(5));
}

TEST_CASE("pod table: the deletion of a pod does not take the one that has its name now") {
    pod_table table;
    auto next = worker(0, ended(0));
    next.metadata.uid = "later";
    static_cast<void>(table.set("a", next));
    CHECK(table.remove("a", worker(0, ended(1))).empty());
    CHECK(table.size() == 1);
}

TEST_CASE("pod table: it is bounded, and says how much it left out") {
    pod_table table(pod_limits().most(3).most_of_job(2));
    for (int i = 0; i < 4; ++i) static_cast<void>(table.set("a", worker(i, ended(0))));
    CHECK(table.size() == 2);
    static_cast<void>(table.set("b", worker(0, ended(0))));
    static_cast<void>(table.set("b", worker(1, ended(0))));
    CHECK(table.size() == 3);
    CHECK(table.left_out() == 3);
    static_cast<void>(table.remove("a", worker(0, ended(0))));
    CHECK(table.set("b", worker(1, ended(0))).size() == 1);
    table.forget_cluster("b");
    CHECK(table.size() == 1);
}

TEST_CASE("pod table: what tells most of a traceback is in front, however long it is") {
    struct row {
        const char* name;
        std::string message, first;
    };
    const std::string frames =
        "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n    train()\n";
    const std::vector<row> table{
        {"no traceback", "loss is NaN\nat step 7", "loss is NaN"},
        {"one", frames + "ValueError: no data\n", "ValueError: no data"},
        {"after other lines", "step 1\nstep 2\n" + frames + "RuntimeError: CUDA out of memory\nbye\n",
         "RuntimeError: CUDA out of memory"},
        {"the last of a chain",
         frames + "KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n" + frames +
             "ValueError: no x\n",
         "ValueError: no x"},
        {"torchrun says less than the process that failed",
         frames + "ValueError: no data\n" + frames +
             "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n=====\n",
         "ValueError: no data"},
        {"torchrun alone", frames + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n",
         "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: "},
        {"of a rank", "[rank3]: Traceback (most recent call last):\n[rank3]:   File \"t.py\"\n[rank3]: OSError: full\n",
         "OSError: full"},
        {"cut before its end", "Traceback (most recent call last):\n  File \"t.py\"",
         "Traceback (most recent call last):"},
    };
    for (const auto& one : table) {
        CAPTURE(one.name);
        const auto text = most_telling_first(one.message);
        CHECK(text.substr(0, text.find('\n')) == one.first);
        CHECK(text.ends_with(one.message));
    }
    std::string lines;
    for (int i = 0; i < 200; ++i) lines += "  File \\\"t.py\\\", line 1\\n";
    const auto row =
        row_of(worker(0, ended(1, "Error", "Traceback (most recent call last):\\n" + lines + "ValueError: no data")));
    CHECK(row.failed->message.starts_with("ValueError: no data\nTraceback"));
}

TEST_CASE("pod table: the scheduler's message without what it says of preemption") {
    const auto row = [](std::string_view message) {
        return row_of(worker(0, unscheduled(message))).unscheduled_message;
    };
    const std::string said = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
    CHECK(row(said) == said);
    CHECK(
        row(said + " no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful.") ==
        said);
    CHECK(row(said + " preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.") == said);
}

TEST_CASE("pod table: texts of a pod are cut") {
    const auto row = row_of(worker(0, ended(1, "Error", std::string(5000, 'x'))));
    CHECK(row.failed->message.size() == 1024);
}

TEST_CASE("pod table: whose pod it is") {
    const auto of = [](std::string labels, std::string owner = "") {
        return jobs_of(pod_from(R"({"metadata":{"name":"p","namespace":"ml","labels":{)" + labels + R"(},)" +
                                R"("ownerReferences":[)" + owner + "]}}"),
                       "a");
    };
    using jobs = std::vector<job_ref>;
    CHECK(of(R"("app":"web")").empty());
    CHECK(of(R"("batch.kubernetes.io/job-name":"j")") == jobs{{"a", "ml", "Job", "j"}});
    CHECK(of(R"("ai.kcontrol.dev/job":"t")") == jobs{{"a", "ml", "TrainingJob", "t"}});
    CHECK(of(R"("jobset.sigs.k8s.io/jobset-name":"t","batch.kubernetes.io/job-name":"t-node-0")") ==
          jobs{{"a", "ml", "TrainJob", "t"}, {"a", "ml", "JobSet", "t"}, {"a", "ml", "Job", "t-node-0"}});
    CHECK(of(R"("training.kubeflow.org/job-name":"m","training.kubeflow.org/operator-name":"mpi-operator",)"
             R"("training.kubeflow.org/job-role":"launcher","batch.kubernetes.io/job-name":"m-launcher")") ==
          jobs{{"a", "ml", "MPIJob", "m"}, {"a", "ml", "Job", "m-launcher"}});
    // A name without a kind is nobody's.
    CHECK(of(R"("training.kubeflow.org/job-name":"m")").empty());
}

TEST_CASE("pod table: the pods of a cluster, each once, with the GPUs that they ask for") {
    pod_table table;
    static_cast<void>(
        table.set("a", pod_from(R"({"metadata":{"name":"p","namespace":"ml","uid":"u","labels":{)"
                                R"("jobset.sigs.k8s.io/jobset-name":"t",)"
                                R"("batch.kubernetes.io/job-name":"t-node-0"}},"spec":{"nodeName":"n1",)"
                                R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":"4"}}},{}],)"
                                R"("initContainers":[{"resources":{"requests":{"nvidia.com/gpu":1}}}]}})")));
    static_cast<void>(table.set("b", worker(0, ended(0))));
    CHECK(table.size() == 4);
    const auto pods = table.pods_of("a");
    REQUIRE(pods.size() == 1);
    CHECK(pods[0]->gpus == 4);
    CHECK(pods[0]->node == "n1");
    CHECK(table.pods_of("b").at(0)->gpus == 0);
    CHECK(table.pods_of("c").empty());
}

TEST_CASE("pod table: the pods on a node, each once, with the job that is in view") {
    pod_table table;
    const auto part = [](std::string name, std::string node) {
        return pod_from(
            R"({"metadata":{"name":")" + name + R"(","namespace":"ml","uid":")" + name +
            R"(","labels":{"jobset.sigs.k8s.io/jobset-name":"t","batch.kubernetes.io/job-name":"t-node-0"}},)"
            R"("spec":{"nodeName":")" +
            node + R"("}})");
    };
    static_cast<void>(table.set("a", part("p", "node-3")));
    static_cast<void>(table.set("a", part("q", "node-4")));
    static_cast<void>(table.set("a", worker(0, R"("phase":"Running")")));
    static_cast<void>(table.set("b", worker(1, R"("phase":"Running")")));
    const auto on = [&](const std::string& cluster, std::string_view node, std::set<std::string> kinds) {
        std::string out;
        for (const auto& [job, pod] :
             table.pods_on(cluster, node, [&](const job_ref& one) { return kinds.contains(one.kind); })) {
            out += job.kind + " " + job.name + " " + pod->name + ";";
        }
        return out;
    };
    CHECK(on("a", "node-3", {"TrainJob", "PyTorchJob"}) == "TrainJob t p;PyTorchJob bert bert-worker-0;");
    CHECK(on("a", "node-3", {"JobSet"}) == "JobSet t p;PyTorchJob bert bert-worker-0;");
    CHECK(on("a", "node-3", {}) == "Job t-node-0 p;PyTorchJob bert bert-worker-0;");
    CHECK(on("a", "node-4", {}) == "Job t-node-0 q;");
    CHECK(on("b", "node-3", {}) == "PyTorchJob bert bert-worker-1;");
    CHECK(on("b", "node-4", {}) == "");
    static_cast<void>(table.remove("b", worker(1, R"("phase":"Running")"), 5));
    CHECK(on("b", "node-3", {}) == "");  // it was deleted
}

TEST_CASE("pod table: what is watched follows the kinds") {
    using selectors = std::vector<std::string>;
    CHECK(pod_selectors({"PyTorchJob", "MPIJob"}) == selectors{"training.kubeflow.org/job-name"});
    CHECK(pod_selectors({"TrainJob", "Job"}) == selectors{"batch.kubernetes.io/job-name"});
    CHECK(pod_selectors({"TrainingJob"}) == selectors{"ai.kcontrol.dev/job"});
    CHECK(pod_selectors({}).empty());
}
