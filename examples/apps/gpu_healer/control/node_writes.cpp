#include "control/node_writes.hpp"

#include <kcontrol/api/policy/v1.hpp>
#include <kcontrol/client/subresource.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/json/writer.hpp>

#include <algorithm>

namespace gpu_healer {
namespace {

std::string quoted(std::string_view value) {
    json::writer out;
    out.value(value);
    return out.take();
}

std::string taint_patch(const healed_node& node, const node_taint& taint, bool wanted) {
    if (wanted) {
        const std::string value = "{\"key\":" + quoted(taint.key) +
                                  (taint.value.empty() ? "" : ",\"value\":" + quoted(taint.value)) +
                                  ",\"effect\":" + quoted(taint.effect) + "}";
        // Nothing else may have been written: the list may be made, and has no taint twice.
        const bool none = node.spec.taints.empty();
        return R"([{"op":"test","path":"/metadata/resourceVersion","value":)" + quoted(node.metadata.resource_version) +
               R"(},{"op":"add","path":"/spec/taints)" + (none ? "\",\"value\":[" : "/-\",\"value\":") + value +
               (none ? "]}]" : "}]");
    }
    const std::string at = "/spec/taints/" + std::to_string(*place_of(node, taint));
    const auto test = [&](const char* field, const text& value) {
        return value.empty() ? std::string()
                             : R"({"op":"test","path":")" + at + "/" + field + "\",\"value\":" + quoted(value) + "},";
    };
    return R"([{"op":"test","path":"/metadata/uid","value":)" + quoted(node.metadata.uid) + "}," +
           test("key", taint.key) + test("value", taint.value) + test("effect", taint.effect) +
           R"({"op":"remove","path":")" + at + "\"}]";
}

}  // namespace

awaitable<result<void>> set_taint(client c, std::shared_ptr<const healed_node> known, node_taint taint, bool wanted,
                                  std::stop_token stop) {
    const namespaced_name key("", known->metadata.name.str());
    const text uid = known->metadata.uid;
    write_options how;
    how.field_manager(operator_name).stop(stop);
    get_options reading;
    reading.stop(stop);
    client server = c.live();
    for (int tries = 0; tries < 5; ++tries) {
        if (known->metadata.uid != uid || place_of(*known, taint).has_value() == wanted) co_return result<void>();
        const auto other = [&](const auto& each) { return each.key == taint.key && each.effect == taint.effect; };
        if (wanted && tries > 0 && std::ranges::any_of(known->spec.taints, other))
            co_return error(errc::invalid_argument,
                            "the Node has another taint " + taint.key.str() + ", which is not ours");
        const auto written =
            co_await c.patch(resource_of<healed_node>(), key, json_patch_type, taint_patch(*known, taint, wanted), how);
        if (written || written.error() == api_errc::not_found) co_return result<void>();
        if (written.error() != api_errc::invalid && written.error() != condition::conflict) co_return written.error();
        auto read = co_await server.get_shared<healed_node>(key, reading);
        if (!read && read.error() == api_errc::not_found) co_return result<void>();
        if (!read) co_return read.error();
        known = std::move(*read);
    }
    co_return error(errc::unavailable, "others change the Node's taints all the time");
}

awaitable<result<void>> annotate(client c, const resource_info& kind, namespaced_name key, std::string_view name,
                                 std::string value, std::stop_token stop) {
    std::string patch = "{\"metadata\":{\"annotations\":{" + quoted(name) + ":" +
                        (value.empty() ? std::string("null") : quoted(value)) + "}}}";
    write_options how;
    how.field_manager(operator_name).stop(std::move(stop));
    const auto written = co_await c.patch(kind, std::move(key), merge_patch_type, std::move(patch), how);
    if (!written && written.error() != api_errc::not_found) co_return written.error();
    co_return result<void>();
}

awaitable<result<drained_pods>> pods_on(client c, std::string node, bool all, std::stop_token stop) {
    list_options which;
    which.field_selector("spec.nodeName=" + node).stop(std::move(stop));
    client server = c.live();
    auto found = co_await server.list<drained_pod>(which);
    if (!found) co_return found.error();
    std::erase_if(*found, [all](const auto& pod) { return !is_drained(*pod, all); });
    co_return std::move(*found);
}

awaitable<result<void>> send_away(client c, const drained_pods& pods, bool jobs, std::string token,
                                  std::shared_ptr<std::set<std::string>> restarted, std::stop_token stop) {
    static const resource_info training_jobs =
        dynamic_resource(group_version_kind("ai.kcontrol.dev", "v1alpha1", "TrainingJob"), "trainingjobs");
    static const resource_info pod_kind = resource_of<drained_pod>();
    for (const auto& pod : pods) {
        if (pod->metadata.deletion_timestamp) continue;
        const text* job = jobs ? pod->metadata.labels.get("ai.kcontrol.dev/job") : nullptr;
        if (job != nullptr) {
            const namespaced_name key(pod->metadata.namespace_, *job);
            if (!restarted->insert(to_string(key) + "=" + token).second) continue;
            const auto told = co_await annotate(c, training_jobs, key, restart_annotation, token, stop);
            if (told) continue;
            restarted->erase(to_string(key) + "=" + token);
            co_return told.error();
        }
        api::policy::v1::eviction body;
        body.metadata.name = pod->metadata.name;
        body.metadata.namespace_ = pod->metadata.namespace_;
        write_options how;
        how.stop(stop);
        auto evictions = c.subresource(pod_kind, "eviction");
        const auto sent = co_await evictions.create<api::policy::v1::eviction>(key_of(pod->metadata), body, how);
        if (!sent && sent.error() != api_errc::not_found && sent.error() != api_errc::too_many_requests)
            co_return sent.error();
    }
    co_return result<void>();
}

}  // namespace gpu_healer
