#include "testserver/direct_writes.hpp"

#include "testserver/admission_hooks.hpp"
#include "testserver/failure_parts.hpp"

namespace kcontrol::inline v0_1::testing::detail {

outcome<void> direct_writes::check_described(const resource_type& type, const json::value& body) const {
    if (type.id() == definitions_id() && !store_validates_) {
        const auto described = resource_type_of_crd(body);
        if (!described) return described.error();
    }
    if (is_webhook_configuration(type.id())) {
        json::value named = body;
        named.as_object()["kind"] = type.kind;
        const auto problems = validate_webhook_configuration(named);
        if (!problems.empty()) {
            return failure::invalid(kind_of(type), json::get_string(body, {"metadata", "name"}), problems);
        }
    }
    return {};
}

outcome<object_ptr> direct_writes::create(resource_table& table, const write_target& target, json::value body) {
    if (auto described = check_described(table.type(), body); !described) return described.error();
    auto created = store_.create(table, target, std::move(body.as_object()));
    if (created) definitions_.written(table, *created);
    return created;
}

outcome<object_ptr> direct_writes::update(resource_table& table, const write_target& target, json::value body) {
    auto updated = store_.update(table, target, std::move(body.as_object()));
    if (updated) definitions_.written(table, *updated);
    return updated;
}

outcome<apply_result> direct_writes::apply(resource_table& table, const write_target& target, json::value config,
                                           bool force) {
    if (table.get({"", target.name}) == nullptr) {
        if (auto described = check_described(table.type(), config); !described) return described.error();
    }
    auto applied = store_.apply(table, target, std::move(config.as_object()), force, false);
    if (applied) definitions_.written(table, applied->object);
    return applied;
}

outcome<delete_result> direct_writes::remove(resource_table& table, const namespaced_name& key,
                                             const delete_request& request) {
    auto removed = store_.remove(table, key, request);
    if (removed && !request.dry_run() && table.type().id() == definitions_id()) definitions_.remove_instances(key.name);
    return removed;
}

}  // namespace kcontrol::testing::detail
