#include "demo/showcase.hpp"

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/testing/resource_type.hpp>
#include <kcontrol/values/time.hpp>

#include "jobs/job_view.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace training_monitor::demo {
namespace {

namespace http = kcontrol::http;
namespace json = kcontrol::json;
using kcontrol::testing::group_resource;

group_resource resource_of(std::string_view kind) {
    if (kind == "PyTorchJob") return {"kubeflow.org", "pytorchjobs"};
    if (kind == "Job") return {"batch", "jobs"};
    if (kind == "Node") return {"", "nodes"};
    if (kind == "Workload") return {"kueue.x-k8s.io", "workloads"};
    return {"", "pods"};
}

std::string quoted(std::string_view text) { return json::serialize(json::value(text)); }

// What a container's status says of its end. <-N> is N seconds ago.
std::string ended(int code, std::string_view reason, std::string_view ago, std::string_view message = "") {
    return R"("containerStatuses":[{"name":"main","restartCount":0,"state":{"terminated":{"exitCode":)" +
           std::to_string(code) + R"(,"reason":")" + std::string(reason) + R"(","message":)" + quoted(message) +
           R"(,"finishedAt":"<-)" + std::string(ago) + R"(>"}}}])";
}

std::string waiting(std::string_view reason, std::string_view message) {
    return R"("phase":"Pending","containerStatuses":[{"name":"main","restartCount":0,"state":{"waiting":{"reason":")" +
           std::string(reason) + R"(","message":)" + quoted(message) + "}}}]";
}

constexpr std::string_view running_pod =
    R"("phase":"Running","containerStatuses":[{"name":"main","restartCount":0,"state":{"running":{}}}])";

// Conditions as the training operator writes them: that it ran since, and what it is now.
std::string failed_since(std::string_view began, std::string_view ended, std::string_view why) {
    return R"([{"type":"Created","status":"True","reason":"PyTorchJobCreated","lastTransitionTime":"<-)" +
           std::string(began) +
           R"(>"},{"type":"Running","status":"False","reason":"PyTorchJobRunning","lastTransitionTime":"<-)" +
           std::string(began) +
           R"(>"},{"type":"Failed","status":"True","reason":"PyTorchJobFailed","lastTransitionTime":"<-)" +
           std::string(ended) + R"(>","message":)" + quoted(why) + "}]";
}

std::string running_since(std::string_view began) {
    return R"([{"type":"Created","status":"True","reason":"PyTorchJobCreated","lastTransitionTime":"<-)" +
           std::string(began) +
           R"(>"},{"type":"Running","status":"True","reason":"PyTorchJobRunning","lastTransitionTime":"<-)" +
           std::string(began) + R"(>"}])";
}

std::string created_since(std::string_view began) {
    return R"([{"type":"Created","status":"True","reason":"PyTorchJobCreated","lastTransitionTime":"<-)" +
           std::string(began) + R"(>"}])";
}

constexpr std::string_view traceback = R"(epoch 3 step 1200 loss 1.8733 lr 2.0e-05
epoch 3 step 1210 loss 1.8691 lr 2.0e-05
Traceback (most recent call last):
  File "/workspace/train.py", line 412, in <module>
    main()
  File "/workspace/train.py", line 377, in main
    loss.backward()
  File "/opt/conda/lib/python3.11/site-packages/torch/_tensor.py", line 525, in backward
    torch.autograd.backward(
RuntimeError: CUDA error: an illegal memory access was encountered
)";
constexpr std::string_view hang = R"(step 48110 loss 2.0412 tokens/s 412331
step 48120 loss 2.0398 tokens/s 411870
[rank 1] waiting for the next batch of shard-00412.tar
[rank 1] still waiting for shard-00412.tar (600 s)
[rank 1] still waiting for shard-00412.tar (1200 s)
[rank 1] still waiting for shard-00412.tar (1800 s)
)";
constexpr std::string_view no_module = R"(Traceback (most recent call last):
  File "/workspace/eval.py", line 7, in <module>
    import flash_attn
ModuleNotFoundError: No module named 'flash_attn'
)";

constexpr std::array<std::string_view, 4> gpu_nodes{"gpu-1", "gpu-2", "gpu-3", "gpu-4"};

}  // namespace

