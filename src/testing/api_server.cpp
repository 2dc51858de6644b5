#include <kcontrol/documents/patch.hpp>
#include <kcontrol/testing/api_server.hpp>

#include "testserver/api_server_core.hpp"
#include "testserver/openapi.hpp"

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

result<json::value> shown(const resource_table& table, const outcome<object_ptr>& written) {
    if (!written) return written.error().to_error();
    return (*written)->value(table.type(), table.type().api_version(table.type().versions.front()));
}

// Where an object belongs by its own apiVersion and kind.
struct placed_object {
    object_store::table_ptr table;
    write_target target;
};

result<placed_object> place(const object_store& store, const json::value& object) {
    const std::string_view api_version = json::get_string(object, {"apiVersion"});
    const std::string_view kind = json::get_string(object, {"kind"});
    for (const auto& [id, table] : store.tables()) {
        const resource_type& type = table->type();
        if (type.kind != kind) continue;
        for (const auto& version : type.versions) {
            if (type.api_version(version) != api_version) continue;
            std::string ns(json::get_string(object, {"metadata", "namespace"}));
            if (ns.empty() && type.namespaced) ns = "default";
            return placed_object{
                table, write_target(version, ns, std::string(json::get_string(object, {"metadata", "name"})))};
        }
    }
    return error(errc::no_such_kind, "the server serves no " + std::string(api_version) + " " + std::string(kind) +
                                         "; register_resource() it first");
}

result<object_store::table_ptr> table_of(const object_store& store, const group_resource& id) {
    auto table = store.table(id);
    if (table == nullptr) return error(errc::no_such_kind, "the server serves no " + id.text());
    return table;
}

}  // namespace
}  // namespace detail

api_server::api_server(environment& env, executor ex, api_server_options options)
    : executor_(std::move(ex)), core_(std::make_shared<detail::api_server_core>(env, executor_, std::move(options))) {}

api_server::~api_server() { core_->close(); }

http::handler api_server::handler() {
    return [core = core_](http::server_request request, http::responder& out) {
        return core->handle(std::move(request), out);
    };
}

void api_server::register_resource(resource_type type) { core_->store().add_resource(std::move(type)); }

bool api_server::remove_resource(const group_resource& id) { return core_->store().remove_resource(id); }

result<json::value> api_server::create(json::value object) {
    auto placed = detail::place(core_->store(), object);
    if (!placed) return placed.error();
    placed->target.name.clear();
    return detail::shown(*placed->table, core_->writes().create(*placed->table, placed->target, std::move(object)));
}

result<json::value> api_server::update(json::value object) {
    auto placed = detail::place(core_->store(), object);
    if (!placed) return placed.error();
    return detail::shown(*placed->table, core_->writes().update(*placed->table, placed->target, std::move(object)));
}

result<json::value> api_server::update_status(json::value object) {
    auto placed = detail::place(core_->store(), object);
    if (!placed) return placed.error();
    placed->target.subresource = "status";
    return detail::shown(*placed->table, core_->writes().update(*placed->table, placed->target, std::move(object)));
}

result<json::value> api_server::patch(const group_resource& id, const namespaced_name& key,
                                      const json::value& merge_patch, std::string subresource) {
    const auto table = detail::table_of(core_->store(), id);
    if (!table) return table.error();
    write_target target("", key.namespace_, key.name);
    target.subresource = std::move(subresource);
    const auto edit = [&merge_patch](json::value& whole) -> outcome<void> {
        json::apply_merge_patch(whole, merge_patch);
        return {};
    };
    return detail::shown(**table, core_->store().patch(**table, std::move(target), edit));
}

result<json::value> api_server::apply(json::value object, std::string field_manager, bool force,
                                      std::string subresource) {
    auto placed = detail::place(core_->store(), object);
    if (!placed) return placed.error();
    placed->target.manager = std::move(field_manager);
    placed->target.subresource = std::move(subresource);
    const auto applied = core_->writes().apply(*placed->table, placed->target, std::move(object), force);
    if (!applied) return applied.error().to_error();
    return detail::shown(*placed->table, applied->object);
}

result<void> api_server::remove(const group_resource& id, const namespaced_name& key, const delete_request& request) {
    const auto table = detail::table_of(core_->store(), id);
    if (!table) return table.error();
    const auto removed = core_->writes().remove(**table, key, request);
    if (!removed) return removed.error().to_error();
    return {};
}

result<json::value> api_server::get(const group_resource& id, const namespaced_name& key) const {
    const auto table = detail::table_of(core_->store(), id);
    if (!table) return table.error();
    const object_ptr object = (*table)->get(key);
    if (object == nullptr) return failure::not_found(id, key.name).to_error();
    return detail::shown(**table, object);
}

std::vector<json::value> api_server::list(const group_resource& id, std::string_view ns) const {
    std::vector<json::value> out;
    const auto table = core_->store().table(id);
    if (table == nullptr) return out;
    const std::string api_version = table->type().api_version(table->type().versions.front());
    for (const auto& [key, object] : table->objects_in(ns)) out.push_back(object->value(table->type(), api_version));
    return out;
}

std::shared_ptr<void> api_server::on_change(change_listener listener) {
    return core_->observe(
        [listener = std::move(listener)](const resource_table& table, change what, const stored_object& object) {
            const resource_type& type = table.type();
            listener(type, what, object.value(type, type.api_version(type.versions.front())));
        });
}

std::uint64_t api_server::resource_version() const { return core_->store().version(); }

void api_server::compact(std::uint64_t version) { core_->store().compact(version); }

void api_server::set_history_window(std::size_t events) { core_->store().set_history_window(events); }

store_snapshot api_server::snapshot() const { return core_->store().snapshot(); }

void api_server::restore(const store_snapshot& then) { core_->restore(then); }

void api_server::end_watches() { core_->watches().end(detail::open_watch::order::end); }

void api_server::break_watches() { core_->watches().end(detail::open_watch::order::abort); }

void api_server::freeze(const std::string& replica, std::uint64_t version) {
    core_->replicas().freeze(replica, version);
}

void api_server::thaw(const std::string& replica) {
    core_->replicas().thaw(replica);
    core_->watches().wake_up(nullptr);
}

void api_server::write_log(const namespaced_name& pod, const std::string& container, std::string_view text) {
    core_->pods().write_log(pod, container, text);
}

void api_server::restart_log(const namespaced_name& pod, const std::string& container) {
    core_->pods().restart_log(pod, container);
}

void api_server::on_exec(exec_handler peer) { core_->pods().on_exec(std::move(peer)); }

void api_server::on_port(port_handler peer) { core_->pods().on_port(std::move(peer)); }

access_control& api_server::access() { return core_->access(); }

void api_server::set_faults(fault_hook hook) { core_->set_faults(std::move(hook)); }

result<void> api_server::set_openapi(std::string_view group_version, std::string document) {
    std::string path = "/openapi/v3/" + std::string(group_version);
    if (!openapi_document(core_->store(), path)) {
        return error(errc::invalid_argument, "the server serves no " + std::string(group_version) +
                                                 "; register its kinds or create its definitions first");
    }
    core_->paths().set_openapi(std::move(path), std::move(document));
    return {};
}

void api_server::set_ready(bool ready) { core_->paths().set_ready(ready); }

testing::request_log& api_server::request_log() { return core_->log(); }

}  // namespace kcontrol::testing
