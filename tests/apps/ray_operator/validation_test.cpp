// Which specifications are refused, and in which words.
#include "api/validation.hpp"

#include "support.hpp"

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

std::string of_cluster(const ray_cluster& c) {
    const auto bad = check(c);
    return bad ? bad->text() : "";
}
std::string of_group(const std::string& more) { return of_cluster(cluster_with(group("a", more))); }
std::string of_head(const std::string& members, const std::string& container = "", const std::string& more = "") {
    return of_cluster(cluster_of("{" + members + (members.empty() ? "" : ",") +
                                     R"("template":{"spec":{"containers":[{"name":"ray")" + container + "}]}}}",
                                 "", more));
}
std::string of_resources(const std::string& amounts, const std::string& params = "") {
    return of_head(params, ",\"resources\":{" + amounts + "}");
}
std::string of_job(const std::string& spec, const std::string& name = "count") {
    const auto job = from_json<ray_job>(R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}").value();
    const auto cluster = from_json<ray_cluster_spec>(job.spec.ray_cluster_spec.text());
    const auto bad = check(job, cluster && !job.spec.ray_cluster_spec.empty() ? &*cluster : nullptr);
    return bad ? bad->text() : "";
}
std::string of_job_with(const std::string& more) {
    return of_job(R"("rayClusterSpec":{"headGroupSpec":{)" + pod_text + "}}" + (more.empty() ? "" : "," + more));
}
std::string rules(const std::string& all) {
    return of_job_with(R"("deletionStrategy":{"deletionRules":[)" + all + "]}");
}
std::string rule(const char* policy, const char* status, int ttl) {
    return std::string(R"({"policy":")") + policy + R"(","condition":{"jobStatus":")" + status + R"(","ttlSeconds":)" +
           std::to_string(ttl) + "}}";
}

}  // namespace

TEST_CASE("names of clusters") {
    auto c = cluster_with("");
    CHECK(of_cluster(c) == "");
    c.metadata.name = std::string(53, 'a');
    CHECK(of_cluster(c) == "");
    c.metadata.name = std::string(54, 'a');
    CHECK(of_cluster(c).find("metadata.name: \"aaa") == 0);
    CHECK(of_cluster(c).find("give at most 53 characters") != std::string::npos);
    c.metadata.name = "1st";
    CHECK(of_cluster(c).find("metadata.name: \"1st\": ") == 0);
}

TEST_CASE("numbers of a group") {
    CHECK(of_group(R"("replicas":3,"minReplicas":0,"maxReplicas":0)") == "");
    CHECK(of_group(R"("replicas":-1)") == "spec.workerGroupSpecs[0].replicas: -1: give 0 or more");
    CHECK(of_group(R"("minReplicas":-2)") == "spec.workerGroupSpecs[0].minReplicas: -2: give 0 or more");
    CHECK(of_group(R"("maxReplicas":-3)") == "spec.workerGroupSpecs[0].maxReplicas: -3: give 0 or more");
    CHECK(of_group(R"("numOfHosts":-1)") == "spec.workerGroupSpecs[0].numOfHosts: -1: give 0 or more");
    CHECK(of_group(R"("minReplicas":3,"maxReplicas":2)") ==
          "spec.workerGroupSpecs[0].minReplicas: 3: give at most maxReplicas, 2");
    CHECK(of_group(R"("suspend":true)") == "");
    CHECK(of_cluster(cluster_with(group("a", R"("suspend":true)"), R"("enableInTreeAutoscaling":true)")) ==
          "spec.workerGroupSpecs[0].suspend: true: turn enableInTreeAutoscaling off, or leave suspend out");
}

