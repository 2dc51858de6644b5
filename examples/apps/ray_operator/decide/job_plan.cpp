#include "decide/job_plan.hpp"

#include <kcontrol/controllerutil/finalizers.hpp>

#include "api/names.hpp"
#include "api/validation.hpp"
#include "pods/services.hpp"

namespace ray_operator {
namespace {

using std::chrono::seconds;

constexpr seconds submitter_grace{30};  // from its end until the dashboard must say that the job has ended, too
constexpr seconds status_grace{300};    // from the end of the Ray job until its submitter must have ended

class planner {
public:
    planner(const ray_job& job, const job_facts& seen, wall_time now) : job_(job), seen_(seen), now_(now) {
        out_.status = job.status;
    }

    job_plan plan(const ray_cluster_spec* cluster) {
        ray_job_status& s = out_.status;
        if (is_being_deleted(job_.metadata)) return leave();
        const auto bad = check(job_, cluster);
        if (bad) return refuse(*bad);
        const std::string at = s.job_deployment_status == "ValidationFailed" && s.job_id.empty()
                                   ? std::string()
                                   : s.job_deployment_status.str();
        s.observed_generation = job_.metadata.generation.value_or(0);
        if (at.empty()) begin();
        if (at == "Initializing") initialize();
        if (at == "Running") run();
        if (at == "Suspending" || at == "Retrying") give_up_cluster(at == "Suspending");
        if (at == "Suspended" && !job_.spec.suspend) s.job_deployment_status = "";
        if (at == "Complete" || at == "Failed") clean_up();
        count(at);
        return std::move(out_);
    }

private:
    job_plan leave() {
        if (!has_finalizer(job_.metadata, job_finalizer)) return std::move(out_);
        const auto& s = job_.status;
        out_.stop_job = !is_terminal(s.job_status) && !s.job_id.empty() && !s.dashboard_url.empty();
        out_.release = true;
        return std::move(out_);
    }
    job_plan refuse(const invalid_spec& why) {
        ray_job_status& s = out_.status;
        s.job_deployment_status = s.reason = "ValidationFailed";
        s.message = why.text();
        s.observed_generation = job_.metadata.generation.value_or(0);
        if (differ(s, job_.status))
            out_.notes.push_back(
                {true, why.field == "metadata.name" ? "InvalidRayJobMetadata" : "InvalidRayJobSpec", why.text()});
        return std::move(out_);
    }
    void at(wall_time t) {
        if (!out_.again || t < *out_.again) out_.again = std::max(t, now_);
    }
    bool selects() const { return !job_.spec.cluster_selector.empty(); }
    bool is_http() const { return job_.spec.submission_mode == "HTTPMode"; }
    bool keeps_cluster() const {
        const text* how = job_.metadata.annotations.get(retry_annotation);
        return selects() || (is_http() && how != nullptr && *how == "same-cluster");
    }
    // Another one each time, and written before anything is made by it.
    std::string new_name(const char* what) const {
        const std::string from = job_.metadata.uid.str() + what + std::to_string(now_.time_since_epoch().count());
        return job_.metadata.name + ("-" + name_suffix(from));
    }
    void end(const char* status, std::string_view reason, std::string message) {
        out_.status.job_deployment_status = status;
        out_.status.reason = reason;
        out_.status.message = std::move(message);
        out_.create_cluster = out_.create_submitter = out_.submit = false;
    }
    void fail(std::string_view reason, std::string message) { end("Failed", reason, std::move(message)); }

    void begin() {
        ray_job_status& s = out_.status;
        out_.hold = true;
        if (s.job_id.empty()) s.job_id = job_.spec.job_id.empty() ? new_name("id") : job_.spec.job_id.str();
        if (s.ray_cluster_name.empty())
            s.ray_cluster_name = selects() ? *job_.spec.cluster_selector.get(cluster_label) : text(new_name("cluster"));
        s.job_deployment_status = "Initializing";
        s.reason.reset();
        s.message.reset();
        s.start_time = timestamp(std::chrono::floor<seconds>(now_));
    }

