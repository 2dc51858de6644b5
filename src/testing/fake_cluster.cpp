#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/pod_commands.hpp>

#include "testing/fake_core.hpp"
#include "testing/fake_objects.hpp"
#include "testserver/timestamp.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>

namespace kcontrol::inline v0_1::testing {
namespace detail {

fake_core::fake_core(environment& env, api_server& api, fake_cluster_options options)
    : env_(env), api_(api), options_(std::move(options)) {}

std::string fake_core::now_text() const { return format_timestamp(env_.wall_now()); }

void fake_core::begin() {
    for (int i = 0; i < options_.nodes(); ++i) {
        add_node("node-" + std::to_string(i));
    }
    api_.on_exec(annotated_containers(api_));
    listening_ =
        api_.on_change([weak = weak_from_this()](const resource_type& type, change what, const json::value& o) {
            if (const auto self = weak.lock()) self->changed(type, what, o);
        });
    for (const auto& pod : api_.list(fake_pods)) account_pod(change::added, pod);
    for (const auto& [id, what] :
         {std::pair(&fake_pods, part::pod), std::pair(&fake_jobs, part::job),
          std::pair(&fake_replica_sets, part::replica_set), std::pair(&fake_deployments, part::deployment)}) {
        if (what != part::pod && !options_.has_controllers()) continue;
        for (const auto& one : api_.list(*id)) plan({what, key_of_object(one)}, options_.reaction());
    }
    if (!options_.has_service_accounts()) return;
    for (const auto& ns : api_.list(fake_namespaces)) step_account(key_of_object(ns));
}

void fake_core::end() {
    closing_.request_stop();
    listening_.reset();
}

void fake_core::changed(const resource_type& type, change what, const json::value& object) {
    const group_resource id = type.id();
    const namespaced_name key = key_of_object(object);
    if (id == fake_nodes) return wake_pods({});
    if (options_.has_service_accounts()) plan_account(id, what, key);
    if (id == fake_pods) account_pod(what, object);
    if (id == fake_pods && what == change::deleted) {
        pods_.erase(uid_of(object));
    } else if (id == fake_pods) {
        plan({part::pod, key}, options_.reaction());
    }
    if (!options_.has_controllers()) return;
    const auto wake_part = [this](std::string_view kind, const namespaced_name& which) {
        if (kind == "Job") plan({part::job, which}, options_.reaction());
        if (kind == "ReplicaSet") plan({part::replica_set, which}, options_.reaction());
        if (kind == "Deployment") plan({part::deployment, which}, options_.reaction());
    };
    if (id == fake_jobs && what == change::deleted) jobs_.erase(uid_of(object));
    if (id == fake_jobs || id == fake_replica_sets || id == fake_deployments) wake_part(type.kind, key);
    const json::value owner = controller_of(object);
    wake_part(json::get_string(owner, {"kind"}), {key.namespace_, text_at(owner, {"name"})});
}

// Those of a node, or those that have none.
void fake_core::wake_pods(const std::string& node) {
    for (const auto& [uid, record] : pods_) {
        if (record.node == node) plan({part::pod, record.key}, options_.reaction());
    }
}

void fake_core::plan(const work& what, duration delay) {
    const time_point when = env_.now() + delay;
    const auto [slot, added] = due_.try_emplace(what, when);
    if (!added && slot->second <= when) return;
    slot->second = when;
    boost::asio::co_spawn(api_.get_executor(), wait(shared_from_this(), what, when), [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
    });
}

awaitable<void> fake_core::wait(std::shared_ptr<fake_core> self, work what, time_point when) {
    const kcontrol::wake why = co_await sleep_until(self->env_, when, self->closing_.get_token());
    if (why == kcontrol::wake::stopped || self->closing_.stop_requested()) co_return;
    const auto planned = self->due_.find(what);
    if (planned == self->due_.end() || planned->second != when) co_return;  // somebody was earlier
    self->due_.erase(planned);
    const auto next = self->look_at(what);
    if (next) self->plan(what, *next);
}

fake_core::again fake_core::look_at(const work& what) {
    switch (what.first) {
    case part::pod: return step_pod(what.second);
    case part::job: return step_job(what.second);
    case part::replica_set: return step_replica_set(what.second);
    case part::deployment: return step_deployment(what.second);
    case part::account: return step_account(what.second);
    }
    return std::nullopt;
}

void fake_core::write_status(const group_resource& id, const json::value& object, json::object changes) {
    json::object patch;
    patch["status"] = std::move(changes);
    static_cast<void>(api_.patch(id, key_of_object(object), json::value(std::move(patch)), "status"));
}

void fake_core::record_event(const json::value& about, bool warning, std::string reason, std::string message,
                             std::string_view component) {
    event_note note;
    note.about = about;
    note.warning = warning;
    note.reason = std::move(reason);
    note.message = std::move(message);
    note.component = component;
    record_event(note);
}

void fake_core::record_event(const event_note& note) {
    // An update makes an Event that is not there. One that can't be written is lost, as in a real cluster.
    static_cast<void>(api_.update(events_.make(note, env_.wall_now())));
}

}  // namespace detail

fake_cluster::fake_cluster(environment& env, api_server& api, fake_cluster_options options)
    : core_(std::make_shared<detail::fake_core>(env, api, std::move(options))) {
    core_->begin();
}

fake_cluster::~fake_cluster() { core_->end(); }

bool fake_cluster::idle() const { return core_->idle(); }

bool fake_cluster::end_pod(const namespaced_name& key, int exit_code, std::string message) {
    return core_->end_pod(key, exit_code, std::move(message), false);
}

bool fake_cluster::evict_pod(const namespaced_name& key) { return core_->end_pod(key, 137, {}, true); }

void fake_cluster::lose_node(const std::string& name) { core_->set_lost(name, true); }

void fake_cluster::restore_node(const std::string& name) { core_->set_lost(name, false); }

}  // namespace kcontrol::testing