// With each <-N> as the time N seconds ago.
std::string showcase::text(std::string_view with_times) const {
    const auto now = std::chrono::floor<std::chrono::seconds>(env_.wall_now()).time_since_epoch().count();
    std::string out;
    for (std::size_t at = 0; at < with_times.size();) {
        const auto begin = with_times.find("<-", at);
        out += with_times.substr(at, begin - at);
        if (begin == std::string_view::npos) break;
        std::int64_t ago = 0;
        const auto read = std::from_chars(with_times.data() + begin + 2, with_times.data() + with_times.size(), ago);
        out += to_rfc3339(now - ago);
        at = static_cast<std::size_t>(read.ptr - with_times.data()) + 1;
    }
    return out;
}

// Returns the uid. A status has a write of its own.
std::string showcase::make(std::string_view object) {
    auto read = json::parse(text(object));
    if (!read) return {};
    json::object whole = read->as_object(), patch;
    const bool has_status = whole.contains("status");
    if (has_status) {
        patch["status"] = whole.at("status");
        whole.erase("status");
    }
    const auto id = resource_of(json::get_string(*read, {"kind"}));
    const std::string name_space(json::get_string(*read, {"metadata", "namespace"})),
        name(json::get_string(*read, {"metadata", "name"}));
    const auto made = on_.api().create(std::move(whole));
    if (!made) return {};
    if (has_status) static_cast<void>(on_.api().patch(id, {name_space, name}, patch, "status"));
    return std::string(json::get_string(*made, {"metadata", "uid"}));
}

std::string showcase::pytorch(const std::string& name_space, const std::string& name, int workers,
                              std::string_view conditions, std::string_view more_status) {
    const auto replica = [](int count) {
        return R"({"replicas":)" + std::to_string(count) +
               R"(,"template":{"spec":{"containers":[{"name":"main","image":"registry.example.com/train:1",)"
               R"("resources":{"limits":{"nvidia.com/gpu":8}}}]}}})";
    };
    return make(R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":")" + name +
                R"(","namespace":")" + name_space + R"(","labels":{"team":")" + name_space +
                R"("}},"spec":{"pytorchReplicaSpecs":{"Master":)" + replica(1) + R"(,"Worker":)" + replica(workers) +
                R"(}},"status":{"conditions":)" + std::string(conditions) + std::string(more_status) + "}}");
}

std::string showcase::batch(const std::string& name_space, const std::string& name, std::string_view status,
                            std::string_view spec) {
    return make(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":")" + name + R"(","namespace":")" +
                name_space + R"(","labels":{"team":")" + name_space +
                R"(","kueue.x-k8s.io/queue-name":"research"}},"spec":{"parallelism":1,"backoffLimit":6)" +
                std::string(spec) +
                R"(,"template":{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"main",)"
                R"("image":"registry.example.com/train:1","resources":{"limits":{"nvidia.com/gpu":1}}}]}}},"status":)" +
                std::string(status) + "}");
}

std::string showcase::pod(const pod_of_job& of, std::string_view status, std::string_view log) {
    const bool is_batch = of.type.empty();
    std::string lower = of.type;
    for (char& c : lower) c = static_cast<char>(c | 0x20);
    const std::string name = of.job + (is_batch ? "-x7k2p" : "-" + lower + "-" + std::to_string(of.index));
    const std::string labels = is_batch ? R"("batch.kubernetes.io/job-name":")" + of.job + '"'
                                        : R"("training.kubeflow.org/job-name":")" + of.job +
                                              R"(","training.kubeflow.org/operator-name":"pytorchjob-controller",)"
                                              R"("training.kubeflow.org/replica-type":")" +
                                              lower + R"(","training.kubeflow.org/replica-index":")" +
                                              std::to_string(of.index) + '"';
    const std::string node = of.node.empty() ? "" : R"("nodeName":")" + of.node + R"(",)";
    const auto uid = make(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","namespace":")" +
                          of.name_space + R"(","labels":{)" + labels + R"(}},"spec":{)" + node +
                          R"("containers":[{"name":"main","image":"registry.example.com/train:1",)"
                          R"("resources":{"limits":{"nvidia.com/gpu":)" +
                          std::to_string(of.gpus) + R"(}}}]},"status":{)" + std::string(status) + "}}");
    if (!log.empty()) on_.api().write_log({of.name_space, name}, "main", log);
    return uid;
}

