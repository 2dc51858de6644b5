#include "testserver/cel_rules.hpp"

#include <kcontrol/base/trim.hpp>
#include <kcontrol/cel/environment.hpp>

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

std::string trimmed_rule(std::string_view text) { return std::string(trim_blanks(text)); }

bool has_line_break(std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; }

/// Looks at the rules of a schema and of those below it.
class rule_checker {
public:
    rule_checker(std::vector<field_problem>& problems, std::vector<unread_rule>* unread)
        : problems_(problems), unread_(unread) {}

    /// `unmatched`: the list around it whose items have no counterparts in the old object; empty: none.
    void check(const json::value& schema, cel::value_schema shape, const std::string& path,
               const std::string& unmatched) {
        std::size_t index = 0;
        for (const auto& rule : rules_of(schema)) {
            check_rule(rule, shape, path + ".x-kubernetes-validations[" + std::to_string(index++) + "]", unmatched);
        }
        const bool matched = json::get_string(schema, {"x-kubernetes-list-type"}) == "map";
        visit_schemas_below(schema, path, [&](const json::value& below, const std::string& place) {
            cel::value_schema inner;
            inner.schema = &below;
            inner.is_resource = schema_flag(below, "x-kubernetes-embedded-resource");
            const bool is_item = place == path + ".items";
            check(below, inner, place, is_item && !matched ? path : unmatched);
        });
    }

private:
    void add(std::string field, std::string_view cause, std::string text) {
        problems_.emplace_back(std::move(field), cause, std::move(text));
    }

    void check_rule(const json::value& rule, cel::value_schema shape, const std::string& place,
                    const std::string& unmatched) {
        const std::string text(json::get_string(rule, {"rule"})), message(json::get_string(rule, {"message"}));
        const std::string shown = "Invalid value: " + json::serialize(json::value(message)) + ": ";
        if (trimmed_rule(text).empty()) {
            return add(place + ".rule", "FieldValueRequired", "Required value: rule is not specified");
        }
        if (!message.empty() && trimmed_rule(message).empty()) {
            add(place + ".message", "FieldValueInvalid", shown + "must be non-empty if specified");
        } else if (has_line_break(trimmed_rule(message))) {
            add(place + ".message", "FieldValueInvalid", shown + "must not contain line breaks");
        } else if (has_line_break(trimmed_rule(text)) && message.empty()) {
            add(place + ".message", "FieldValueRequired",
                "Required value: message must be specified if rule contains line breaks");
        }
        const bool optional = schema_flag(rule, "optionalOldSelf");
        const auto parsed = check_expression(rule, "rule", shape, place, optional);
        static_cast<void>(check_expression(rule, "messageExpression", shape, place, optional));
        if (!parsed) return;
        if (parsed->uses("oldSelf") && !unmatched.empty()) {
            add(place + ".rule", "FieldValueInvalid",
                "Invalid value: " + json::serialize(json::value(text)) +
                    ": oldSelf cannot be used on the uncorrelatable portion of the schema within " + unmatched);
        } else if (!parsed->uses("oldSelf") && json::find(rule, {"optionalOldSelf"}) != nullptr) {
            add(place + ".optionalOldSelf", "FieldValueInvalid",
                std::string("Invalid value: ") + (optional ? "true" : "false") +
                    ": may not be set if oldSelf is not used in rule");
        }
    }

    std::optional<cel::program> check_expression(const json::value& rule, std::string_view name,
                                                 cel::value_schema shape, const std::string& place,
                                                 bool optional_old_self) {
        const std::string text(json::get_string(rule, {name}));
        if (trimmed_rule(text).empty()) return std::nullopt;
        auto parsed = cel::program::parse(text);
        if (!parsed && unread_ != nullptr) {
            unread_->push_back({place + "." + std::string(name), text, parsed.error().message()});
            return std::nullopt;
        }
        const std::string problem =
            parsed ? type_problem(*parsed, shape, optional_old_self, name == "rule") : parsed.error().message();
        if (problem.empty()) return std::move(*parsed);
        add(place + "." + std::string(name), "FieldValueInvalid",
            "Invalid value: " + json::serialize(json::value(text)) + ": " + problem);
        return std::nullopt;
    }

    // What a server has against the types of a rule, or of its message; empty: nothing.
    static std::string type_problem(const cel::program& parsed, const cel::value_schema& self, bool optional_old_self,
                                    bool is_rule) {
        const cel::type type = cel::type::of(self).value_or(cel::type());
        cel::environment names;
        names.declare("self", type).declare("oldSelf", optional_old_self ? cel::type::optional(type) : type);
        const auto found = names.check(parsed);
        std::string problem;
        if (!found) {
            problem = found.error().message();
        } else if (!found->is_unknown() && !found->is(is_rule ? "bool" : "string")) {
            problem =
                is_rule ? "cel expression must evaluate to a bool" : "messageExpression must evaluate to a string";
        }
        return problem.empty() ? problem : "compilation failed: " + problem;
    }

