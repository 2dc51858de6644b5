// The steps of page_server's script as what the table takes. Members that are missing are empty.
#pragma once

#include "jobs/cluster_view.hpp"
#include "jobs/job_view.hpp"
#include "step.hpp"
#include "table/job_query.hpp"
#include "table/totals.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

inline training_monitor::cluster_view read_cluster(const kcontrol::json::object& at) {
    training_monitor::cluster_view out;
    out.name = text(at, "name");
    out.state = text(at, "state");
    out.reason = text(at, "reason");
    out.server = text(at, "server");
    out.generation = count(at, "generation");
    out.last_sync = text(at, "lastSync");
    each(at, "kinds", [&](const kcontrol::json::object& k) {
        out.kinds.push_back({text(k, "kind"), text(k, "apiVersion"), text(k, "state"), text(k, "reason"),
                             count(k, "objects"), count(k, "lists"), count(k, "watches"), text(k, "lastEvent")});
    });
    return out;
}

inline std::string_view api_version_of(std::string_view kind) {
    if (kind == "Job") return "batch/v1";
    if (kind == "TrainJob") return "trainer.kubeflow.org/v1alpha1";
    return kind == "MPIJob" ? "kubeflow.org/v2beta1" : "kubeflow.org/v1";
}

inline training_monitor::job_details read_details(const kcontrol::json::object& at) {
    training_monitor::job_details out;
    each(at, "conditions", [&](const kcontrol::json::object& c) {
        out.conditions.push_back(
            {text(c, "type"), text(c, "status"), text(c, "reason"), text(c, "message"), text(c, "lastTransitionTime")});
    });
    return out;
}

inline training_monitor::observed_job read_job(const kcontrol::json::object& at) {
    training_monitor::observed_job out;
    auto& view = out.view;
    view.cluster = text(at, "cluster");
    view.namespace_ = text(at, "namespace");
    view.name = text(at, "name");
    view.kind = training_monitor::find_kind(text(at, "kind"));
    view.api_version = api_version_of(view.kind);
    view.uid = text(at, "uid").empty() ? view.namespace_ + "/" + view.name : text(at, "uid");
    view.state = training_monitor::parse_job_state(text(at, "state")).value_or(training_monitor::job_state::unknown);
    view.reason = text(at, "reason");
    view.message = text(at, "message");
    view.start_time = training_monitor::parse_rfc3339_seconds(text(at, "startTime"));
    view.completion_time = training_monitor::parse_rfc3339_seconds(text(at, "completionTime"));
    view.gpus = number(at, "gpus");
    view.terminating = at.contains("terminating") && at.at("terminating").as_bool();
    if (const auto* replicas = at.if_contains("replicas"); replicas && replicas->is_object()) {
        for (const auto& [type, counts] : replicas->as_object()) {
            const auto& c = counts.as_object();
            view.replicas.push_back(
                {type, number(c, "desired"), number(c, "active"), number(c, "succeeded"), number(c, "failed")});
        }
    }
    if (const auto* labels = at.if_contains("labels"); labels && labels->is_object()) {
        std::map<std::string, std::string> all;
        for (const auto& [name, value] : labels->as_object()) all.emplace(name, value.as_string());
        view.labels = training_monitor::job_labels::from(all);
    }
    out.source = training_monitor::job_source(
        std::make_shared<training_monitor::job_details>(read_details(at)),
        [](const void* details, const void*) { return *static_cast<const training_monitor::job_details*>(details); });
    return out;
}

inline training_monitor::totals_point read_totals(const kcontrol::json::object& at) {
    training_monitor::totals_point out;
    out.time = training_monitor::parse_rfc3339_seconds(text(at, "time")).value_or(0);
    for (std::size_t i = 0; i < training_monitor::job_state_names.size(); ++i) {
        out.counts.states[i] = count(at.at("states").as_object(), training_monitor::job_state_names[i]);
    }
    out.counts.gpus_requested = number(at.at("gpus").as_object(), "requested");
    out.counts.gpus_running = number(at.at("gpus").as_object(), "running");
    return out;
}
