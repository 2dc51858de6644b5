#include "testserver/cel_rules.hpp"

#include "testserver/structural_values.hpp"

#include <set>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

const json::array& rules_of(const json::value& schema) {
    static const json::array none;
    const json::value* found = json::find(schema, {"x-kubernetes-validations"});
    return found != nullptr && found->is_array() ? found->get_array() : none;
}

// Calls f with each schema below this one, and its place.
template <class F>
void visit_schemas_below(const json::value& schema, const std::string& path, const F& f) {
    if (const json::value* properties = json::find(schema, {"properties"}); properties && properties->is_object()) {
        for (const auto& one : properties->get_object()) {
            f(one.value(), path + ".properties[" + std::string(one.key()) + "]");
        }
    }
    if (const json::value* items = json::find(schema, {"items"})) f(*items, path + ".items");
    if (const json::value* more = additional_schema(schema)) f(*more, path + ".additionalProperties");
}

}  // namespace

bool has_rules(const json::value& schema) {
    if (!rules_of(schema).empty()) return true;
    bool found = false;
    visit_schemas_below(schema, {},
                        [&found](const json::value& below, const std::string&) { found = found || has_rules(below); });
    return found;
}

namespace {

// Whether some part is of a format that is no text, no number to CEL.
bool has_strange_format(const json::value& schema) {
    const std::string_view format = json::get_string(schema, {"format"});
    bool found = format == "date-time" || format == "date" || format == "duration" || format == "byte";
    visit_schemas_below(schema, {}, [&found](const json::value& below, const std::string&) {
        found = found || has_strange_format(below);
    });
    return found;
}

}  // namespace

void find_unknown_rules(const json::value& schema, const std::string& path, std::vector<field_problem>& problems) {
    std::size_t index = 0;
    for (const auto& rule : rules_of(schema)) {
        const std::string place = path + ".x-kubernetes-validations[" + std::to_string(index++) + "]";
        for (const std::string_view name : {"rule", "messageExpression"}) {
            const std::string text(json::get_string(rule, {name}));
            if (text.empty()) continue;
            const auto parsed = cel_expression::parse(text);
            if (!parsed) {
                problems.emplace_back(
                    place + "." + std::string(name), "FieldValueInvalid",
                    "Invalid value: " + json::serialize(json::value(text)) + ": " + parsed.error().message());
            }
        }
        if (schema_flag(rule, "optionalOldSelf")) {
            problems.emplace_back(place + ".optionalOldSelf", "FieldValueInvalid",
                                  "Invalid value: true: this server's CEL does not know optionals");
        }
        if (has_strange_format(schema)) {
            problems.emplace_back(place + ".rule", "FieldValueInvalid",
                                  "Invalid value: " + json::serialize(*json::find(rule, {"rule"})) +
                                      ": this server's CEL does not know times, durations and bytes, which are below");
        }
    }
    visit_schemas_below(schema, path, [&problems](const json::value& below, const std::string& place) {
        find_unknown_rules(below, place, problems);
    });
}

const cel_expression* parsed_rules::find(std::string_view text) {
    auto found = expressions_.find(text);
    if (found == expressions_.end()) {
        auto parsed = cel_expression::parse(text);
        found = expressions_.emplace(std::string(text), std::nullopt).first;
        if (parsed) found->second = std::move(*parsed);
    }
    return found->second ? &*found->second : nullptr;
}