void showcase::event(std::string_view kind, const std::string& name_space, const std::string& name,
                     const std::string& uid, std::string_view reason, std::string_view message, int count) {
    std::string suffix(reason);
    for (char& c : suffix) c = static_cast<char>(c | 0x20);
    static_cast<void>(make(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":")" + name + "." + suffix +
                           R"(","namespace":")" + name_space + R"("},"involvedObject":{"kind":")" + std::string(kind) +
                           R"(","namespace":")" + name_space + R"(","name":")" + name + R"(","uid":")" + uid +
                           R"("},"type":"Warning","reason":")" + std::string(reason) + R"(","message":)" +
                           quoted(message) + R"(,"count":)" + std::to_string(count) + R"(,"lastTimestamp":"<-90>"})"));
}

void showcase::make_nodes() {
    for (const auto node : gpu_nodes) {
        const std::string name(node), cordoned = node == "gpu-4" ? R"({"unschedulable":true})" : "{}";
        make(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
             R"(","labels":{"nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3"}},"spec":)" + cordoned +
             R"(,"status":{"allocatable":{"nvidia.com/gpu":"8"},"conditions":[{"type":"Ready","status":"True"}]}})");
        make(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"gpu-labeler-)" + name +
             R"(","namespace":"gpu-labeler","labels":{"app.kubernetes.io/name":"gpu-labeler"}},"spec":{"nodeName":")" +
             name + R"(","containers":[{"name":"labeler","image":"registry.example.com/gpu-labeler:1"}]},)" +
             R"("status":{"phase":"Running"}})");
    }
}

void showcase::make_failures() {
    pytorch("nlp", "llama3-8b-sft", 3,
            failed_since("15200", "420", "PyTorchJob nlp/llama3-8b-sft is failed because 1 Worker replica(s) failed."));
    pod({"nlp", "llama3-8b-sft", "Worker", 2, "gpu-4"}, R"("phase":"Failed",)" + ended(137, "OOMKilled", "420"),
        "loading the checkpoint step-12000\nresharding 8 -> 32\n");
    pytorch("vision", "vit-h14-pretrain", 2,
            failed_since("9800", "1100",
                         "PyTorchJob vision/vit-h14-pretrain is failed because 1 Worker replica(s) failed."));
    pod({"vision", "vit-h14-pretrain", "Worker", 1, "gpu-3"},
        R"("phase":"Failed",)" +
            ended(1, "Error", "1100", "RuntimeError: CUDA error: an illegal memory access was encountered"),
        traceback);
    pytorch("ranking", "ranker-v7-nightly", 1,
            failed_since("7300", "2400",
                         "PyTorchJob ranking/ranker-v7-nightly is failed because 1 Worker replica(s) failed."));
    pod({"ranking", "ranker-v7-nightly", "Worker", 0, "gpu-4"},
        R"("phase":"Failed","reason":"Evicted","message":"The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 2Gi.")");
    pytorch("speech", "whisper-large-ft", 1,
            failed_since("6100", "3000",
                         "PyTorchJob speech/whisper-large-ft is failed because 1 Worker replica(s) failed."));
    pod({"speech", "whisper-large-ft", "Worker", 0, "gpu-4"},
        R"("phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler",)"
        R"("message":"default-scheduler: preempting to accommodate a higher priority pod","lastTransitionTime":"<-3000>"}],)" +
            ended(143, "Error", "3000"));
}

