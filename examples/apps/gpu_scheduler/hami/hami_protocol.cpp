#include "hami/hami_protocol.hpp"

#include <kcontrol/json/writer.hpp>

#include "hami/node_lock.hpp"
#include "hami/pod_annotations.hpp"

#include <chrono>

namespace gpu_scheduler {

namespace core = kcontrol::api::core::v1;
using kcontrol::awaitable;
using kcontrol::scheduling::placement;
using kcontrol::scheduling::status;

namespace {

// Written only if the node is still that version.
std::string lock_patch(std::string_view version, std::string_view value) {
    kcontrol::json::writer out;
    out.begin_object();
    out.key("metadata");
    out.begin_object();
    out.member("resourceVersion", version);
    out.key("annotations");
    out.begin_object();
    out.member(lock_annotation, value);
    out.end_object();
    out.end_object();
    out.end_object();
    return out.take();
}

// Removed only if it still has that value.
std::string release_patch(std::string_view value) {
    constexpr std::string_view path = "/metadata/annotations/hami.io~1mutex.lock";
    kcontrol::json::writer out;
    out.begin_array();
    out.begin_object();
    out.member("op", "test");
    out.member("path", path);
    out.member("value", value);
    out.end_object();
    out.begin_object();
    out.member("op", "remove");
    out.member("path", path);
    out.end_object();
    out.end_array();
    return out.take();
}

}  // namespace

void hami_protocol::annotate(placement& to, const std::vector<device_hold>& devices, const node_devices& on,
                             kcontrol::wall_time now) const {
    for (auto& [key, value] : hami_annotations(to.pod().pod(), devices, on, to.node(), now)) to.annotate(key, value);
}

awaitable<result<bool>> hami_protocol::try_lock(kcontrol::client api, std::string& held, placement& of,
                                                kcontrol::wall_time& look_again) {
    const auto shared_pod = of.shared_pod();
    const auto& pod = shared_pod->pod();
    const kcontrol::namespaced_name name{"", of.node()};
    auto reading = kcontrol::get_options().stop(of.stop());
    auto live = api.live();
    const auto node = co_await live.get_shared<core::node>(name, reading);
    if (!node) co_return node.error();
    const auto now = api.env().wall_now();
    if (const auto* said = (*node)->metadata.annotations.get(lock_annotation)) {
        const auto lock = read_node_lock(*said);
        if (!lock) co_return lock.error();
        if (!lock->is_of(pod.metadata)) {
            std::shared_ptr<const core::pod> holder;
            if (lock->names_pod()) {
                const kcontrol::namespaced_name other{lock->namespace_, lock->pod};
                auto found = co_await live.get_shared<core::pod>(other, reading);
                if (!found && found.error() != kcontrol::api_errc::not_found) co_return found.error();
                if (found) holder = *found;
            }
            const auto verdict = judge(*lock, holder.get(), of.node(), pod.spec.scheduler_name, now);
            look_again = verdict.look_again;
            if (!verdict.is_free) co_return false;
        }
    }
    held = write_node_lock(pod.metadata, now);
    auto patch = lock_patch((*node)->metadata.resource_version, held);
    auto writing = kcontrol::write_options().stop(of.stop());
    const auto written = co_await api.patch(kcontrol::resource_of<core::node>(), name, kcontrol::merge_patch_type,
                                            std::move(patch), writing);
    if (written) co_return true;
    if (written.error() != kcontrol::condition::conflict) co_return written.error();
    look_again = now;  // the node has changed meanwhile
    co_return false;
}

awaitable<status> hami_protocol::lock(std::string& held, placement& of) {
    const auto stop = of.stop();
    const std::string name = "node " + of.node();
    auto api = api_();
    if (!api) co_return status::error(name + ": there is no cluster to lock it in");
    while (!stop.stop_requested()) {
        kcontrol::wall_time look_again;
        const auto done = co_await try_lock(*api, held, of, look_again);
        if (!done) co_return status::error(name + " was not locked: " + done.error().what());
        if (*done) co_return status();
        auto& env = api->env();
        const auto pause = look_again - env.wall_now();
        if (pause > kcontrol::duration::zero()) co_await news_.wait(env, stop, env.now() + pause);
    }
    co_return status::error(name + " is locked for another pod");
}

void hami_protocol::release(std::string node, std::string held) {
    releases_.emplace_back(std::move(node), std::move(held));
    left_.notify_all();
}

awaitable<result<void>> hami_protocol::run(std::stop_token stop) {
    while (!stop.stop_requested()) {
        auto api = api_();
        if (!api) break;
        auto& env = api->env();
        if (releases_.empty()) {
            co_await left_.wait(env, stop, env.now() + std::chrono::hours(1));
            continue;
        }
        const auto [node, held] = releases_.front();
        auto patch = release_patch(held);
        auto writing = kcontrol::write_options().stop(stop);
        const kcontrol::namespaced_name name{"", node};
        const auto written = co_await api->patch(kcontrol::resource_of<core::node>(), name, kcontrol::json_patch_type,
                                                 std::move(patch), writing);
        const bool is_done = written || written.error() == kcontrol::api_errc::not_found ||
                             written.error() == kcontrol::api_errc::invalid;  // not found or not ours any more
        if (is_done) releases_.pop_front();
        if (is_done || stop.stop_requested()) continue;
        const auto lock = read_node_lock(held);
        if (!lock || env.wall_now() >= lock->since + lock_lifetime) releases_.pop_front();  // it counts no more
        co_await kcontrol::sleep_for(env, std::chrono::seconds(1), stop);
    }
    co_return result<void>();
}

}  // namespace gpu_scheduler