namespace {

std::string message_of_rule(const json::value& rule, const json::value& now, const json::value* before,
                            const rule_context& context) {
    const std::string_view computed = json::get_string(rule, {"messageExpression"});
    if (!computed.empty()) {
        const cel_expression* expression = context.rules.find(computed);
        const auto text = expression != nullptr ? expression->evaluate(now, before, context.texts)
                                                : result<json::value>(json::value());
        if (text && text->is_string() && !text->get_string().empty()) return std::string(text->get_string());
    }
    const std::string said(json::get_string(rule, {"message"}));
    return said.empty() ? "failed rule: " + std::string(json::get_string(rule, {"rule"})) : said;
}

// The words of field.Error: of a scalar its value is shown.
field_problem broken_rule(const json::value& rule, const json::value& now, std::string path,
                          const std::string& message) {
    path += json::get_string(rule, {"fieldPath"});
    if (path.empty()) path = "<nil>";
    std::string reason(json::get_string(rule, {"reason"}));
    if (reason.empty()) reason = "FieldValueInvalid";
    const bool shown = !now.is_object() && !now.is_array();
    std::string text;
    if (reason == "FieldValueForbidden") {
        text = "Forbidden: " + message;
    } else if (reason == "FieldValueRequired") {
        text = "Required value: " + message;
    } else if (reason == "FieldValueDuplicate") {
        text = "Duplicate value" + (shown ? ": " + shown_value(now) : "");
    } else {
        text = "Invalid value: " + (shown ? shown_value(now) + ": " : "") + message;
    }
    return field_problem(std::move(path), reason, std::move(text));
}

void check_rule(const json::value& rule, const json::value& now, const json::value* before, const std::string& path,
                const rule_context& context, std::vector<field_problem>& problems) {
    const cel_expression* expression = context.rules.find(json::get_string(rule, {"rule"}));
    if (expression == nullptr || (expression->uses_old_self() && before == nullptr)) return;
    const auto holds = expression->evaluate(now, before, context.texts);
    if (holds && holds->is_bool()) {
        if (holds->get_bool()) return;
        problems.push_back(broken_rule(rule, now, path, message_of_rule(rule, now, before, context)));
        return;
    }
    const std::string why = holds ? std::string("no such overload") : holds.error().message();
    std::string name(json::get_string(rule, {"message"}));
    if (name.empty()) name = json::get_string(rule, {"rule"});
    problems.emplace_back(
        path.empty() ? "<nil>" : path, "FieldValueInvalid",
        "Invalid value: \"" + std::string(schema_type_of(now)) + "\": " + why + " evaluating rule: " + name);
}

// The item of before that a list's item follows: by its keys, where it has some.
const json::value* item_before(const json::value& schema, const json::value& item, const json::value* before) {
    if (before == nullptr || !before->is_array() || !item.is_object()) return nullptr;
    const json::value* keys = json::find(schema, {"x-kubernetes-list-map-keys"});
    if (keys == nullptr || !keys->is_array()) return nullptr;
    for (const auto& other : before->get_array()) {
        bool same = other.is_object();
        for (const auto& key : keys->get_array()) {
            const json::value* a = json::find(item, {std::string_view(key.get_string())});
            const json::value* b = json::find(other, {std::string_view(key.get_string())});
            same = same && (a == nullptr || b == nullptr ? a == b : json::equal(*a, *b));
        }
        if (same) return &other;
    }
    return nullptr;
}

}  // namespace

void check_rules(const json::value& schema, const json::value& now, const json::value* before, const std::string& path,
                 const rule_context& context, std::vector<field_problem>& problems) {
    if (now.is_null()) return;
    // An unchanged part keeps its faults: ratcheting.
    const bool unchanged = before != nullptr && json::equal(now, *before);
    if (!unchanged || path.empty()) {
        for (const auto& rule : rules_of(schema)) check_rule(rule, now, before, path, context, problems);
    }
    if (now.is_object()) {
        std::set<std::string> names;
        for (const auto& member : now.get_object()) names.insert(member.key());
        for (const auto& name : names) {
            const bool declared = declared_member(schema, name) != nullptr;
            const json::value* below = member_schema(schema, name);
            if (below == nullptr) continue;
            const json::value* was =
                before != nullptr && before->is_object() ? before->get_object().if_contains(name) : nullptr;
            const std::string place = declared ? below_path(path, name) : path + "[" + name + "]";
            check_rules(*below, now.get_object().at(name), was, place, context, problems);
        }
    }
    const json::value* items = json::find(schema, {"items"});
    if (!now.is_array() || items == nullptr) return;
    std::size_t index = 0;
    for (const auto& item : now.get_array()) {
        const std::string place = item_path(path, index++);
        check_rules(*items, item, item_before(schema, item, before), place, context, problems);
    }
}

}  // namespace kcontrol::testing::detail