void showcase::make_waiting() {
    const auto tokenize = batch("data", "tokenize-shards", R"({"active":1,"ready":0,"startTime":"<-900>"})");
    const auto image = pod({"data", "tokenize-shards", "", 0, "gpu-4", 1},
                           waiting("ImagePullBackOff", "Back-off pulling image \"registry.example.com/train:2-rc\""));
    event("Pod", "data", "tokenize-shards-x7k2p", image, "Failed",
          "Failed to pull image \"registry.example.com/train:2-rc\": not found", 9);
    static_cast<void>(tokenize);
    batch("data", "dedup-crawl", R"({"active":1,"ready":0,"startTime":"<-700>"})");
    pod({"data", "dedup-crawl", "", 0, "gpu-4", 1},
        waiting("CreateContainerConfigError", "secret \"s3-credentials\" not found"));
    batch("eval", "eval-harness", R"({"active":1,"ready":0,"startTime":"<-2600>"})");
    pod({"eval", "eval-harness", "", 0, "gpu-3", 1},
        R"("phase":"Running","containerStatuses":[{"name":"main","restartCount":6,"state":{"waiting":{"reason":)"
        R"("CrashLoopBackOff","message":"back-off 5m0s restarting failed container"}},"lastState":{"terminated":{)"
        R"("exitCode":1,"reason":"Error","finishedAt":"<-70>"}}}])",
        no_module);
    pytorch("nlp", "qwen2-72b-rlhf", 7, created_since("1900"), R"(,"startTime":"<-1900>")");
    for (int i = 0; i < 3; ++i) {
        pod({"nlp", "qwen2-72b-rlhf", "Worker", i, ""},
            R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
            R"("message":"0/4 nodes are available: 1 node(s) were unschedulable, 3 Insufficient nvidia.com/gpu. preemption: )"
            R"(0/4 nodes are available: 4 No preemption victims found for incoming pod."}])");
    }
    const auto quota = batch("vision", "clip-filter", R"({"startTime":"<-1200>"})");
    event("Job", "vision", "clip-filter", quota, "FailedCreate",
          "Error creating: pods \"clip-filter-x7k2p\" is forbidden: exceeded quota: gpus, requested: "
          "requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=16, limited: requests.nvidia.com/gpu=16",
          14);
}

void showcase::make_running() {
    const auto run = [&](const std::string& team, const std::string& name, const std::string& node,
                         std::string_view since, std::string_view log) {
        pytorch(team, name, 1, running_since(since),
                R"(,"startTime":"<-)" + std::string(since) + R"(>","replicaStatuses":)" +
                    R"({"Master":{"active":1},"Worker":{"active":1}})");
        pod({team, name, "Master", 0, node, 4}, running_pod, "step 10 loss 2.1\n");
        pod({team, name, "Worker", 0, node, 4}, running_pod, log);
    };
    run("nlp", "mixtral-pretrain", "gpu-2", "52000", "step 61240 loss 1.9120\n");
    run("nlp", "moe-ablation", "gpu-1", "61000", hang);                // it computes nothing, and says why
    run("vision", "sdxl-lora", "gpu-3", "23000", "jupyter: ready\n");  // somebody left it open
}

void showcase::set_status(const std::string& kind, const std::string& name_space, const std::string& name,
                          std::string_view status) {
    const auto read = json::parse(text(status));
    if (!read) return;
    json::object patch;
    patch["status"] = *read;
    static_cast<void>(on_.api().patch(resource_of(kind), {name_space, name}, patch, "status"));
}

kcontrol::awaitable<void> showcase::lose_a_gpu(std::stop_token stop) {
    using namespace std::chrono_literals;
    co_await kcontrol::sleep_for(env_, 15s, stop);
    if (stop.stop_requested()) co_return;
    gpu_lost_ = env_.wall_now();
    set_status("Node", "", "gpu-2",
               R"({"conditions":[{"type":"Ready","status":"True"},{"type":"kcontrol.dev/GPUHealthy","status":"False",)"
               R"("reason":"GPUFailed","message":"GPU 7 (GPU-7): XID 79: the GPU has fallen off the bus",)"
               R"("lastTransitionTime":"<-0>"}]})");
    co_await kcontrol::sleep_for(env_, 10s, stop);
    if (stop.stop_requested()) co_return;
    const std::string last_words = "torch.distributed.DistBackendError: NCCL communicator was aborted on rank 1";
    on_.api().write_log({"nlp", "mixtral-pretrain-worker-0"}, "main",
                        "NCCL WARN Cuda failure 'unspecified launch failure'\n" + last_words + "\n");
    set_status("Pod", "nlp", "mixtral-pretrain-worker-0",
               R"({"phase":"Failed",)" + ended(134, "Error", "0", last_words) + "}");
    set_status(
        "PyTorchJob", "nlp", "mixtral-pretrain",
        R"({"conditions":)" +
            failed_since("52000", "0",
                         "PyTorchJob nlp/mixtral-pretrain is failed because 1 Worker replica(s) failed.") +
            R"(,"completionTime":"<-0>","replicaStatuses":{"Master":{"active":0},"Worker":{"active":0,"failed":1}}})");
}