TEST_CASE("names of groups, and their containers") {
    CHECK(of_cluster(cluster_with(group("a", "") + "," + group("a", ""))) ==
          "spec.workerGroupSpecs[1].groupName: \"a\": give each group a name of its own");
    CHECK(of_cluster(cluster_with(group("headgroup", ""))).find("give each group a name of its own") !=
          std::string::npos);
    CHECK(of_cluster(cluster_with(group("", ""))) == "spec.workerGroupSpecs[0].groupName: \"\": give a name");
    CHECK(of_cluster(cluster_with(group("a b", ""))).find("spec.workerGroupSpecs[0].groupName: \"a b\": ") == 0);
    CHECK(of_cluster(cluster_of(R"({"template":{}})")) ==
          "spec.headGroupSpec.template.spec.containers: none: give at least the container of Ray");
    CHECK(of_cluster(cluster_with(R"({"groupName":"a","template":{"spec":{}}})"))
              .find("spec.workerGroupSpecs[0].template.spec.containers: none") == 0);
    std::string many = group("g0", "");
    for (int i = 1; i < 1000; ++i) many += "," + group("g" + std::to_string(i), "");
    CHECK(of_cluster(cluster_with(many)) == "");
    CHECK(
        of_cluster(cluster_with(many + "," + group("g7", ""))).find("spec.workerGroupSpecs[1000].groupName: \"g7\"") ==
        0);
}

TEST_CASE("GPUs: whole ones, of which requests and limits are equal") {
    const std::string at = "spec.headGroupSpec.template.spec.containers[0].resources";
    CHECK(of_resources(R"("limits":{"nvidia.com/gpu":"2"})") == "");
    CHECK(of_resources(R"("limits":{"nvidia.com/gpu":"2"},"requests":{"nvidia.com/gpu":"2000m"})") == "");
    CHECK(of_resources(R"("limits":{"nvidia.com/gpu":"2"},"requests":{"nvidia.com/gpu":"1"})") ==
          at + "[nvidia.com/gpu]: limit 2, request 1: make the request equal to the limit");
    CHECK(of_resources(R"("requests":{"amd.com/gpu":"1"})") ==
          at + "[amd.com/gpu]: limit none, request 1: make the request equal to the limit");
    CHECK(of_resources(R"("limits":{"nvidia.com/gpu":"500m"})") ==
          at + "[nvidia.com/gpu]: \"500m\": give a whole number of GPUs");
    CHECK(
        of_resources(R"("limits":{"nvidia.com/gpu":"one"})").find(at + "[nvidia.com/gpu]: \"one\": write a quantity") ==
        0);
    CHECK(of_resources(R"("limits":{"cpu":"-1"})") == at + "[cpu]: \"-1\": give 0 or more");
    CHECK(of_resources(R"("limits":{"nvidia.com/mig-1g.5gb":"1500m"})").find("give a whole number") !=
          std::string::npos);
    const std::string limit = R"("limits":{"nvidia.com/gpu":"2"})";
    CHECK(of_resources(limit, R"("rayStartParams":{"num-gpus":"2"})") == "");
    CHECK(of_resources(limit, R"("rayStartParams":{"num-gpus":"3"})") ==
          "spec.headGroupSpec.rayStartParams[num-gpus]: 3: give at most the limit of the container, 2");
    CHECK(of_resources("", R"("rayStartParams":{"num-gpus":"3"})") == "");
    CHECK(is_gpu("nvidia.com/mig-2g.32gb"));
    CHECK_FALSE(is_gpu("nvidia.com/mig-2g.32gb.shared"));
    CHECK_FALSE(is_gpu("nvidia.com/mig-xg.32gb"));
}

