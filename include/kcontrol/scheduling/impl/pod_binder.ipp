#pragma once

#include <kcontrol/api/policy/v1.hpp>
#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/client/subresource.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/detail/pod_binder.hpp>
#include <kcontrol/scheduling/impl/write_answer.hpp>
#include <kcontrol/values/api_duration.hpp>
#include <kcontrol/values/time.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <stop_token>

namespace kcontrol::inline v0_1::scheduling::detail {

// A binding on its way.
struct pod_binder::binding {
    decided_pod of;
    std::shared_ptr<kept_placement> kept;
    std::stop_token stop;
    binding_refusal refusal;
    std::shared_ptr<const api::core::v1::pod> read;  // last
    std::string version;                             // of the pod that is bound
    bool is_marked = false;
};

// Calls may go on when their binder and its observer are gone.
struct pod_binder::watched_calls final : plugin_observer {
    explicit watched_calls(plugin_observer* by) : to(by) {}
    std::int64_t now() noexcept override { return to == nullptr ? 0 : to->now(); }
    void called(std::string_view plugin, plugin_point point, status_code code, std::int64_t took) noexcept override {
        if (to != nullptr) to->called(plugin, point, code, took);
    }

    plugin_observer* to;
};

KCONTROL_DECL pod_binder::pod_binder(environment& env, client cl, plugin_observer* observer, duration plugin_deadline,
                                     logger log)
    : env_(env),
      client_(std::move(cl)),
      observer_(observer == nullptr ? nullptr : std::make_shared<watched_calls>(observer)),
      plugin_deadline_(plugin_deadline),
      log_(std::move(log)) {}

KCONTROL_DECL pod_binder::~pod_binder() {
    if (observer_ != nullptr) observer_->to = nullptr;
}

inline std::string reasons_of(const status& said) {
    std::string out;
    for (std::size_t i = 0; i < said.reason_count(); ++i) out.append(i == 0 ? "" : ", ").append(said.reason(i).view());
    return out;
}

KCONTROL_DECL void pod_binder::seen(const object_meta& shown, bool is_deleted) {
    const auto found = written_.find(shown.uid.str());
    if (found == written_.end()) return;
    if (is_deleted || !is_newer_version(found->second, shown.resource_version)) written_.erase(found);
}

KCONTROL_DECL std::string pod_binder::version_of(const object_meta& pod) const {
    const auto found = written_.find(pod.uid.str());
    return found == written_.end() ? pod.resource_version.str() : found->second;
}

// So long a plugin has to return after it was told to stop.
inline constexpr duration grace_after_deadline = std::chrono::seconds(1);

// The plugins of a point, while they are awaited. They may go on after that.
struct awaited_plugins {
    std::shared_ptr<kept_placement> of;
    async_event answered;
    std::optional<plugin_answer> answer;
    std::exception_ptr thrown;
    std::stop_source stop;
    std::shared_ptr<std::size_t> overdue;  // if it is one of those
};

inline bool has_plugin_for(plugin_point point, const profile& in) {
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (in.at(i).has(point)) return true;
    }
    return false;
}

// A plugin may wait for as long as it likes. After the deadline it is told to stop, and is left alone. The answer
// `missing`: no plugin has done it.
KCONTROL_DECL awaitable<binding_answer> pod_binder::call_plugins(plugin_point point, binding& of, awaited_answer call) {
    if (!has_plugin_for(point, of.kept->by->with)) co_return binding_answer::missing;
    const auto state = std::make_shared<awaited_plugins>();
    state->of = of.kept;
    state->of->place.stop_ = state->stop.get_token();
    const executor mine = co_await boost::asio::this_coro::executor;
    const auto until = env_.now() + plugin_deadline_;
    boost::asio::co_spawn(mine, call(), [state](std::exception_ptr thrown, plugin_answer answer) {
        if (state->overdue != nullptr) --*state->overdue;
        state->thrown = std::move(thrown);
        state->answer = std::move(answer);
        state->answered.notify_all();
    });
    while (!state->answer) {
        const wake why = co_await state->answered.wait(env_, of.stop, until);
        if (state->answer) break;
        if (why == wake::notified) continue;
        state->stop.request_stop();
        const bool is_stopped = why == wake::stopped;
        if (!is_stopped) co_await state->answered.wait(env_, of.stop, until + grace_after_deadline);
        if (!state->answer) {
            state->overdue = overdue_;
            ++*overdue_;
        }
        if (is_stopped) co_return binding_answer::stopped;
        const std::string plugin(of.kept->place.awaited_);
        of.refusal.message = "plugin " + in_quotes(plugin) + " did not end " + std::string(name_of(point)) +
                             " within " + format_duration(plugin_deadline_);
        if (!state->answer) {
            log_.warning("a plugin runs on after its deadline",
                         {{"plugin", plugin},
                          {"point", std::string(name_of(point))},
                          {"pod", std::string(of.of.pod->namespace_()) + "/" + std::string(of.of.pod->name())}});
        }
        co_return binding_answer::failed;
    }
    if (state->thrown) std::rethrow_exception(state->thrown);
    const plugin_answer& said = *state->answer;
    if (said.ok()) co_return binding_answer::ok;
    if (said.answer.is_skip()) co_return binding_answer::missing;
    const bool refuses = said.answer.is_rejected();
    of.refusal.message = "plugin " + in_quotes(said.plugin) + (refuses ? " refuses the pod at " : " failed at ") +
                         std::string(name_of(point)) + ": " + reasons_of(said.answer);
    if (!refuses) co_return binding_answer::failed;
    for (std::size_t i = 0; i < of.kept->by->with.size(); ++i) {
        if (of.kept->by->with.at(i).name() == said.plugin) of.refusal.rejected_by = of.kept->by->with.number_of(i);
    }
    co_return binding_answer::rejected;
}

