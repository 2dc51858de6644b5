#pragma once

#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/service/detail/label_keeper.hpp>
#include <kcontrol/service/detail/own_pod.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::service::detail {

inline lead_label completed(lead_label label, environment& env, const std::string& lease_namespace) {
    if (label.pod().empty()) label.pod(host_name(env));
    if (label.in_namespace().empty()) label.in_namespace(own_namespace(env));
    if (label.in_namespace().empty()) label.in_namespace(lease_namespace);
    return label;
}

inline label_settings settings_of(const std::string& pod, duration lease) {
    label_settings out;
    out.pod = pod;
    out.lease = lease;
    return out;
}

// A null removes the label; the version makes a patch fail that is based on an older pod.
inline std::string label_patch(const lead_label& label, const label_step& step) {
    json::writer out;
    out.begin_object();
    begin_object(out, "metadata");
    out.member("resourceVersion", step.version);
    begin_object(out, "labels");
    out.key(label.key());
    if (step.request == label_request::add) {
        out.value(label.value());
    } else {
        out.null();
    }
    out.end_object();
    out.end_object();
    out.end_object();
    return std::string(out.text());
}

inline label_keeper::label_keeper(environment& env, executor ex, client direct, client fenced, const lead_label& label,
                                  const std::string& lease_namespace, duration lease, logger log)
    : env_(env),
      direct_(direct.live()),
      fenced_(fenced.live()),
      label_(completed(label, env, lease_namespace)),
      log_(log.with("label", label.key() + "=" + label.value())),
      request_time_(std::max<duration>(std::chrono::seconds(1), lease / 4)),
      machine_(settings_of(label_.pod(), lease)),
      tasks_(env, std::move(ex), log_) {}

inline void label_keeper::start() {
    usable_ = !label_.pod().empty();
    if (!usable_) {
        log_.warning("the own pod's name is not known, so it gets no label: name it with lead_label::pod()");
        return;
    }
    machine_.lead(false);
    tasks_.spawn(run(shared_from_this(), lifetime_.rebuild()));
}

inline awaitable<void> label_keeper::stop() {
    const auto self = shared_from_this();
    lifetime_.stop();
    co_await tasks_.join_present();
}

inline void label_keeper::lead(bool on) {
    machine_.lead(on);
    changed_.notify_all();
}

inline awaitable<bool> label_keeper::settle(duration limit) {
    const auto self = shared_from_this();
    const time_point until = env_.now() + limit;
    while (usable_ && !machine_.settled()) {
        const wake why = co_await settled_.wait(env_, lifetime_.token(), until);
        if (why != wake::notified) co_return false;
    }
    co_return true;
}

inline awaitable<void> label_keeper::run(std::shared_ptr<label_keeper> self, std::stop_token stop) {
    while (self->running_) co_await self->changed_.wait(self->env_, stop);  // one that is about to end
    if (stop.stop_requested()) co_return;
    self->running_ = true;
    while (!stop.stop_requested()) {
        const label_step step = self->machine_.next(self->env_.now());
        self->report();
        if (step.request == label_request::none) {
            if (self->machine_.settled()) self->settled_.notify_all();
            co_await self->changed_.wait(self->env_, stop, step.until);
            continue;
        }
        const auto answer = co_await self->send(step, stop);
        self->machine_.answered(answer, self->env_.now());
    }
    self->running_ = false;
    self->changed_.notify_all();
}

inline awaitable<result<std::vector<labelled_pod>>> label_keeper::send(label_step step, std::stop_token stop) {
    if (step.request == label_request::list) return list(std::move(stop));
    if (step.request == label_request::read) return read(std::move(step.pod), std::move(stop));
    return patch(std::move(step), std::move(stop));
}

inline awaitable<result<std::vector<labelled_pod>>> label_keeper::list(std::stop_token stop) {
    list_options how;
    how.in_namespace(label_.in_namespace()).label_selector(label_.key() + "=" + label_.value());
    how.deadline(request_time_).stop(std::move(stop));
    client by = direct_;
    const auto listed = co_await by.list_page(pod_metadata(), how);
    if (!listed) co_return listed.error();
    std::vector<labelled_pod> out;
    for (const any_object& pod : listed->items) out.push_back(pod_of(pod.meta()));
    co_return out;
}

inline awaitable<result<std::vector<labelled_pod>>> label_keeper::read(std::string pod, std::stop_token stop) {
    const namespaced_name key(label_.in_namespace(), std::move(pod));
    const auto how = get_options().deadline(request_time_).stop(std::move(stop));
    client by = direct_;
    const auto found = co_await by.get(pod_metadata(), key, how);
    if (!found) co_return found.error();
    co_return std::vector<labelled_pod>(1, pod_of(found->meta()));
}

inline awaitable<result<std::vector<labelled_pod>>> label_keeper::patch(label_step step, std::stop_token stop) {
    const namespaced_name key(label_.in_namespace(), step.pod);
    const auto how = write_options().deadline(request_time_).stop(std::move(stop));
    client by = step.fenced ? fenced_ : direct_;
    const auto text = label_patch(label_, step);
    const auto written = co_await by.patch(pod_metadata(), key, merge_patch_type, text, how);
    if (!written) co_return written.error();
    co_return std::vector<labelled_pod>(1, pod_of(written->meta()));
}

inline labelled_pod label_keeper::pod_of(const object_meta& meta) const {
    const auto found = meta.labels.find(label_.key());
    const bool labelled = found != meta.labels.end() && found->second == label_.value();
    return labelled_pod(meta.name.str(), meta.resource_version.str(), labelled);
}

inline void label_keeper::report() {
    for (const label_notice& notice : machine_.take_notices()) {
        const std::string text = escape_control(notice.text);
        if (notice.event == label_event::forbidden) {
            log_.warning("the leader's label can't be set: a right is missing",
                         {{"namespace", label_.in_namespace()},
                          {"rule", role_rule("", "pods", {"get", "list", "patch"})},
                          {"reason", text}});
        } else if (notice.event == label_event::no_pod) {
            log_.warning("there is no own pod of that name, so no pod gets the label: name it with lead_label::pod()",
                         {{"pod", label_.in_namespace() + "/" + label_.pod()}});
        } else if (notice.event == label_event::failed) {
            log_.warning("the leader's label can't be changed", {{"reason", text}});
        } else {
            log_.info("the leader's label can be changed again");
        }
    }
}

}  // namespace kcontrol::service::detail
