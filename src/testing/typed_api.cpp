#include <kcontrol/documents/patch.hpp>
#include <kcontrol/testing/typed_api.hpp>
#include <kcontrol/values/api_duration.hpp>

namespace kcontrol::inline v0_1::testing {

namespace detail {
namespace {

group_resource id_of(const resource_info& info) { return {info.gvk.group, info.plural}; }

std::string_view version_of(const json::value& object) {
    return json::get_string(object, {"metadata", "resourceVersion"});
}

void set_version(json::value& object, std::string_view version) {
    object.as_object()["metadata"].as_object()["resourceVersion"] = version;
}

const json::value* status_of(const json::value& object) { return object.as_object().if_contains("status"); }

// What `change` makes of the stored object.
result<json::value> patched(const json::value& stored, const object_patch& change) {
    auto body = json::parse(change.text);
    if (!body) return body.error();
    json::value out = stored;
    if (change.content_type == "application/merge-patch+json") {
        json::apply_merge_patch(out, *body);
    } else if (auto applied = json::apply_patch(out, *body); !applied) {
        return applied.error();
    }
    return out;
}

// update() leaves the status of a kind that has the subresource as it is stored.
result<json::value> write_all(api_server& api, json::value wanted) {
    auto written = api.update(wanted);
    if (!written) return written;
    const json::value* status = status_of(wanted);
    const json::value* stored = status_of(*written);
    if (status == nullptr || (stored != nullptr && *stored == *status)) return written;
    set_version(wanted, version_of(*written));
    return api.update_status(std::move(wanted));
}

result<std::string> text_of(const result<json::value>& object) {
    if (!object) return object.error();
    return json::serialize(*object);
}

}  // namespace

std::string name_typed(const resource_info& info, const namespaced_name& key) {
    return info.gvk.kind + " " + to_string(key);
}

result<std::string> create_typed(api_server& api, std::string_view object) {
    auto parsed = json::parse(object);
    if (!parsed) return parsed.error();
    return text_of(api.create(std::move(*parsed)));
}

result<std::string> get_typed(const api_server& api, const resource_info& info, const namespaced_name& key) {
    return text_of(api.get(id_of(info), key));
}

std::vector<std::string> list_typed(const api_server& api, const resource_info& info, std::string_view ns) {
    std::vector<std::string> out;
    for (const json::value& one : api.list(id_of(info), ns)) out.push_back(json::serialize(one));
    return out;
}

result<std::string> patch_typed(api_server& api, const resource_info& info, const any_object& snapshot,
                                const any_object& edited) {
    auto stored = api.get(id_of(info), snapshot.key());
    if (!stored) return stored.error();
    const auto change = patch_between(info, snapshot, edited);
    if (!change) return change.error();
    if (change->empty()) return json::serialize(*stored);
    const std::string version(snapshot.meta().resource_version);
    if (version_of(*stored) != version) {
        set_version(*stored, version);
        return text_of(api.update(std::move(*stored)));  // the API's own conflict
    }
    auto wanted = patched(*stored, *change);
    if (!wanted) return wanted.error();
    return text_of(write_all(api, std::move(*wanted)));
}

result<void> remove_typed(api_server& api, const resource_info& info, const namespaced_name& key) {
    return api.remove(id_of(info), key);
}

error not_within(duration limit, const std::string& what, const std::string& last) {
    return error(errc::timeout,
                 what + " is not as expected after " + format_duration(limit) + " of virtual time; last seen: " + last);
}

}  // namespace detail

result<void> run_until(sim_world& world, const std::function<std::string()>& missing, duration limit) {
    std::string last;
    if (world.run_until([&] { return (last = missing()).empty(); }, limit)) return {};
    return error(errc::timeout, "after " + format_duration(limit) + " of virtual time: " + last);
}

}  // namespace kcontrol::testing
