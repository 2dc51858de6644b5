// The cases of the lossless-write test: a kind, how a random object of it begins, and the types it is edited with.
#pragma once

#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/rbac/v1.hpp>
#include <kcontrol/client/client.hpp>

#include "edits.hpp"
#include "kinds.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol_test {

/// Reads an object with the client, edits a copy, writes the difference. The edits, or why not.
template <class T>
kcontrol::awaitable<kcontrol::result<json::array>> edit_on_server(kcontrol::client api, kcontrol::namespaced_name key,
                                                                  std::uint64_t seed) {
    const auto read = co_await api.get<T>(key);
    if (!read) co_return read.error();
    random_source random(seed);
    T edited = *read;
    auto edits = edit(edited, random);
    const auto written = co_await api.patch(*read, edited);
    if (!written) co_return written.error();
    co_return edits;
}

struct typed_edit {
    std::string_view name;
    bool projection;
    kcontrol::awaitable<kcontrol::result<json::array>> (*run)(kcontrol::client, kcontrol::namespaced_name,
                                                              std::uint64_t);
};

/// A kind that objects are made of.
struct lossless_case {
    const kcontrol::resource_info* info;  ///< whose table says what may be in it
    std::string_view base;                ///< the least that the server accepts
    std::vector<std::string_view> fixed;  ///< members that stay as in `base`, at any depth
    bool unknown;                         ///< gets members of no table
    std::vector<typed_edit> types;
};

inline const std::vector<lossless_case>& lossless_cases() {
    namespace api = kcontrol::api;
    // What names other objects, what admission decides, and what must agree with something else.
    static const std::vector<std::string_view> pods{"status",           "serviceAccountName", "serviceAccount",
                                                    "priority",         "priorityClassName",  "runtimeClassName",
                                                    "preemptionPolicy", "selector",           "ephemeralContainers",
                                                    "overhead"};
    static const std::vector<lossless_case> all{
        {&kcontrol::resource_of<api::core::v1::pod>(),
         R"({"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":[{"name":"a","image":"a:1"},)"
         R"({"name":"b","image":"b:1"}]}})",
         pods,
         false,
         {{"Pod", false, edit_on_server<api::core::v1::pod>}, {"view of Pod", true, edit_on_server<pod_view>}}},
        {&kcontrol::resource_of<api::apps::v1::deployment>(),
         R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
         R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a:1"},)"
         R"({"name":"b","image":"b:1"},{"name":"c","image":"c:1"}]}}}})",
         pods,
         false,
         {{"Deployment", false, edit_on_server<api::apps::v1::deployment>},
          {"view of Deployment", true, edit_on_server<deployment_view>}}},
        {&kcontrol::resource_of<api::core::v1::config_map>(),
         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{},"data":{"a":"b"}})",
         {"immutable"},
         false,
         {{"ConfigMap", false, edit_on_server<api::core::v1::config_map>},
          {"view of ConfigMap", true, edit_on_server<config_map_view>}}},
        {&kcontrol::resource_of<api::rbac::v1::role>(),
         R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{},"rules":[{"apiGroups":["a"],)"
         R"("resources":["b"],"verbs":["get"]},{"apiGroups":["c"],"resources":["d"],"verbs":["list"]}]})",
         {"nonResourceURLs"},
         false,
         {{"Role", false, edit_on_server<api::rbac::v1::role>}, {"view of Role", true, edit_on_server<role_view>}}},
        {&kcontrol::resource_of<thing>(),
         R"({"apiVersion":"lossless.example.com/v1","kind":"Thing","metadata":{},"spec":{"parts":[)"
         R"({"name":"one","inner":{"note":"n"}},{"name":"two"},{"name":"three","inner":{}}]}})",
         {},
         true,
         {{"Thing", false, edit_on_server<thing>}, {"view of Thing", true, edit_on_server<thing_view>}}},
    };
    return all;
}

/// The object of a seed: which kind, and everything in it.
struct made_object {
    const lossless_case* of;
    json::value object;
};

inline made_object make_object(std::uint64_t seed) {
    const auto& all = lossless_cases();
    random_source random(seed);
    made_object out{&all[seed % all.size()], nullptr};
    out.object = kcontrol::json::parse(out.of->base).value();
    random_object source(random, out.of->unknown);
    source.fill(*out.of->info->type, out.object.as_object(), out.of->fixed);
    auto& metadata = out.object.as_object()["metadata"].as_object();
    metadata["name"] = "object-" + std::to_string(seed);
    metadata["namespace"] = "default";
    return out;
}

}  // namespace kcontrol_test