    std::vector<field_problem>& problems_;
    std::vector<unread_rule>* unread_;
};

}  // namespace

void find_unknown_rules(const json::value& schema, const std::string& path, std::vector<field_problem>& problems,
                        std::vector<unread_rule>* unread) {
    cel::value_schema root;
    root.schema = &schema;
    root.is_resource = true;
    rule_checker(problems, unread).check(schema, root, path, "");
}

const cel::program* parsed_rules::find(std::string_view text) {
    auto found = expressions_.find(text);
    if (found == expressions_.end()) {
        auto parsed = cel::program::parse(text);
        found = expressions_.emplace(std::string(text), std::nullopt).first;
        if (parsed) found->second = std::move(*parsed);
    }
    return found->second ? &*found->second : nullptr;
}

namespace {

/// A part of an object, and what it was.
class ruled_part {
public:
    const json::value& now;
    const json::value* before;  ///< null: it was not there
    cel::value_schema shape;    ///< of both

    // What rules call them. Errors: one is not what its schema says.
    result<cel::program::variables> bindings(bool optional_old_self) const {
        cel::program::variables out;
        auto self = cel::value::of(now, shape);
        if (!self) return self.error();
        out.emplace_back("self", std::move(*self));
        if (before == nullptr) {
            if (optional_old_self) out.emplace_back("oldSelf", cel::optional_value());
            return out;
        }
        auto old = cel::value::of(*before, shape);
        if (!old) return old.error();
        if (optional_old_self)
            old = cel::value(cel::optional_value{std::make_shared<const cel::value>(std::move(*old))});
        out.emplace_back("oldSelf", std::move(*old));
        return out;
    }
};

std::string message_of_rule(const json::value& rule, const cel::program::variables& given,
                            const rule_context& context) {
    const std::string_view computed = json::get_string(rule, {"messageExpression"});
    const cel::program* expression = computed.empty() ? nullptr : context.rules.find(computed);
    if (expression != nullptr) {
        const auto v = expression->evaluate(given, cel::evaluation_options().patterns(context.texts));
        const auto* text = v ? v->get<std::string>() : nullptr;
        // A text that would not be a message on one line does not count.
        if (text != nullptr && !trimmed_rule(*text).empty() && !has_line_break(trimmed_rule(*text))) {
            return trimmed_rule(*text);
        }
    }
    const std::string said(json::get_string(rule, {"message"}));
    return said.empty() ? "failed rule: " + trimmed_rule(json::get_string(rule, {"rule"})) : trimmed_rule(said);
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

void check_rule(const json::value& rule, const ruled_part& part, const std::string& path, const rule_context& context,
                std::vector<field_problem>& problems) {
    const cel::program* expression = context.rules.find(json::get_string(rule, {"rule"}));
    const bool optional = schema_flag(rule, "optionalOldSelf");
    if (expression == nullptr || (expression->uses("oldSelf") && part.before == nullptr && !optional)) return;
    const auto given = part.bindings(optional);
    const auto holds = given ? expression->evaluate(*given, cel::evaluation_options().patterns(context.texts))
                             : cel::value_result(given.error());
    if (holds && holds->get<bool>() != nullptr) {
        if (*holds->get<bool>()) return;
        problems.push_back(broken_rule(rule, part.now, path, message_of_rule(rule, *given, context)));
        return;
    }
    const std::string none = "no such overload";
    const std::string why = holds || holds.error().message().starts_with(none) ? none : holds.error().message();
    std::string name = trimmed_rule(json::get_string(rule, {"message"}));
    if (name.empty()) name = trimmed_rule(json::get_string(rule, {"rule"}));
    // Types are known before, but for those of int-or-string.
    const std::string text = why == none
                                 ? "'" + why +
                                       "': call arguments did not match a supported operator, function or macro "
                                       "signature for rule: " +
                                       name
                                 : why + " evaluating rule: " + name;
    problems.emplace_back(path.empty() ? "<nil>" : path, "FieldValueInvalid",
                          "Invalid value: \"" + std::string(schema_type_of(part.now)) + "\": " + text);
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
        cel::value_schema shape;
        shape.schema = &schema;
        shape.is_resource = path.empty() || schema_flag(schema, "x-kubernetes-embedded-resource");
        const ruled_part part{now, before, shape};
        for (const auto& rule : rules_of(schema)) check_rule(rule, part, path, context, problems);
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