    // Whether the job ends here: it is suspended, or its time is up.
    bool is_over() {
        if (job_.spec.suspend) {
            out_.status.job_deployment_status = "Suspending";
            return true;
        }
        if (!job_.spec.active_deadline_seconds || !job_.status.start_time) return false;
        const wall_time deadline = job_.status.start_time.value() + seconds(*job_.spec.active_deadline_seconds);
        if (now_ < deadline) at(deadline);
        if (now_ >= deadline)
            fail("DeadlineExceeded",
                 "The RayJob has passed the activeDeadlineSeconds. StartTime: " + job_.status.start_time.str() +
                     ". ActiveDeadlineSeconds: " + std::to_string(*job_.spec.active_deadline_seconds));
        return now_ >= deadline;
    }
    // Whether there is a cluster to go on with.
    bool has_cluster() {
        if (seen_.cluster) return !is_being_deleted(seen_.cluster->metadata);
        if (selects()) {
            at(now_ + seconds(3));
            out_.notes.push_back({true, "RayClusterNotFound",
                                  "RayCluster " + job_.metadata.namespace_.str() + "/" +
                                      job_.status.ray_cluster_name.str() +
                                      " set in the clusterSelector is not found. It must be created manually"});
        }
        out_.create_cluster = !selects();
        return false;
    }
    void initialize() {
        if (is_over() || !has_cluster()) return;
        ray_job_status& s = out_.status;
        if (s.dashboard_url.empty()) {
            if (seen_.cluster->status.state != "ready") return;
            std::int32_t port = dashboard_port;
            for (const auto& each : make_head_service(*seen_.cluster).spec.ports) {
                if (each.name == "dashboard") port = each.port;
            }
            s.dashboard_url = head_address(*seen_.cluster) + ":" + std::to_string(port);
        }
        out_.create_submitter = !is_http() && !seen_.submitter;
        s.job_deployment_status = "Running";
    }

    void run() {
        ray_job_status& s = out_.status;
        if (is_over()) return;
        if (is_terminal(s.job_status) && s.ray_job_info.end_time) {
            const wall_time deadline = s.ray_job_info.end_time.value() + status_grace;
            if (now_ >= deadline)
                return end(
                    s.job_status == "FAILED" ? "Failed" : "Complete",
                    "JobDeploymentStatusTransitionGracePeriodExceeded",
                    "JobDeploymentStatus does not transition to Complete or Failed within the grace period after "
                    "JobStatus reaches a terminal state.");
            at(deadline);
        }
        if (!seen_.cluster && !s.job_status.empty())
            return fail("AppFailed",
                        "The RayCluster " + s.ray_cluster_name.str() + " is gone, and the Ray job with it.");
        if (!has_cluster()) return;
        out_.create_service = !selects();
        const bool submitted = is_http() || watch_submitter();
        if (!submitted) return;
        out_.poll = true;
        if (seen_.answer) take(*seen_.answer);
    }
    // Whether the dashboard is to be asked.
    bool watch_submitter() {
        ray_job_status& s = out_.status;
        out_.create_submitter = !seen_.submitter;
        if (!seen_.submitter) return false;
        const batch_job_fact& by = *seen_.submitter;
        if (by.failed && s.job_status == "FAILED") fail("AppFailed", s.message);
        if (by.failed && s.job_status != "FAILED")
            fail("SubmissionFailed", "Job submission has failed. Reason: " + by.reason + ". Message: " + by.message);
        if (by.failed) return false;
        if (!by.finished) return true;
        if (now_ < *by.finished + submitter_grace) return at(*by.finished + submitter_grace), true;
        if (seen_.answer && !seen_.answer->found) return true;
        if (seen_.answer && is_terminal(seen_.answer->status)) return true;
        s.job_status = "FAILED";
        fail("JobDeploymentStatusTransitionGracePeriodExceeded",
             "The RayJob submitter finished at " + timestamp(*by.finished).str() +
                 " but the ray job did not reach terminal state within 30s");
        return false;
    }
    void take(const job_answer& said) {
        ray_job_status& s = out_.status;
        const bool finished = is_http() || (seen_.submitter && seen_.submitter->finished);
        if (!said.found) {
            if (!s.job_status.empty())
                return fail("AppFailed",
                            "The Ray job " + s.job_id.str() + " was in the RayCluster and is not any more.");
            if (is_http()) out_.submit = true;
            if (!is_http() && finished) fail("AppFailed", "Submitter completed but Ray job not found in RayCluster.");
            return;
        }
        s.job_status = said.status;
        s.message = said.message;
        if (said.started) s.ray_job_info.start_time = *said.started;
        if (said.ended) s.ray_job_info.end_time = *said.ended;
        if (!is_terminal(said.status) || !finished) return;
        if (said.status == "FAILED") return fail("AppFailed", said.message);
        end("Complete", "", said.message);
        s.reason.reset();
    }

