#include "testserver/cel_types.hpp"

#include "testserver/cel_functions.hpp"
#include "testserver/cel_signatures.hpp"
#include "testserver/structural_values.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

/// The type of a part of an expression, as far as it is known.
class static_type {
public:
    std::string_view name = "dyn";            ///< "int", "list", "object"; "dyn": not known
    std::shared_ptr<const static_type> item;  ///< of lists, maps (their values) and optionals; null: not known
    cel_shape shape;                          ///< of an object

    bool is(std::string_view what) const noexcept { return name == what; }
    bool is_unknown() const noexcept { return name == "dyn"; }
    static_type item_type() const { return item ? *item : static_type(); }

    std::string text() const {
        if (is("list")) return "list(" + item_type().text() + ")";
        if (is("map")) return "map(string, " + item_type().text() + ")";
        if (is("optional_type")) return "optional_type(" + item_type().text() + ")";
        return std::string(name);
    }
};

static_type named(std::string_view name) {
    static_type out;
    out.name = name;
    return out;
}

static_type holding(std::string_view name, static_type item) {
    static_type out = named(name);
    out.item = std::make_shared<const static_type>(std::move(item));
    return out;
}

// Nothing: rules can't see what has this schema.
std::optional<static_type> type_of_schema(cel_shape shape) {
    if (shape.schema == nullptr) return static_type();
    const json::value& schema = *shape.schema;
    if (schema_flag(schema, "x-kubernetes-int-or-string")) return static_type();
    const std::string_view type = shape.is_resource ? "object" : json::get_string(schema, {"type"});
    const std::string_view format = json::get_string(schema, {"format"});
    if (type == "boolean") return named("bool");
    if (type == "integer") return named("int");
    if (type == "number") return named("double");
    if (type == "string") {
        if (format == "byte") return named("bytes");
        if (format == "date" || format == "date-time") return named(timestamp_name);
        return named(format == "duration" ? duration_name : "string");
    }
    const json::value* more = additional_schema(schema);
    if (type == "array" || (type == "object" && more != nullptr && !shape.is_resource)) {
        auto item = type_of_schema(type == "array" ? shape.item() : shape.member(""));
        if (!item || (type == "array" && json::find(schema, {"items"}) == nullptr)) return std::nullopt;
        return holding(type == "array" ? "list" : "map", std::move(*item));
    }
    if (type != "object") return std::nullopt;
    static_type out = named("object");
    out.shape = shape;
    return out;
}

/// Finds the types of an expression's parts. The first problem stays.
class type_finder {
public:
    std::vector<std::pair<std::string, static_type>> scope;
    std::string problem;

    static_type find(const cel_node& node) {
        using kind = cel_node::kind;
        if (!problem.empty()) return {};
        switch (node.what) {
        case kind::literal: return named(node.literal.type_name());
        case kind::list: return list_of(node);
        case kind::map: return map_of(node);
        case kind::optional_item: return find(node.children[0]).item_type();
        case kind::name: return variable(node.text);
        case kind::member: return member_of(node);
        case kind::index: return indexed(node);
        case kind::call: return called(node);
        case kind::negation: return expect_boolean(find(node.children[0]), "!_");
        case kind::minus: return negative(find(node.children[0]));
        case kind::conditional: return chosen(node);
        case kind::binary: return binary(node);
        }
        return {};
    }

    void fail(std::string what) {
        if (problem.empty()) problem = "compilation failed: " + std::move(what);
    }

private:
    static_type no_overload(std::string_view name, const std::string& applied) {
        fail("found no matching overload for '" + std::string(name) + "' applied to '" + applied + "'");
        return {};
    }
    static_type no_overload(std::string_view name, const static_type& a, const static_type& b) {
        return no_overload(name, "(" + a.text() + ", " + b.text() + ")");
    }

    static_type variable(const std::string& name) {
        for (auto it = scope.rbegin(); it != scope.rend(); ++it) {
            if (it->first == name) return it->second;
        }
        if (is_cel_type(name)) return named("type");
        fail("undeclared reference to '" + name + "' (in container '')");
        return {};
    }

