// The whole operator in a simulated cluster, where the test is scheduler, kubelet and dashboard.
#pragma once

#include <kcontrol/testing/sim_world.hpp>

#include "api/names.hpp"
#include "control/job_control.hpp"
#include "support.hpp"

#include <map>
#include <memory>
#include <string>

namespace ray_operator::tests {

inline const testing::group_resource pods_id{"", "pods"}, services_id{"", "services"}, nodes_id{"", "nodes"};
inline const testing::group_resource clusters_id{"ray.io", "rayclusters"}, jobs_id{"ray.io", "rayjobs"};
inline const testing::group_resource submitters_id{"batch", "jobs"};

/// A dashboard: the jobs that were submitted, and what it answers instead.
class fake_dashboard {
public:
    awaitable<void> serve(http::server_request request, http::responder& to) {
        ++requests;
        http::response answer = instead ? *instead : handle(request);
        if (loses_answer && request.method == "POST") {
            loses_answer = false;
            to.abort();  // it is done
            co_return;
        }
        const auto sent = co_await to.send(std::move(answer));
        static_cast<void>(sent);
    }
    std::map<std::string, std::string> jobs;  ///< their states
    std::vector<std::string> posts;           ///< ids that were submitted, each time
    std::vector<std::string> stopped;
    std::optional<http::response> instead;
    bool loses_answer = false;
    std::size_t requests = 0;

private:
    http::response handle(const http::server_request& request) {
        http::response answer(200);
        const std::string prefix = "/api/jobs/";
        std::string id = request.target.substr(request.target.find(prefix) + prefix.size());
        if (request.method == "POST" && id.empty()) {
            const auto body = json::parse(request.body).value();
            id = std::string(json::get_string(body, {"submission_id"}));
            posts.push_back(id);
            if (!jobs.emplace(id, "PENDING").second) {
                answer.status = 500;
                answer.body = "Job with submission_id " + id + " already exists. Please use a different submission_id.";
                return answer;
            }
            answer.body = json::serialize(json::object{{"job_id", id}, {"submission_id", id}});
        } else if (request.method == "POST") {
            stopped.push_back(id.substr(0, id.find('/')));
            answer.body = R"({"stopped":true})";
        } else if (!jobs.contains(id)) {
            answer.status = 404;
        } else {
            answer.body = json::serialize(json::object{
                {"submission_id", id}, {"status", jobs[id]}, {"message", "of " + id}, {"start_time", 1764410400000}});
        }
        return answer;
    }
};

class ray_world {
public:
    explicit ray_world(std::uint64_t seed = 1)
        : world(seed), server(world.add_server("cluster", testing::api_server_options().collect_garbage(true))) {
        world.register_resource(testing::resource_type_of(resource_of<ray_cluster>()));
        world.register_resource(testing::resource_type_of(resource_of<ray_job>()));
        add_node("n0");
        start();
    }
    ~ray_world() { stop(); }

    void start() {
        m = std::make_unique<manager>(world.env(), world.get_executor(), world.connect(server), watched(only_label));
        auto dashboards = proxied ? proxied_dashboards() : direct_dashboards(world.network().factory());
        REQUIRE(set_up(*m, std::move(dashboards)));
        m->start();
    }
    void stop() {
        if (m) world.run(m->stop());
        m.reset();
    }
    void settle(duration d = 3s) { world.run_for(d); }
    std::string now() { return format_time(world.env().wall_now()); }