void showcase::make_queue() {
    on_.api().register_resource(kcontrol::testing::resource_type("kueue.x-k8s.io", "v1beta1", "Workload", "workloads"));
    const auto uid = batch(
        "ranking", "sweep-lr",
        R"({"conditions":[{"type":"Suspended","status":"True","reason":"JobSuspended","message":"Job suspended","lastTransitionTime":"<-1500>"}]})",
        R"(,"suspend":true)");
    make(
        R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","metadata":{"name":"job-sweep-lr","namespace":"ranking",)"
        R"("labels":{"kueue.x-k8s.io/job-uid":")" +
        uid +
        R"("}},"spec":{"queueName":"research"},"status":{"conditions":[{"type":"QuotaReserved","status":"False",)"
        R"("reason":"Pending","message":"couldn't assign flavors to pod set main: insufficient unused quota for )"
        R"(nvidia.com/gpu in flavor h100, 4 more needed","lastTransitionTime":"<-1500>"}]}})");
}

std::string showcase::labeler_report(std::string_view node) const {
    struct load {
        std::string_view node, team, pod;
    };
    static constexpr std::array<load, 2> loads{{{"gpu-1", "nlp", "moe-ablation"}, {"gpu-3", "vision", "sdxl-lora"}}};
    const std::string lost = gpu_lost_ ? kcontrol::format_time(*gpu_lost_) : "";
    std::string items;
    for (int i = 0; i < 8; ++i) {
        const bool fell_off = gpu_lost_ && node == "gpu-2" && i == 7;
        std::string users, busy = node == "gpu-2" && !gpu_lost_ ? "96" : "0";
        for (const auto& one : loads) {
            if (one.node != node) continue;
            users = R"({"namespace":")" + std::string(one.team) + R"(","pod":")" + std::string(one.pod) +
                    (i < 4 ? "-master-0" : "-worker-0") + R"("})";
        }
        if (!items.empty()) items += ',';
        items += R"({"index":)" + std::to_string(i) + R"(,"name":"NVIDIA H100 80GB HBM3","health":")" +
                 (fell_off ? "failed" : "ok") + R"(","reason":")" + (fell_off ? "GPU has fallen off the bus" : "") +
                 R"(","temperatureC":)" + (busy == "0" ? "34" : "71") + R"(,"powerW":)" + (busy == "0" ? "74" : "642") +
                 R"(,"utilization":{"gpu":)" + busy +
                 R"(},"memory":{"totalBytes":85899345920,"usedBytes":64424509440})" +
                 (fell_off ? R"(,"xid":{"last":79,"time":")" + lost + R"("})" : "") + R"(,"users":[)" + users + "]}";
    }
    return text(R"({"state":"ok","message":"","items":[)" + items + "]}");
}

std::optional<http::response> showcase::answer(std::string_view target) const {
    constexpr std::string_view labelers = "/api/v1/namespaces/gpu-labeler/pods/gpu-labeler-";
    if (target.starts_with(labelers) && target.find("/proxy/") != std::string_view::npos) {
        const auto rest = target.substr(labelers.size());
        return http::json_response(200, labeler_report(rest.substr(0, rest.find(':'))));
    }
    if (target.starts_with("/apis/visibility.kueue.x-k8s.io/")) {
        return http::json_response(200, R"({"items":[{"metadata":{"name":"job-sweep-lr"},"positionInLocalQueue":2,)"
                                        R"("positionInClusterQueue":6}]})");
    }
    return std::nullopt;
}

void showcase::fill() {
    for (const char* name : {"nlp", "vision", "speech", "ranking", "data", "eval", "gpu-labeler"}) {
        json::object object{{"apiVersion", "v1"}, {"kind", "Namespace"}};
        object["metadata"] = json::object{{"name", name}};
        static_cast<void>(on_.api().create(std::move(object)));
    }
    make_nodes();
    make_failures();
    make_waiting();
    make_running();
    make_queue();
    on_.answer_before([this](std::string_view target) { return answer(target); });
}

}  // namespace training_monitor::demo
