#include "testserver/definition_controller.hpp"

#include "testserver/conditions.hpp"
#include "testserver/crd_validation.hpp"
#include "testserver/timestamp.hpp"

#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

namespace {

group_resource defined_by(const json::value& crd) {
    return {std::string(json::get_string(crd, {"spec", "group"})),
            std::string(json::get_string(crd, {"spec", "names", "plural"}))};
}

}  // namespace

void definition_controller::written(const resource_table& table, const object_ptr& object) {
    if (table.type().id() != definitions_id()) return;
    const json::value crd(object->content());
    const std::string name(json::get_string(crd, {"metadata", "name"}));
    if (table.get({"", name}) != nullptr) {
        warn_of_rules(crd);
        return serve(crd);
    }
    // The write has taken the last finalizer away.
    const auto defined = store_.table(defined_by(crd));
    if (defined != nullptr && defined->type().custom) store_.remove_resource(defined->type().id());
}

bool definition_controller::is_being_removed(const resource_type& type) const {
    const auto definitions = store_.table(definitions_id());
    if (!type.custom || definitions == nullptr) return false;
    const object_ptr crd = definitions->get({"", type.id().text()});
    return crd != nullptr && crd->terminating();
}

void definition_controller::remove_instances(const std::string& name) {
    const auto definitions = store_.table(definitions_id());
    const object_ptr crd = definitions->get({"", name});
    if (crd == nullptr || !crd->terminating()) return;
    const group_resource id = defined_by(json::value(crd->content()));
    const auto table = store_.table(id);
    if (table != nullptr && table->type().custom && !table->objects().empty()) {
        write_target target("v1", "", name);
        target.subresource = "status";
        target.manager = "kube-apiserver";
        static_cast<void>(store_.patch(*definitions, target, [this](json::value& whole) -> outcome<void> {
            put_condition(conditions_in(whole.as_object()), "Terminating", true, "InstanceDeletionInProgress",
                          "CustomResource deletion is in progress", format_timestamp(env_.wall_now()));
            return {};
        }));
        std::vector<namespaced_name> keys;
        for (const auto& [key, object] : table->objects()) keys.push_back(key);
        for (const auto& key : keys) static_cast<void>(store_.remove(*table, key, delete_request()));
    }
    finish(id);
}

void definition_controller::finish(const group_resource& id) {
    const auto definitions = store_.table(definitions_id());
    const object_ptr crd = definitions == nullptr ? nullptr : definitions->get({"", id.text()});
    if (crd == nullptr || !crd->terminating()) return;
    const auto table = store_.table(id);
    const bool custom = table != nullptr && table->type().custom;
    if (custom && !table->objects().empty()) return;
    write_target target("v1", "", id.text());
    target.manager = "kube-apiserver";
    static_cast<void>(store_.patch(*definitions, target, [](json::value& whole) -> outcome<void> {
        json::value* finalizers = metadata_of(whole.as_object()).if_contains("finalizers");
        if (finalizers == nullptr || !finalizers->is_array()) return {};
        json::array rest;
        for (const auto& one : finalizers->get_array()) {
            if (one != json::value(definition_finalizer)) rest.push_back(one);
        }
        *finalizers = std::move(rest);
        return {};
    }));
    if (custom && definitions->get({"", id.text()}) == nullptr) store_.remove_resource(id);
}

// A definition is written many times, also with each change of its status.
void definition_controller::warn_of_rules(const json::value& crd) {
    if (!options_.log() || !options_.lenient_cel() || !options_.defaults_and_validates()) return;
    const std::string name(json::get_string(crd, {"metadata", "name"}));
    for (auto& taken : unread_rules(crd)) {
        const std::string key = name + '\n' + taken.version + '\n' + taken.path + '\n' + taken.text;
        if (!warned_rules_.insert(key).second) continue;
        const bool holds = taken.path.ends_with(".messageExpression");
        options_.log()->warning(holds ? "a rule's message is not computed" : "a rule is not enforced",
                                {{"definition", name},
                                 {"version", std::move(taken.version)},
                                 {"path", std::move(taken.path)},
                                 {"rule", std::move(taken.text)},
                                 {"why", std::move(taken.problem)}});
    }
}

namespace {

// The name that another kind of the group has already, and what it is; both empty: none.
std::pair<std::string, std::string> taken_name(const object_store& store, const resource_type& wanted) {
    std::pair<std::string, std::string> out;
    for (const auto& [id, table] : store.tables()) {
        const resource_type& other = table->type();
        if (other.group != wanted.group || other.plural == wanted.plural) continue;
        const auto takes = [&out](const std::string& a, const std::string& b, const char* what) {
            if (a == b) out = {a, what};
        };
        takes(wanted.singular, other.singular, "SingularConflict");
        for (const auto& name : wanted.short_names) {
            for (const auto& has : other.short_names) takes(name, has, "ShortNamesConflict");
        }
        takes(wanted.kind, other.kind, "KindConflict");
        takes(wanted.list_kind, other.list_kind, "ListKindConflict");
    }
    return out;
}

}  // namespace

void definition_controller::serve(const json::value& crd) {
    auto type = resource_type_of_crd(crd);
    if (!type) return;
    const auto [name, reason] = taken_name(store_, *type);
    const bool accepted = name.empty();
    if (accepted) store_.add_resource(std::move(*type));
    const auto crds = store_.table(definitions_id());
    write_target target("v1", "", std::string(json::get_string(crd, {"metadata", "name"})));
    target.subresource = "status";
    const std::string now = format_timestamp(env_.wall_now());
    const std::string taken = json::serialize(json::value(name)) + " is already in use";
    json::array conditions;
    put_condition(conditions, "NamesAccepted", accepted, accepted ? "NoConflicts" : reason,
                  accepted ? "no conflicts found" : taken, now);
    put_condition(conditions, "Established", accepted, accepted ? "InitialNamesAccepted" : "NotAccepted",
                  accepted ? "the initial names have been accepted" : "not all names are accepted", now);
    static_cast<void>(store_.patch(*crds, target, [&](json::value& whole) -> outcome<void> {
        json::value& status = whole.as_object()["status"];
        if (!status.is_object()) status = json::object();
        json::value& told = status.get_object()["conditions"];
        if (told.is_array()) return {};
        told = std::move(conditions);
        if (accepted) status.get_object()["acceptedNames"] = *json::find(crd, {"spec", "names"});
        return {};
    }));
}

}  // namespace kcontrol::testing::detail