TEST_CASE("all that KubeRay refuses") {
    CHECK(of_head(R"("rayStartParams":{"num-cpus":"1"},"resources":{"CPU":"1"})") ==
          "spec.headGroupSpec.rayStartParams[num-cpus]: 1: leave it out, or leave out spec.headGroupSpec.resources");
    CHECK(of_head(R"("rayStartParams":{"labels":"a=b"})") ==
          "spec.headGroupSpec.rayStartParams[labels]: \"a=b\": use spec.headGroupSpec.labels");
    CHECK(of_head(R"("labels":{"a b":"c"})").find("spec.headGroupSpec.labels: \"a b\": ") == 0);
    CHECK(of_head(R"("labels":{"a":"b c"})").find("spec.headGroupSpec.labels[a]: \"b c\": ") == 0);
    const auto with_env = [](const char* name, const char* more = "", const char* value = "x") {
        return of_head("", std::string(R"(,"env":[{"name":")") + name + R"(","value":")" + value + "\"}]", more);
    };
    const char* options = R"("gcsFaultToleranceOptions":{"redisAddress":"r"})";
    const std::string env = "spec.headGroupSpec.template.spec.containers[0].env";
    CHECK(with_env("RAY_REDIS_ADDRESS") == env + ": RAY_REDIS_ADDRESS: use spec.gcsFaultToleranceOptions.redisAddress");
    CHECK(with_env("RAY_REDIS_ADDRESS", options).find(env + ": RAY_REDIS_ADDRESS") == 0);
    CHECK(with_env("REDIS_PASSWORD", options).find("use spec.gcsFaultToleranceOptions.redisPassword") !=
          std::string::npos);
    CHECK(with_env("REDIS_USERNAME").find("use spec.gcsFaultToleranceOptions.redisUsername") != std::string::npos);
    CHECK(of_head(R"("rayStartParams":{"redis-password":"secret"})", "", options) ==
          "spec.headGroupSpec.rayStartParams[redis-password]: set: use spec.gcsFaultToleranceOptions.redisPassword");
    CHECK(of_head(R"("rayStartParams":{"redis-username":"u"})").find("redisUsername") != std::string::npos);
    auto c = cluster_of("{" + pod_text + "}", "", options);
    CHECK(of_cluster(c) == "");
    c.metadata.annotations["ray.io/external-storage-namespace"] = "here";
    CHECK(of_cluster(c).find("use spec.gcsFaultToleranceOptions.externalStorageNamespace") != std::string::npos);
    c.metadata.annotations["ray.io/ft-enabled"] = "true";
    CHECK(of_cluster(c) == "metadata.annotations[ray.io/ft-enabled]: true: use spec.gcsFaultToleranceOptions alone");
    const char* v2 = R"("enableInTreeAutoscaling":true,"autoscalerOptions":{"version":"v2"})";
    CHECK(with_env("RAY_enable_autoscaler_v2", "", "1").find("set enableInTreeAutoscaling") != std::string::npos);
    CHECK(with_env("RAY_enable_autoscaler_v2", "", "0") == "");
    CHECK(with_env("RAY_enable_autoscaler_v2", v2).find("use spec.autoscalerOptions.version alone") !=
          std::string::npos);
    const auto restarts = cluster_with(
        R"({"groupName":"a","template":{"spec":{"restartPolicy":"Always","containers":[{"name":"r"}]}}})", v2);
    CHECK(of_cluster(restarts) ==
          "spec.workerGroupSpecs[0].template.spec.restartPolicy: Always: leave it out: autoscaler v2 needs Never");
    CHECK(of_cluster(cluster_with("", R"("upgradeStrategy":{"type":"Rolling"})")) ==
          "spec.upgradeStrategy.type: \"Rolling\": give Recreate or None");
}