KCONTROL_DECL awaitable<binding_answer> pod_binder::send(binding& of) {
    const awaited_answer call = [kept = of.kept, observer = observer_] {
        return kept->by->with.bind(kept->place, observer.get());
    };
    const auto by_plugin = co_await call_plugins(plugin_point::bind, of, call);
    if (by_plugin != binding_answer::missing) co_return by_plugin;
    const auto& meta = of.of.pod->pod().metadata;
    api::core::v1::binding body;
    body.metadata.name = meta.name;
    body.metadata.namespace_ = meta.namespace_;
    body.metadata.uid = meta.uid;
    body.metadata.resource_version = of.version;
    body.metadata.annotations = of.of.annotations;
    body.target.api_version = "v1";
    body.target.kind = "Node";
    body.target.name = of.of.node;
    auto how = write_options().stop(of.stop);
    auto bindings = client_.subresource<api::core::v1::pod>("binding");
    const auto sent = co_await bindings.create(key_of(meta), body, how);
    if (sent) co_return binding_answer::ok;
    of.refusal.message = "binding to node " + in_quotes(of.of.node) + ": " + sent.error().what();
    co_return answer_of(sent.error());
}

// Where a pod is that was read.
inline binding_answer place_of(const api::core::v1::pod& read, const decided_pod& decided) {
    if (read.metadata.uid != decided.pod->pod().metadata.uid) return binding_answer::missing;
    if (!read.spec.node_name.empty()) {
        return read.spec.node_name == decided.node ? binding_answer::here : binding_answer::elsewhere;
    }
    if (read.metadata.deletion_timestamp.present()) return binding_answer::changed;
    const pod_info now(std::make_shared<const api::core::v1::pod>(read));
    return changes_of(*decided.pod, now) == event_actions::none ? binding_answer::nowhere : binding_answer::changed;
}

KCONTROL_DECL awaitable<binding_answer> pod_binder::read(binding& of) {
    auto how = get_options().stop(of.stop);
    auto live = client_.live();
    const auto found = co_await live.get_shared<api::core::v1::pod>(key_of(of.of.pod->pod().metadata), how);
    of.read = found ? *found : nullptr;
    if (!found) co_return answer_of(found.error());
    of.version = of.read->metadata.resource_version;
    const auto where = place_of(*of.read, of.of);
    if (where == binding_answer::missing) of.read = nullptr;
    co_return where;
}

KCONTROL_DECL awaitable<binding_answer> pod_binder::mark(binding& of) {
    pod_note note;
    note.refused.emplace("SchedulerError", of.refusal.message);
    note.is_new_version = true;
    const auto written = co_await write(of.of.pod, std::move(note), of.stop);
    of.read = written ? *written : nullptr;
    of.is_marked = of.is_marked || written.has_value();
    co_return written ? place_of(*of.read, of.of) : answer_of(written.error());
}

