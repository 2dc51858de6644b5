#include "testserver/write_handler.hpp"

#include "testserver/responses.hpp"
#include "testserver/write_request.hpp"

namespace kcontrol::inline v0_1::testing::detail {
namespace {

// The Status of an object that went at once.
json::value deleted_status(const resource_type& type, const stored_object& object, std::string_view name) {
    json::object details = details_of(type.id(), name);
    details["uid"] = object.uid();
    json::object status;
    status["kind"] = "Status";
    status["apiVersion"] = "v1";
    status["metadata"] = json::object();
    status["status"] = "Success";
    status["details"] = std::move(details);
    return status;
}

}  // namespace

outcome<write_order> write_handler::order_write(const parsed_request& asked, object_store::table_ptr table,
                                                std::vector<std::string>& warnings) {
    const http::server_request& request = asked.message;
    const request_info& info = asked.info;
    if (info.verb == "create" && definitions_.is_being_removed(table->type())) {
        const auto given = json::parse(request.body);
        return failure::forbidden(table->type().id(),
                                  given ? json::get_string(*given, {"metadata", "name"}) : std::string_view(),
                                  "create not allowed while custom resource definition is terminating");
    }
    const std::string_view options_kind = info.verb == "create"   ? "CreateOptions"
                                          : info.verb == "update" ? "UpdateOptions"
                                                                  : "PatchOptions";
    const auto dry_run = dry_run_of(info.parameter("dryRun"), options_kind);
    if (!dry_run) return dry_run.error();
    write_target target(info.version, info.namespace_, info.name);
    target.subresource = info.subresource;
    target.manager = manager_of(request, info);
    target.warnings = &warnings;
    const auto validation = field_validation_of(info, options_kind);
    if (!validation) return validation.error();
    target.unknown_fields = *validation;
    const bool applies = info.verb == "patch" && media_type(request) == apply_media_type;
    if (auto checked = check_manager(info, applies); !checked) return checked.error();
    write_order order;
    order.table = table;
    order.key = {info.namespace_, info.name};
    order.about = attributes_of(asked, table->type());
    order.about.dry_run = *dry_run;
    order.warnings = &warnings;
    // A patch says only a part of a webhook configuration, so what comes of it is looked at.
    const auto check_result = [this, table](outcome<pending_write> begun) -> outcome<pending_write> {
        const resource_type& type = table->type();
        if (!begun || !is_webhook_configuration(type.id())) return begun;
        if (auto described = direct_.check_described(type, begun->whole(type)); !described) return described.error();
        return begun;
    };
    if (applies) {
        auto config = parse_applied(request);
        if (!config) return config.error();
        target.warnings = nullptr;
        order.begin = [this, table, target, check_result, config = std::move(*config),
                       force = info.flag("force")](const object_ptr& live) -> outcome<pending_write> {
            if (live == nullptr) {
                if (auto described = direct_.check_described(table->type(), config); !described)
                    return described.error();
            }
            return check_result(store_.begin_apply(*table, target, config.get_object(), force, live));
        };
        return order;
    }
    if (info.verb == "patch") {
        auto edit = editor_of(reader_, request, table->type(), info.version);
        if (!edit) return edit.error();
        order.begin = [this, table, target, check_result, edit = std::move(*edit)](const object_ptr& live) {
            return check_result(store_.begin_patch(*table, target, edit, live));
        };
        return order;
    }
    auto body = parse_body(request, table->type());
    if (!body) return body.error();
    if (info.verb == "create" || is_webhook_configuration(table->type().id())) {
        if (auto described = direct_.check_described(table->type(), *body); !described) return described.error();
    }
    const bool creates = info.verb == "create";
    order.begin = [this, table, target, body = std::move(*body), creates](const object_ptr& live) {
        return creates ? store_.begin_create(*table, target, body.get_object())
                       : store_.begin_update(*table, target, body.get_object(), live);
    };
    return order;
}

awaitable<outcome<http::response>> write_handler::answer(const parsed_request& asked, object_store::table_ptr table) {
    const request_info& info = asked.info;
    if (info.verb == "delete") {
        auto removed = co_await remove_one(asked, table);
        co_return removed;
    }
    if (info.verb == "deletecollection") {
        auto removed = co_await remove_many(asked, table);
        co_return removed;
    }
    std::vector<std::string> warnings;
    auto order = order_write(asked, table, warnings);
    if (!order) co_return order.error();
    auto written = co_await writes_.write(std::move(*order));
    if (!written) co_return written.error();
    const renderer out = renderer(table->type(), info, asked.form, env_.wall_now());
    http::response response(written->created ? 201 : 200, "application/json", out.object(*written->object));
    show_warnings(response, warnings);
    co_return response;
}

awaitable<outcome<http::response>> write_handler::remove_one(const parsed_request& asked,
                                                             object_store::table_ptr table) {
    const request_info& info = asked.info;
    const auto wanted = delete_options(asked.message, info);
    if (!wanted) co_return wanted.error();
    std::vector<std::string> warnings;
    const namespaced_name key(info.namespace_, info.name);
    const auto removed = co_await writes_.remove(asked, table, key, *wanted, warnings);
    if (!removed) co_return removed.error();
    const resource_type& type = table->type();
    std::string text = removed->deleted && !type.returns_deleted_object
                           ? json::serialize(deleted_status(type, *removed->object, info.name))
                           : renderer(table->type(), info, asked.form, env_.wall_now()).object(*removed->object);
    http::response response(200, "application/json", std::move(text));
    show_warnings(response, warnings);
    co_return response;
}

awaitable<outcome<http::response>> write_handler::remove_many(const parsed_request& asked,
                                                              object_store::table_ptr table) {
    const request_info& info = asked.info;
    auto wanted = delete_options(asked.message, info);
    if (!wanted) co_return wanted.error();
    const auto query = list_query::of_request(info, table->type());
    if (!query) co_return query.error();
    auto page = read_page(*table, *query, read_view(store_.version()));
    if (!page) co_return page.error();
    std::vector<std::string> warnings;
    for (auto& [key, object] : page->items) {
        // Each one again: finalizers of one may have changed another, and NotFound is no failure here.
        auto removed = co_await writes_.remove(asked, table, key, *wanted, warnings);
        if (removed) {
            object = removed->object;
        } else if (removed.error().code != 404) {
            co_return removed.error();
        }
    }
    http::response response(200, "application/json",
                            renderer(table->type(), info, asked.form, env_.wall_now()).list(*page));
    show_warnings(response, warnings);
    co_return response;
}

}  // namespace kcontrol::testing::detail
