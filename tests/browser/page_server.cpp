// The monitor's web face before a script: see scripted_server.hpp. Its own steps:
//
//   (any)        may have "at", when it happened
//   cluster      a cluster joins or changes: the members of /api/v1/clusters
//   forget       a cluster leaves: name
//   job          a job appears or changes: the members of /api/v1/jobs, and conditions, labels
//   object       a job as its cluster has it: cluster, and object, a TrainingJob's JSON as text
//   pod          a pod of a cluster: cluster, and pod, the object's JSON as text
//   delete       a job goes: cluster, namespace, kind, name
//   totals       a point of /api/v1/totals: time, states, gpus
//   gpus         what /api/v1/gpus answers: items, its JSON as text
//   clients      how many read the event stream
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/serve/responses.hpp>

#include "jobs/training_job.hpp"
#include "script.hpp"
#include "scripted_server.hpp"
#include "table/totals.hpp"
#include "table/watched.hpp"
#include "web/attention_answer.hpp"
#include "web/job_answer.hpp"
#include "web/totals_answer.hpp"
#include "web/web.hpp"

#include <cstdlib>

namespace {

using namespace training_monitor;

/// The monitor's face and what it shows.
class monitor_site {
public:
    monitor_site(kcontrol::environment& env, std::chrono::milliseconds heartbeat, std::vector<link_template> links)
        : env_(env),
          hub_(env, table_, kcontrol::http::event_stream_options().heartbeat(heartbeat)),
          known_(env, {"PyTorchJob"}, {}, {}),
          site_(env, table_, hub_) {
        table_.on_explain([this](job_view& job) { known_.explain(job); });
        known_.on_news([this](const job_ref& job) {
            publish(table_.explain_again(job.cluster, job.namespace_, job.kind, job.name), {});
        });
        add_job_routes(
            site_.routes(), past_, table_, [this] { return env_.wall_now(); }, &known_,
            job_offers().logs(true).yaml(true), {}, std::move(links));
        add_attention_routes(site_.routes(), past_, table_, [this] { return env_.wall_now(); }, {},
                             {"the directory /clusters (--clusters)", std::nullopt});
        site_.routes().get("/api/v1/jobs/{cluster}/{namespace}/{kind}/{name}/logs",
                           [](const kcontrol::http::routed_request& asked) {
                               return kcontrol::http::json_response(
                                   200, R"({"container":"pytorch","previous":false,"cut":false,"lines":["asked for )" +
                                            std::string(asked.query()) + R"(","<b>Traceback</b>"]})");
                           });
        site_.routes().get("/api/v1/jobs/{cluster}/{namespace}/{kind}/{name}/yaml",
                           [](const kcontrol::http::routed_request& asked) {
                               if (asked.parameter("name") == "secret") {
                                   return kcontrol::http::error_response(403, "it needs the right get jobs.batch");
                               }
                               return kcontrol::http::text_response(200, "# <i>Left out</i>\nkind: <b>Job</b>\n");
                           });
        site_.routes().get("/api/v1/gpus", [this](const kcontrol::http::routed_request&) {
            return kcontrol::http::json_response(200, R"({"items":)" + gpus_ + "}");
        });
        site_.routes().get("/api/v1/totals", [this](const kcontrol::http::routed_request& asked) {
            return totals_answer(totals_, asked.query());
        });
    }

    kcontrol::http::handler handler() { return site_.handler(); }

    std::optional<std::string> step(const std::string& op, const kcontrol::json::object& at) {
        if (op == "cluster") {
            publish(table_.set_cluster(read_cluster(at)), at);
        } else if (op == "forget") {
            publish(table_.remove_cluster(text(at, "name")), at);
        } else if (op == "job") {
            auto job = read_job(at);
            const bool known =
                table_.find(job.view.cluster, job.view.namespace_, job.view.kind, job.view.name) != nullptr;
            publish(known ? table_.update(std::move(job)) : table_.add(std::move(job)), at);
        } else if (op == "object") {
            auto object = kcontrol::from_json<training_job>(text(at, "object"));
            if (!object) return object.error().what();
            const kcontrol::any_object any(std::make_shared<const training_job>(std::move(*object)));
            publish(table_.add(observe(kcontrol::resource_of<training_job>(), any, text(at, "cluster"))), at);
        } else if (op == "pod") {
            const auto pod = kcontrol::from_json<training_pod>(text(at, "pod"));
            if (!pod) return pod.error().what();
            known_.take_pod(text(at, "cluster"), *pod, false);
            known_.flush();
        } else if (op == "delete") {
            auto job = read_job(at);
            publish(table_.remove(job), at);
        } else if (op == "totals") {
            const auto point = read_totals(at);
            totals_.record(kcontrol::wall_time(std::chrono::seconds(point.time)), point.counts);
        } else if (op == "gpus") {
            gpus_ = text(at, "items");
        } else if (op == "clients") {
            return std::to_string(hub_.clients());
        } else {
            return std::nullopt;
        }
        return "ok";
    }

private:
    // A step may say when it happened ("at"), so that timelines have a past.
    void publish(const std::vector<change>& changes, const kcontrol::json::object& at) {
        const auto said = parse_rfc3339_seconds(text(at, "at"));
        past_.observe(changes, said ? kcontrol::wall_time(std::chrono::seconds(*said)) : env_.wall_now());
        hub_.publish(changes);
    }

    kcontrol::environment& env_;
    job_table table_;
    history past_;
    totals totals_;
    std::string gpus_ = "[]";
    event_hub hub_;
    insight known_;
    web site_;
};

class page_server final : public scripted_server {
public:
    page_server(kcontrol::environment& env, boost::asio::io_context& context, monitor_site& site)
        : scripted_server(env, context, site.handler()), site_(site) {}

private:
    std::optional<std::string> step(const std::string& op, const kcontrol::json::object& at) override {
        return site_.step(op, at);
    }

    monitor_site& site_;
};

}  // namespace

// usage: page_server [HEARTBEAT_MS [LINK...]]     LINK: as the monitor's --link
int main(int argc, char** argv) {
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    std::vector<training_monitor::link_template> links;
    for (int i = 2; i < argc; ++i) {
        auto link = training_monitor::link_template::parse(argv[i]);
        if (!link) return std::fprintf(stderr, "%s\n", link.error().what().c_str()), 2;
        links.push_back(std::move(*link));
    }
    monitor_site site(env, std::chrono::milliseconds(argc > 1 ? std::atoi(argv[1]) : 15000), std::move(links));
    page_server server(env, context, site);
    return serve_script(context, server);
}