KCONTROL_DECL awaitable<binding_answer> pod_binder::step(binding& of, binding_step what) {
    const awaited_answer permit = [kept = of.kept, observer = observer_] {
        return kept->by->with.permit(kept->place, observer.get());
    };
    const awaited_answer pre_bind = [kept = of.kept, observer = observer_] {
        return kept->by->with.pre_bind(kept->place, observer.get());
    };
    switch (what) {
    case binding_step::permit: {
        const auto said = co_await call_plugins(plugin_point::permit, of, permit);
        co_return said == binding_answer::missing ? binding_answer::ok : said;
    }
    case binding_step::pre_bind: {
        const auto said = co_await call_plugins(plugin_point::pre_bind, of, pre_bind);
        of.version = version_of(of.of.pod->pod().metadata);
        co_return said == binding_answer::missing ? binding_answer::ok : said;
    }
    case binding_step::bind: {
        const auto said = co_await send(of);
        co_return said;
    }
    case binding_step::read: {
        const auto said = co_await read(of);
        co_return said;
    }
    case binding_step::mark: {
        const auto said = co_await mark(of);
        co_return said;
    }
    case binding_step::post_bind: of.kept->by->with.post_bind(of.kept->place, observer_.get()); break;
    case binding_step::done: break;
    }
    co_return binding_answer::ok;
}

KCONTROL_DECL awaitable<binding_end> pod_binder::bind(decided_pod of, std::stop_token stop) {
    binding going;
    going.kept = std::static_pointer_cast<kept_placement>(of.state);
    going.of = std::move(of);
    going.stop = stop;
    binding_machine machine;
    while (machine.step() != binding_step::done) {
        if (const duration pause = machine.pause(); pause != duration::zero()) {
            co_await sleep_for(env_, pause, stop);
        }
        auto said = binding_answer::stopped;
        if (!stop.stop_requested()) said = co_await step(going, machine.step());
        machine.answered(said);
    }
    binding_end out;
    out.outcome = machine.outcome();
    out.refusal = std::move(going.refusal);
    out.read = std::move(going.read);
    out.is_marked = going.is_marked;
    co_return out;
}

// A strategic merge patch of the status; the uid is a precondition.
inline std::string patch_of(const api::core::v1::pod& pod, const pod_note& note, wall_time now) {
    const auto moment = format_time(std::chrono::floor<std::chrono::seconds>(now));
    json::writer out;
    out.begin_object();
    out.key("metadata");
    out.begin_object();
    out.member("uid", pod.metadata.uid.view());
    out.end_object();
    out.key("status");
    out.begin_object();
    if (note.refused) {
        const auto& all = pod.status.conditions;
        const auto there = std::find_if(all.begin(), all.end(), [](const auto& c) { return c.type == "PodScheduled"; });
        out.key("conditions");
        out.begin_array();
        out.begin_object();
        out.member("type", "PodScheduled");
        out.member("status", "False");
        out.member("reason", note.refused->first);
        out.member("message", note.refused->second);
        if (note.is_new_version) out.member("lastProbeTime", moment);
        if (there == all.end() || there->status != "False") out.member("lastTransitionTime", moment);
        out.end_object();
        out.end_array();
    }
    if (note.nominated && note.nominated->empty()) {
        out.key("nominatedNodeName");
        out.null();
    } else if (note.nominated) {
        out.member("nominatedNodeName", *note.nominated);
    }
    out.end_object();
    out.end_object();
    return out.take();
}

KCONTROL_DECL awaitable<result<std::shared_ptr<const api::core::v1::pod>>> pod_binder::write(
    std::shared_ptr<const pod_info> pod, pod_note note, std::stop_token stop) {
    using pod_type = api::core::v1::pod;
    const auto& meta = pod->pod().metadata;
    auto how = write_options().subresource("status").stop(stop);
    auto text = patch_of(pod->pod(), note, env_.wall_now());
    const auto written =
        co_await client_.patch(resource_of<pod_type>(), key_of(meta), strategic_merge_patch_type, std::move(text), how);
    if (!written) co_return written.error();
    auto stored = written->template as<pod_type>();
    this->written(stored->metadata);
    co_return stored;
}

KCONTROL_DECL awaitable<result<void>> pod_binder::evict(std::shared_ptr<const pod_info> pod, std::stop_token stop) {
    const auto& meta = pod->pod().metadata;
    api::policy::v1::eviction body;
    body.metadata.name = meta.name;
    body.metadata.namespace_ = meta.namespace_;
    body.delete_options.edit().preconditions.edit().uid = meta.uid;
    auto how = write_options().stop(stop);
    auto evictions = client_.subresource<api::core::v1::pod>("eviction");
    const auto sent = co_await evictions.create(key_of(meta), body, how);
    if (!sent && sent.error().code() != condition::not_found) co_return sent.error();
    co_return result<void>();
}

}  // namespace kcontrol::scheduling::detail