    // Atomic: all of it goes, whatever the specification says meanwhile.
    void give_up_cluster(bool suspends) {
        const bool keeps = !suspends && keeps_cluster();
        const bool cluster_gone = keeps || !seen_.cluster;
        const bool submitter_gone = is_http() || !seen_.submitter;
        out_.delete_cluster = !cluster_gone && !is_being_deleted(seen_.cluster->metadata);
        out_.delete_submitter = !submitter_gone && !seen_.submitter->leaving;
        if (!cluster_gone || !submitter_gone) return;
        ray_job_status& s = out_.status;
        if (!keeps) s.ray_cluster_name.reset(), s.dashboard_url.reset();
        for (text* each : {&s.job_id, &s.message, &s.reason, &s.job_status}) each->reset();
        s.ray_job_info = {};
        s.ray_cluster_status.reset();
        s.job_deployment_status = suspends ? "Suspended" : "";
    }

    std::vector<deletion_rule> rules() const {
        const auto& spec = job_.spec;
        const auto rule = [&](text policy, const char* status) {
            deletion_rule out;
            out.policy = std::move(policy);
            out.condition.job_status = status;
            out.condition.ttl_seconds = spec.ttl_seconds_after_finished;
            return out;
        };
        const auto& how = spec.deletion_strategy;
        if (how && !how->deletion_rules.empty()) return {how->deletion_rules.begin(), how->deletion_rules.end()};
        if (how) return {rule(how->on_success->policy, "SUCCEEDED"), rule(how->on_failure->policy, "FAILED")};
        if (spec.shutdown_after_job_finishes && !selects()) return {rule("DeleteCluster", "")};
        return {};
    }
    // Of several rules whose time has come the one that deletes most; each that is done counts for nothing.
    void clean_up() {
        const ray_cluster* cluster = seen_.cluster.get();
        const bool gone = cluster == nullptr || is_being_deleted(cluster->metadata);
        const bool idle = gone || std::ranges::all_of(cluster->spec.worker_group_specs, [](const worker_group_spec& g) {
                              return g.suspend.value_or(false);
                          });
        for (const deletion_rule& rule : rules()) {
            const text& status = rule.condition.job_status;
            if (!status.empty() && status != job_.status.job_status) continue;
            const wall_time due = job_.status.end_time.value() + seconds(rule.condition.ttl_seconds);
            const bool of_cluster = rule.policy == "DeleteCluster" || rule.policy == "DeleteWorkers";
            if (rule.policy == "DeleteNone" || (of_cluster && gone)) continue;
            if (due > now_) {
                at(due);
                continue;
            }
            out_.delete_job = out_.delete_job || rule.policy == "DeleteSelf";
            out_.delete_cluster = out_.delete_cluster || rule.policy == "DeleteCluster";
            out_.suspend_workers = out_.suspend_workers || (rule.policy == "DeleteWorkers" && !idle);
        }
        if (out_.delete_job) out_.delete_cluster = false;
        if (out_.delete_job || out_.delete_cluster) out_.suspend_workers = false;
    }

    // Ends and retries. `before`: where the job was.
    void count(const std::string& before) {
        ray_job_status& s = out_.status;
        if (before == "Complete" || before == "Failed" || before == "Suspended") return;
        const bool failed = s.job_deployment_status == "Failed", complete = s.job_deployment_status == "Complete";
        s.failed = s.failed.value_or(0) + (failed ? 1 : 0);
        s.succeeded = s.succeeded.value_or(0) + (complete && s.job_status == "SUCCEEDED" ? 1 : 0);
        if (failed && job_.spec.backoff_limit && *s.failed <= *job_.spec.backoff_limit &&
            s.reason != "DeadlineExceeded") {
            s.job_deployment_status = "Retrying";
        } else if (failed || complete) {
            s.end_time = timestamp(std::chrono::floor<seconds>(now_));
        }
        if (failed || complete) out_.poll = false;
    }

    const ray_job& job_;
    const job_facts& seen_;
    wall_time now_;
    job_plan out_;
};

}  // namespace

bool is_terminal(std::string_view status) { return status == "STOPPED" || status == "SUCCEEDED" || status == "FAILED"; }

bool differ(const ray_job_status& a, const ray_job_status& b) {
    ray_job_status other = a;
    other.ray_cluster_status = b.ray_cluster_status;
    return !(other == b);
}

job_plan decide(const ray_job& job, const ray_cluster_spec* cluster, const job_facts& seen, wall_time now) {
    return planner(job, seen, now).plan(cluster);
}

}  // namespace ray_operator