    // What both are; unknown where they differ.
    static static_type joined(const static_type& a, const static_type& b) {
        return a.text() == b.text() ? a : static_type();
    }

    // Whether values of the two may be equal, or one may stand for the other.
    static bool may_equal(const static_type& a, const static_type& b) {
        if (a.is_unknown() || b.is_unknown() || a.is("null_type") || b.is("null_type") || a.name == b.name) return true;
        const auto is_map = [](const static_type& x) { return x.is("map") || x.is("object"); };
        return is_map(a) && is_map(b);
    }

    static_type list_of(const cel_node& node) {
        std::optional<static_type> item;
        for (const auto& child : node.children) {
            const static_type found = find(child);
            if (item && !may_equal(*item, found) && !mixes_) {
                fail("expected type '" + item->text() + "' but found '" + found.text() + "'");
            }
            item = item ? joined(*item, found) : found;
        }
        return holding("list", item.value_or(static_type()));
    }

    static_type map_of(const cel_node& node) {
        std::optional<static_type> value;
        for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
            find(node.children[i]);
            const static_type found = find(node.children[i + 1]);
            value = value ? joined(*value, found) : found;
        }
        return holding("map", value.value_or(static_type()));
    }

    static_type member_type(const static_type& target, const std::string& name) {
        if (target.is("map")) return target.item_type();
        if (target.is_unknown()) return {};
        if (!target.is("object")) {
            fail("type '" + target.text() + "' does not support field selection");
            return {};
        }
        auto out = target.shape.hides(name) ? std::nullopt : type_of_schema(target.shape.member(name));
        if (!out) fail("undefined field '" + name + "'");
        return out.value_or(static_type());
    }

    static_type member_of(const cel_node& node) {
        const static_type target = find(node.children[0]);
        if (target.is("optional_type")) {
            return holding("optional_type", member_type(target.item_type(), node.text));
        }
        const static_type out = member_type(target, node.text);
        return node.is_optional ? holding("optional_type", out) : out;
    }

    static_type indexed(const cel_node& node) {
        const static_type whole = find(node.children[0]), index = find(node.children[1]);
        const bool was_optional = whole.is("optional_type");
        const static_type target = was_optional ? whole.item_type() : whole;
        const bool fits = target.is_unknown() || (target.is("list") && (index.is_unknown() || index.is("int"))) ||
                          (target.is("map") && (index.is_unknown() || index.is("string") || !target.item));
        if (!fits && !(target.is("map") && node.children[0].what == cel_node::kind::map)) {
            return no_overload("_[_]", whole, index);
        }
        const static_type out = target.item_type();
        return node.is_optional || was_optional ? holding("optional_type", out) : out;
    }

    static_type expect_boolean(const static_type& found, std::string_view of) {
        if (!found.is_unknown() && !found.is("bool")) no_overload(of, "(" + found.text() + ")");
        return named("bool");
    }

    static_type negative(const static_type& found) {
        if (found.is_unknown() || found.is("int") || found.is("double")) return found;
        return no_overload("-_", "(" + found.text() + ")");
    }

    static_type chosen(const cel_node& node) {
        expect_boolean(find(node.children[0]), "_?_:_");
        const static_type yes = find(node.children[1]), no = find(node.children[2]);
        if (!may_equal(yes, no)) return no_overload("_?_:_", "(bool, " + yes.text() + ", " + no.text() + ")");
        return joined(yes, no);
    }

    static bool is_number(const static_type& x) { return x.is("int") || x.is("uint") || x.is("double"); }

    static_type binary(const cel_node& node) {
        const static_type a = find(node.children[0]), b = find(node.children[1]);
        const std::string name = node.text == "in" ? "@in" : "_" + node.text + "_";
        if (node.text == "&&" || node.text == "||") {
            const auto fits = [](const static_type& x) { return x.is_unknown() || x.is("bool"); };
            if (!fits(a) || !fits(b)) return no_overload(name, a, b);
            return named("bool");
        }
        if (node.text == "==" || node.text == "!=") {
            if (!may_equal(a, b)) return no_overload(name, a, b);
            return named("bool");
        }
        if (node.text == "in") {
            const bool fits = b.is_unknown() || (b.is("list") && may_equal(a, b.item_type())) || b.is("map");
            if (!fits) return no_overload(name, a, b);
            return named("bool");
        }
        if (node.text.front() == '<' || node.text.front() == '>') {
            const auto has_order = [](const static_type& x) {
                return x.is_unknown() || is_number(x) || x.is("bool") || x.is("string") || x.is("bytes") ||
                       x.is(timestamp_name) || x.is(duration_name);
            };
            const bool alike = may_equal(a, b) || (is_number(a) && is_number(b));
            if (!has_order(a) || !has_order(b) || !alike) return no_overload(name, a, b);
            return named("bool");
        }
        return computed(node.text.front(), name, a, b);
    }

    static_type computed(char sign, const std::string& name, const static_type& a, const static_type& b) {
        if (a.is_unknown() || b.is_unknown()) return {};
        if (is_number(a) && a.name == b.name && !(sign == '%' && a.is("double"))) return a;
        const bool sums = sign == '+' || sign == '-';
        if (sums && b.is(duration_name) && (a.is(duration_name) || a.is(timestamp_name))) return a;
        if (sign == '-' && a.is(timestamp_name) && b.is(timestamp_name)) return named(duration_name);
        if (sign == '+' && a.is(duration_name) && b.is(timestamp_name)) return b;
        if (sign == '+' && a.name == b.name && (a.is("string") || a.is("bytes"))) return a;
        if (sign == '+' && a.is("list") && b.is("list") && may_equal(a.item_type(), b.item_type())) {
            return holding("list", joined(a.item_type(), b.item_type()));
        }
        return no_overload(name, a, b);
    }

    static_type called(const cel_node& node) {
        if (!node.is_method && node.text == "has") {
            find(node.children[0]);
            return named("bool");
        }
        if (node.macro_variables() > 0) return macro(node);
        std::vector<static_type> arguments;
        // What format() takes may be of several types, unlike other lists that are written out.
        const bool mixed = std::exchange(mixes_, mixes_ || node.text == "format");
        for (const auto& child : node.children) arguments.push_back(find(child));
        mixes_ = mixed;
        check_literals(node);
        return node.is_method || node.text == "size" || node.text == "matches" ? method(node, arguments)
                                                                               : function(node, arguments);
    }

    static_type function(const cel_node& node, const std::vector<static_type>& arguments) {
        const std::string_view name = node.text;
        for (const auto& [of_text, gives] : functions_of_texts) {
            if (of_text != name) continue;
            if (!arguments[0].is_unknown() && !arguments[0].is("string")) {
                return no_overload(name, "(" + arguments[0].text() + ")");
            }
            return named(gives);
        }
        if (name == "timestamp") return named(timestamp_name);
        if (name == "duration") return named(duration_name);
        if (name == "sign") return named("int");
        if (name == "type") return named("type");
        if (name.starts_with("sets.")) return named("bool");
        if (name.starts_with("format.") && name != "format.named") return named("kubernetes.NamedFormat");
        if (name == "optional.of" || name == "optional.ofNonZeroValue") return holding("optional_type", arguments[0]);
        if (name == "lists.range") return holding("list", named("int"));
        static constexpr std::string_view scalars[] = {"int", "uint", "double", "string", "bool", "bytes"};
        const auto* converted = std::find(std::begin(scalars), std::end(scalars), name);
        if (converted == std::end(scalars)) return {};
        const static_type& from = arguments[0];
        if (from.is("list") || from.is("map") || from.is("object") ||
            (from.is("bool") && name != "bool" && name != "string")) {
            return no_overload(name, "(" + from.text() + ")");
        }
        return named(*converted);
    }

    static_type method(const cel_node& node, const std::vector<static_type>& arguments) {
        const static_type& target = arguments[0];
        bool known = false;
        for (const auto& one : cel_signatures) {
            if (one.name != node.text) continue;
            known = true;
            if (target.is_unknown()) {
                // Where all have the same result, that is known.
                if (one.gives == "item" || one.gives == "same" || one.gives == "list") return {};
                return named(one.gives);
            }
            if (!target.is(one.target)) continue;
            const bool fits = arguments.size() < 2 || one.argument.empty() || arguments[1].is_unknown() ||
                              arguments[1].is(one.argument);
            if (!fits) continue;
            if (one.gives == "item") return target.item_type();
            if (one.gives == "same") return target;
            if (one.gives == "list") return holding("list", named("string"));
            return named(one.gives);
        }
        if (!known || target.is_unknown()) return {};
        std::string applied = target.text() + ".(";
        for (std::size_t i = 1; i < arguments.size(); ++i) applied += (i == 1 ? "" : ", ") + arguments[i].text();
        return no_overload(node.text, node.is_method ? applied + ")" : "(" + target.text() + ")");
    }

    // Patterns and times that are written out are looked at when the rule is.
    void check_literals(const cel_node& node) {
        const auto text_at = [&node](std::size_t i) {
            return i < node.children.size() ? node.children[i].literal.get<std::string>() : nullptr;
        };
        if (node.text == "matches" || node.text == "find" || node.text == "findAll") {
            const auto* pattern = text_at(1);
            const std::string broken = pattern != nullptr ? texts_.problem_of(*pattern) : std::string();
            if (!broken.empty()) fail("invalid matches argument: error parsing regexp: " + broken);
        }
        const auto* text = node.is_method ? nullptr : text_at(0);
        if (text == nullptr) return;
        if (node.text == "timestamp" && !parse_cel_timestamp(*text)) fail("invalid timestamp argument");
        if (node.text == "duration" && !parse_go_duration(*text)) fail("invalid duration argument");
    }

    static_type macro(const cel_node& node) {
        const static_type target = find(node.children[0]);
        const std::size_t variables = node.macro_variables();
        const bool of_optional = node.text.starts_with("opt");
        const bool fits =
            target.is_unknown() || (of_optional ? target.is("optional_type") : target.is("list") || target.is("map"));
        if (!fits) {
            fail("expression of type '" + target.text() +
                 "' cannot be range of a comprehension (must be list, map, or dynamic)");
            return {};
        }
        const static_type key = target.is("list") ? named("int") : target.is("map") ? named("string") : static_type();
        const bool keys_only = variables == 1 && target.is("map");
        scope.emplace_back(node.children[1].text, variables == 2 || keys_only ? key : target.item_type());
        if (variables == 2) scope.emplace_back(node.children[2].text, target.item_type());
        static_type last;
        for (std::size_t i = variables + 1; i < node.children.size(); ++i) {
            last = find(node.children[i]);
            const bool is_condition = i + 1 < node.children.size() || node.text == "filter" || node.text == "all" ||
                                      node.text.starts_with("exists");
            if (is_condition && !last.is_unknown() && !last.is("bool")) {
                fail("expected type 'bool' but found '" + last.text() + "'");
            }
        }
        scope.resize(scope.size() - variables);
        if (node.text == "all" || node.text.starts_with("exists")) return named("bool");
        if (node.text == "filter" && keys_only) return holding("list", key);
        if (node.text == "filter" || node.text == "sortBy") return target;
        if (node.text == "map" || node.text == "transformList") return holding("list", last);
        if (node.text == "optMap") return holding("optional_type", last);
        if (node.text == "optFlatMap") return last;
        return node.text == "transformMap" ? holding("map", last) : static_type();
    }

    text_checks texts_;
    bool mixes_ = false;
};

}  // namespace

std::string cel_type_problem(const cel_expression& rule, cel_shape self, bool optional_old_self,
                             std::string_view wanted) {
    type_finder finder;
    const static_type type = type_of_schema(self).value_or(static_type());
    finder.scope.emplace_back("self", type);
    finder.scope.emplace_back("oldSelf", optional_old_self ? holding("optional_type", type) : type);
    const static_type found = finder.find(rule.root());
    if (!found.is_unknown() && !found.is(wanted)) {
        finder.fail(wanted == "bool" ? "cel expression must evaluate to a bool"
                                     : "messageExpression must evaluate to a string");
    }
    return std::move(finder.problem);
}

}  // namespace kcontrol::testing::detail