TEST_CASE("jobs") {
    CHECK(of_job_with("") == "");
    CHECK(of_job("") == "spec.rayClusterSpec: none: give it, or clusterSelector");
    CHECK(of_job(R"("clusterSelector":{"ray.io/cluster":"c"})") == "");
    CHECK(of_job(R"("clusterSelector":{"x":"c"})") ==
          "spec.clusterSelector[ray.io/cluster]: none: name the RayCluster");
    CHECK(of_job(R"("clusterSelector":{"ray.io/cluster":"c"})", std::string(47, 'a')) == "");
    CHECK(of_job(R"("clusterSelector":{"ray.io/cluster":"c"})", std::string(48, 'a')).find("at most 47") !=
          std::string::npos);
    for (const char* mode : {"SidecarMode", "InteractiveMode", "Other"})
        CHECK(of_job_with(std::string(R"("submissionMode":")") + mode + "\"")
                  .find("spec.submissionMode: \"" + std::string(mode)) == 0);
    CHECK(of_job_with(R"("submissionMode":"HTTPMode")") == "");
    CHECK(of_job_with(R"("suspend":true)").find("spec.suspend: true") == 0);
    CHECK(of_job_with(R"("suspend":true,"shutdownAfterJobFinishes":true)") == "");
    CHECK(of_job_with(R"("ttlSecondsAfterFinished":3)").find("set shutdownAfterJobFinishes") != std::string::npos);
    CHECK(of_job_with(R"("ttlSecondsAfterFinished":-3)").find("give 0 or more") != std::string::npos);
    CHECK(of_job_with(R"("activeDeadlineSeconds":0)") == "spec.activeDeadlineSeconds: 0: give 1 or more");
    CHECK(of_job_with(R"("backoffLimit":-1)") == "spec.backoffLimit: -1: give 0 or more");
    CHECK(of_job_with(R"("runtimeEnvYAML":"pip: [a]")") == "");
    CHECK(of_job_with(R"("runtimeEnvYAML":"- a")") == "spec.runtimeEnvYAML: no map: write a map in YAML");
    CHECK(of_job_with(R"("runtimeEnvYAML":"a: [")").find("spec.runtimeEnvYAML: ") == 0);
    CHECK(of_job_with(R"("entrypointResources":"{\"a\":1}")") == "");
    CHECK(of_job_with(R"("entrypointResources":"a")").find("write a JSON object") != std::string::npos);
    CHECK(of_job_with(R"("submitterPodTemplate":{})").find("spec.submitterPodTemplate.spec.containers: none") == 0);
    CHECK(of_job(R"("rayClusterSpec":{"headGroupSpec":{"template":{}}})")
              .find("spec.rayClusterSpec.headGroupSpec.template") == 0);
    CHECK(of_job(R"("rayClusterSpec":7)").find("spec.rayClusterSpec: it does not decode") == 0);
}

TEST_CASE("deletion of jobs") {
    CHECK(rules(rule("DeleteWorkers", "FAILED", 1) + "," + rule("DeleteCluster", "FAILED", 2)) == "");
    CHECK(rules(rule("DeleteWorkers", "FAILED", 3) + "," + rule("DeleteCluster", "FAILED", 2)) ==
          "spec.deletionStrategy.deletionRules[0].condition.ttlSeconds: 3: give at most that of DeleteCluster");
    CHECK(rules(rule("DeleteWorkers", "FAILED", 3) + "," + rule("DeleteCluster", "SUCCEEDED", 2)) == "");
    CHECK(rules(rule("DeleteSelf", "FAILED", 1) + "," + rule("DeleteSelf", "FAILED", 1))
              .find("deletionRules[1].policy") != std::string::npos);
    CHECK(rules(rule("DeleteAll", "FAILED", 1)).find("\"DeleteAll\": give DeleteCluster") != std::string::npos);
    CHECK(rules(rule("DeleteSelf", "FAILED", -1)).find("ttlSeconds: -1: give 0 or more") != std::string::npos);
    CHECK(rules("").find("spec.deletionStrategy: incomplete") == 0);
    const std::string legacy =
        R"("deletionStrategy":{"onSuccess":{"policy":"DeleteCluster"},"onFailure":{"policy":"DeleteNone"}})";
    CHECK(of_job_with(legacy) == "");
    CHECK(of_job_with(legacy + R"(,"shutdownAfterJobFinishes":true)").find("onFailure.policy: DeleteNone") !=
          std::string::npos);
    CHECK(of_job_with(R"("deletionStrategy":{"onSuccess":{"policy":"DeleteSelf"}})").find("incomplete") !=
          std::string::npos);
    CHECK(of_job(R"("clusterSelector":{"ray.io/cluster":"c"},"deletionStrategy":{"deletionRules":[)" +
                 rule("DeleteCluster", "FAILED", 1) + "]}")
              .find("is not the job's") != std::string::npos);
}
