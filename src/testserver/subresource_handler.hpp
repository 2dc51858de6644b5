// Requests below objects, for what is no part of them: scales, bindings, evictions and tokens.
#pragma once

#include <kcontrol/json/reader.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "testserver/admitted_writes.hpp"
#include "testserver/request_access.hpp"

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// Whether this server answers a subresource of a kind, besides the object's parts (status, finalize).
bool serves_below(const resource_type& type, const request_info& info);

/// Sets the value at a path (".spec.replicas"), and makes the objects on the way.
void put_at_path(json::value& whole, std::string_view path, const json::value& value);

/// Answers the subresources that serves_below() names. Touched on the server's executor only.
class subresource_handler {
public:
    /// All seven outlive it.
    subresource_handler(environment& env, object_store& store, version_converter& converter, admission_chain& admission,
                        admitted_writes& writes, direct_writes& direct, request_access& access)
        : env_(env),
          store_(store),
          converter_(converter),
          admission_(admission),
          writes_(writes),
          direct_(direct),
          access_(access) {}

    awaitable<outcome<http::response>> answer(const parsed_request& asked, object_store::table_ptr table);

private:
    awaitable<outcome<http::response>> answer_scale(const parsed_request& asked, object_store::table_ptr table);
    outcome<http::response> answer_binding(const http::server_request& request, const request_info& info);
    outcome<http::response> answer_eviction(const http::server_request& request, const request_info& info,
                                            resource_table& pods);
    outcome<void> spend_budget(const std::string& ns, const json::value& pod, const stored_object& stored,
                               bool dry_run);

    environment& env_;
    object_store& store_;
    version_converter& converter_;
    admission_chain& admission_;
    admitted_writes& writes_;
    direct_writes& direct_;
    request_access& access_;
    json::document reader_;  // of patches
};

}  // namespace kcontrol::testing::detail