    void add_node(const std::string& name, const json::object& allocatable = {}) {
        (void)server.api().create({{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}}).value();
        set_ready(name, "True");
        (void)server.api().patch(nodes_id, {"", name}, {{"status", {{"allocatable", allocatable}}}}, "status").value();
    }
    void set_ready(const std::string& node, const std::string& status) {
        const json::value condition{{"type", "Ready"}, {"status", status}, {"lastTransitionTime", now()}};
        (void)server.api()
            .patch(nodes_id, {"", node}, {{"status", {{"conditions", json::array{condition}}}}}, "status")
            .value();
    }
    static json::object pod_template(const json::object& resources = {}) {
        return {{"spec", {{"containers", {{{"name", "ray"}, {"image", "ray:1"}, {"resources", resources}}}}}}};
    }
    static json::object spec(const json::array& groups, const json::object& more = {}) {
        json::object out{{"headGroupSpec", {{"template", pod_template()}}}, {"workerGroupSpecs", groups}};
        for (const auto& [key, value] : more) out[key] = value;
        return out;
    }
    static json::object group_of(const std::string& name, int replicas, const json::object& more = {}) {
        json::object out{{"groupName", name}, {"replicas", replicas}, {"template", pod_template()}};
        for (const auto& [key, value] : more) out[key] = value;
        return out;
    }
    /// A cluster "small".
    void add_cluster(const json::object& of, const std::string& name = "small", const json::object& labels = {}) {
        (void)server.api()
            .create({{"apiVersion", "ray.io/v1"},
                     {"kind", "RayCluster"},
                     {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", labels}}},
                     {"spec", of}})
            .value();
        settle();
    }
    void set_spec(const json::object& change, const std::string& name = "small") {
        (void)server.api().patch(clusters_id, {"default", name}, {{"spec", change}}).value();
        settle();
    }
    /// A job "count", with a cluster of a head and a worker; `more` is merged into its specification.
    void add_job(const json::object& more, const json::object& annotations = {}) {
        json::object of{{"entrypoint", "python a.py"},
                        {"rayClusterSpec", spec({group_of("a", 1)}, {{"unknownField", "kept"}})}};
        for (const auto& [key, value] : more) of[key] = value;
        (void)server.api()
            .create({{"apiVersion", "ray.io/v1"},
                     {"kind", "RayJob"},
                     {"metadata", {{"name", "count"}, {"namespace", "default"}, {"annotations", annotations}}},
                     {"spec", of}})
            .value();
        settle();
    }
    std::unique_ptr<ray_cluster> cluster(const std::string& name = "small") {
        return get<ray_cluster>(clusters_id, name);
    }
    std::unique_ptr<ray_job> job() { return get<ray_job>(jobs_id, "count"); }
    /// "Running RUNNING", "Failed FAILED AppFailed: of x"; "gone".
    std::string told_of_job() {
        const auto found = job();
        if (!found) return "gone";
        std::string out = found->status.job_deployment_status.str();
        if (!found->status.job_status.empty()) out += " " + found->status.job_status.str();
        if (!found->status.reason.empty()) out += " " + found->status.reason.str() + ": " + found->status.message.str();
        return out;
    }
    /// "HeadPodReady=True Reason: message"; "none".
    std::string condition(const char* type, const std::string& name = "small") {
        const auto found = cluster(name);
        const auto* c = found ? find_condition(found->status.conditions, type) : nullptr;
        if (c == nullptr) return "none";
        return c->status.str() + " " + c->reason.str() + (c->message.empty() ? "" : ": " + c->message.str());
    }
    struct counts {
        int heads = 0, workers = 0, going = 0;
        friend bool operator==(const counts&, const counts&) = default;
    };
    counts pods(const std::string& cluster_name = "small") {
        counts out;
        for (const auto& pod : server.api().list(pods_id)) {
            if (json::get_string(pod, {"metadata", "labels", cluster_label}) != cluster_name) continue;
            if (json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr) {
                ++out.going;
            } else {
                ++(json::get_string(pod, {"metadata", "labels", node_type_label}) == "head" ? out.heads : out.workers);
            }
        }
        return out;
    }
    std::string summary(const std::string& cluster_name = "small") {
        const auto c = pods(cluster_name);
        return std::to_string(c.heads) + "+" + std::to_string(c.workers) +
               (c.going == 0 ? "" : " -" + std::to_string(c.going));
    }
    std::vector<std::string> names(const std::string& type) {
        std::vector<std::string> out;
        for (const auto& pod : server.api().list(pods_id)) {
            if (json::get_string(pod, {"metadata", "labels", node_type_label}) == type)
                out.emplace_back(json::get_string(pod, {"metadata", "name"}));
        }
        return out;
    }
    void patch_pod(const std::string& name, const json::object& change, const std::string& subresource = "status") {
        (void)server.api().patch(pods_id, {"default", name}, change, subresource).value();
    }
    /// Scheduler and kubelet: pods without a node get "n0" and run; those that are to go are gone.
    void kubelet() {
        run_pods();
        settle();
    }
    void run_pods() {
        client c = world.connect(server);
        for (const auto& pod : server.api().list(pods_id)) {
            const std::string name(json::get_string(pod, {"metadata", "name"}));
            if (json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr) {
                const namespaced_name key("default", name);
                REQUIRE(world.run(c.delete_<ray_pod>(key, delete_options().grace_period(0s))));
                continue;
            }
            if (!json::get_string(pod, {"status", "phase"}).empty() &&
                json::get_string(pod, {"status", "phase"}) != "Pending")
                continue;
            patch_pod(name, {{"spec", {{"nodeName", "n0"}}}}, "");
            const json::value ready{{"type", "Ready"}, {"status", "True"}, {"lastTransitionTime", now()}};
            patch_pod(name,
                      {{"status", {{"phase", "Running"}, {"podIP", "10.0.0.7"}, {"conditions", json::array{ready}}}}});
        }
    }
    void fail_pod(const std::string& name) {
        patch_pod(name, {{"status", {{"phase", "Failed"}}}});
        settle();
    }
    std::size_t events(std::string_view reason) {
        std::size_t out = 0;
        for (const auto& each : server.api().list({"events.k8s.io", "events"})) {
            if (json::get_string(each, {"reason"}) == reason) ++out;
        }
        return out;
    }
    std::size_t writes() {
        std::size_t out = 0;
        for (const char* verb : {"create", "update", "patch", "delete"}) out += server.api().request_log().count(verb);
        return out;
    }
    std::string dashboard_host() {
        return job()->status.ray_cluster_name.str() + "-head-svc.default.svc.cluster.local";
    }
    /// The dashboard of the cluster that the job has now.
    void serve_dashboard() {
        REQUIRE(job());
        world.network().listen(
            dashboard_host(), world.get_executor(),
            [this](http::server_request r, http::responder& to) { return dashboard.serve(std::move(r), to); });
    }
    /// A job whose cluster runs.
    void start_job(const json::object& more, const json::object& annotations = {}) {
        add_job(more, annotations);
        serve_dashboard();
        kubelet();
        settle(10s);
    }

    testing::sim_world world;
    testing::sim_server& server;
    std::unique_ptr<manager> m;
    fake_dashboard dashboard;
    std::string only_label;
    bool proxied = false;

private:
    template <class T>
    std::unique_ptr<T> get(const testing::group_resource& id, const std::string& name) {
        const auto found = server.api().get(id, {"default", name});
        if (!found) return nullptr;
        return std::make_unique<T>(from_json<T>(json::serialize(*found)).value());
    }
};

}  // namespace ray_operator::tests
