// What the operator makes beside what KubeRay 1.5 makes: rows of tests/go_truth/ray.jsonl, which ray.go writes by
// KubeRay's own functions. KCONTROL_RAY_TRUTH=FILE: more of them, such as those of KubeRay's samples.
#include <kcontrol/values/quantity.hpp>

#include "api/names.hpp"
#include "api/validation.hpp"
#include "decide/cluster_plan.hpp"
#include "pods/services.hpp"
#include "pods/submitter.hpp"
#include "support.hpp"
#include "support/folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

// Without what is new at each creation, and what differs on purpose (docs/ray_operator.md).
api::core::v1::pod bare(api::core::v1::pod of) {
    of.metadata.name.reset();
    of.metadata.annotations.erase(template_annotation);
    if (of.metadata.annotations.empty()) of.metadata.annotations.reset();
    for (auto& c : of.spec.containers) {
        for (auto& v : c.env) v.value = v.value.empty() ? text() : v.value;  // Go does not write an empty one
    }
    if (!of.spec.init_containers.empty()) {
        auto& waits = of.spec.init_containers.back();
        if (waits.name == "wait-gcs-ready") waits.args.reset();
    }
    return of;
}

// Go writes a target port that is not there as 0, and the ports of a map in any order.
api::core::v1::service bare(api::core::v1::service of) {
    for (auto& port : of.spec.ports) port.target_port.reset();
    std::ranges::sort(of.spec.ports, {}, &api::core::v1::service_port::name);
    return of;
}
template <class T>
T bare(T of) {
    return of;
}

class row {
public:
    explicit row(json::value from) : row_(std::move(from)) {}
    template <class T>
    void compare(const char* what, const T& ours) const {
        const auto* theirs = json::find(row_, {what});
        REQUIRE_MESSAGE(theirs != nullptr, what);
        compare_text<T>(what, *theirs, ours);
    }
    template <class T>
    static void compare_text(const std::string& what, const json::value& theirs, const T& ours) {
        auto read = from_json<T>(json::serialize(theirs));
        REQUIRE(read);
        const T wanted = bare(*read), made = bare(ours);
        CHECK_MESSAGE(to_json(made) == to_json(wanted), what);
    }
    const json::value& get(const char* what) const { return *json::find(row_, {what}); }
    bool has(const char* what) const { return json::find(row_, {what}) != nullptr; }

private:
    json::value row_;
};

void compare_cluster(const row& r) {
    const ray_cluster c = from_json<ray_cluster>(json::serialize(r.get("object"))).value();
    const auto refused = check(c);
    CHECK_MESSAGE(!refused, (refused ? refused->text() : ""));
    if (refused) return;
    r.compare("head", make_head_pod(c, pod_prefix(c, {}, true) + "x"));
    const auto& workers = r.get("workers").as_array();
    for (std::size_t i = 0; i < workers.size(); ++i) {
        const auto& group = c.spec.worker_group_specs[i];
        row::compare_text("worker " + group.group_name.str(), workers[i],
                          make_worker_pod(c, group, pod_prefix(c, group.group_name, false) + "x", {}));
    }
    r.compare("headService", make_head_service(c));
    if (has_several_hosts(c)) r.compare("headless", make_headless_service(c));
    if (serves(c)) r.compare("serve", make_serve_service(c));
    if (!is_autoscaling(c.spec)) return;
    r.compare("serviceAccount", make_autoscaler_account(c));
    r.compare("role", make_autoscaler_role(c));
    r.compare("roleBinding", make_autoscaler_binding(c));
}

void compare_desired(const row& r) {
    if (!r.has("desired")) return;
    const ray_cluster c = from_json<ray_cluster>(json::serialize(r.get("object"))).value();
    const auto s = next_status(c, {}, std::nullopt, begin);
    const auto is = [&](const char* name, const quantity_text& ours) {
        const std::string_view theirs = json::get_string(r.get("desired"), {name});
        const auto wanted = quantity::parse(theirs.empty() ? "0" : theirs);
        CHECK_MESSAGE(*quantity::parse(ours) == *wanted, name << ": " << ours.text() << ", KubeRay: " << theirs);
    };
    is("cpu", s.desired_cpu);
    is("memory", s.desired_memory);
    is("google.com/tpu", s.desired_tpu);
}

std::string squeezed(std::string_view s) {
    std::string out;
    for (const char c : s) {
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
    }
    return out;
}
void compare_job(const row& r) {
    ray_job job = from_json<ray_job>(json::serialize(r.get("object"))).value();
    if (job.status.dashboard_url.empty()) job.status.dashboard_url = "d:8265", job.status.job_id = "id-1";
    const auto spec = from_json<ray_cluster_spec>(job.spec.ray_cluster_spec.text()).value();
    const auto version = json::parse(job.spec.ray_cluster_spec.text()).value();
    CHECK(squeezed(submit_command(job, json::get_string(version, {"rayVersion"}))) ==
          squeezed(r.get("command").as_string()));
    auto ours = make_submitter(job, spec, "").spec.template_;
    const bool own =
        !job.spec.submitter_pod_template || job.spec.submitter_pod_template->spec.containers[0].command.empty();
    for (auto* words : {&ours.spec.containers[0].command, &ours.spec.containers[0].args}) {
        if (own) words->reset();  // compared above
    }
    auto& env = ours.spec.containers[0].env;
    REQUIRE(env.size() >= 3);
    for (int i = 0; i < 3; ++i) env.pop_back();
    if (env.empty()) env.reset();
    r.compare("template", ours);
}

std::vector<row> rows() {
    std::vector<std::string> files = {test::tests_file("go_truth/ray.jsonl")};
    if (const char* more = std::getenv("KCONTROL_RAY_TRUTH")) files.emplace_back(more);  // seam: ok, of the test itself
    std::vector<row> out;
    for (const auto& name : files) {
        std::ifstream file(name);
        for (std::string line; std::getline(file, line);) out.emplace_back(json::parse(line).value());
    }
    return out;
}

}  // namespace

TEST_CASE("pods, Services, rights and submitters are those of KubeRay") {
    const auto all = rows();
    REQUIRE(all.size() >= 19);
    std::size_t clusters = 0, jobs = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string name(json::get_string(all[i].get("object"), {"metadata", "name"}));
        CAPTURE(i);
        CAPTURE(name);
        if (json::get_string(all[i].get("object"), {"kind"}) == "RayJob") {
            compare_job(all[i]);
            ++jobs;
        } else {
            compare_cluster(all[i]);
            compare_desired(all[i]);
            ++clusters;
        }
    }
    MESSAGE("RayClusters: " << clusters << ", RayJobs: " << jobs);
}

TEST_CASE("parts of GPUs are resources of their own names, which KubeRay's are not") {
    const auto start = [](const char* limits) {
        const auto c =
            cluster_of(R"({"rayStartParams":{},"template":{"spec":{"containers":[{"name":"r","resources":{"limits":)" +
                       std::string(limits) + "}}]}}}");
        return make_head_pod(c, "h").spec.containers[0].args[0].str();
    };
    CHECK(start(R"({"nvidia.com/mig-1g.5gb":"2"})").find("--num-gpus=2  --resources='{\"nvidia.com/mig-1g.5gb\":2}'") !=
          std::string::npos);
    CHECK(start(R"({"nvidia.com/gpu.shared":"1"})").find("--resources='{\"nvidia.com/gpu.shared\":1}'") !=
          std::string::npos);
    CHECK(start(R"({"nvidia.com/gpu":"1"})").find("--resources") == std::string::npos);
}
