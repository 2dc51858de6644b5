#pragma once

#include <kcontrol/cel/environment.hpp>
#include <kcontrol/cel/impl/functions.hpp>
#include <kcontrol/cel/impl/parsed_expression.hpp>
#include <kcontrol/cel/impl/signatures.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1::cel {
namespace detail {

/// Finds the types of an expression's parts. The first problem stays.
class type_finder {
public:
    std::vector<std::pair<std::string, type>> scope;
    std::string problem;

    std::size_t at = 0;  ///< of the problem, or of what is looked at

    type find(const expression_node& node) {
        if (!problem.empty()) return {};
        const std::size_t around = std::exchange(at, node.at);
        type out = type_of(node);
        if (problem.empty()) at = around;
        return out;
    }

private:
    type type_of(const expression_node& node) {
        using kind = expression_node::kind;
        switch (node.what) {
        case kind::literal: return type::named(node.literal.type_name());
        case kind::list: return list_of(node);
        case kind::map: return map_of(node);
        case kind::optional_item: return find(node.children[0]).item();
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
        if (problem.empty()) problem = std::move(what);
    }

    type no_overload(std::string_view name, const std::string& applied) {
        fail("found no matching overload for '" + std::string(name) + "' applied to '" + applied + "'");
        return {};
    }
    type no_overload(std::string_view name, const type& a, const type& b) {
        return no_overload(name, "(" + a.text() + ", " + b.text() + ")");
    }

    type variable(const std::string& name) {
        for (auto it = scope.rbegin(); it != scope.rend(); ++it) {
            if (it->first == name) return it->second;
        }
        if (is_type_name(name)) return type::named("type");
        fail("undeclared reference to '" + name + "' (in container '')");
        return {};
    }

    // What both are; unknown where they differ.
    static type joined(const type& a, const type& b) { return a.text() == b.text() ? a : type(); }

    // Whether values of the two may be equal, or one may stand for the other.
    static bool may_equal(const type& a, const type& b) {
        if (a.is_unknown() || b.is_unknown() || a.is("null_type") || b.is("null_type") || a.name() == b.name())
            return true;
        const auto is_map = [](const type& x) { return x.is("map") || x.is("object"); };
        return is_map(a) && is_map(b);
    }

    type list_of(const expression_node& node) {
        std::optional<type> item;
        for (const auto& child : node.children) {
            const type found = find(child);
            if (item && !may_equal(*item, found) && !mixes_) {
                fail("expected type '" + item->text() + "' but found '" + found.text() + "'");
            }
            item = item ? joined(*item, found) : found;
        }
        return type::list(item.value_or(type()));
    }

    type map_of(const expression_node& node) {
        std::optional<type> value;
        for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
            find(node.children[i]);
            const type found = find(node.children[i + 1]);
            value = value ? joined(*value, found) : found;
        }
        return type::map(value.value_or(type()));
    }

    type member_type(const type& target, const std::string& name) {
        if (target.is("map")) return target.item();
        if (target.is_unknown()) return {};
        if (!target.is("object")) {
            fail("type '" + target.text() + "' does not support field selection");
            return {};
        }
        auto out = target.member(name);
        if (!out) fail("undefined field '" + name + "'");
        return out.value_or(type());
    }

    type member_of(const expression_node& node) {
        const type target = find(node.children[0]);
        if (target.is("optional_type")) {
            return type::optional(member_type(target.item(), node.text));
        }
        const type out = member_type(target, node.text);
        return node.is_optional ? type::optional(out) : out;
    }

    type indexed(const expression_node& node) {
        const type whole = find(node.children[0]), index = find(node.children[1]);
        const bool was_optional = whole.is("optional_type");
        const type target = was_optional ? whole.item() : whole;
        const bool fits = target.is_unknown() || (target.is("list") && (index.is_unknown() || index.is("int"))) ||
                          (target.is("map") && (index.is_unknown() || index.is("string") || !target.has_item()));
        if (!fits && !(target.is("map") && node.children[0].what == expression_node::kind::map)) {
            return no_overload("_[_]", whole, index);
        }
        const type out = target.item();
        return node.is_optional || was_optional ? type::optional(out) : out;
    }

    type expect_boolean(const type& found, std::string_view of) {
        if (!found.is_unknown() && !found.is("bool")) no_overload(of, "(" + found.text() + ")");
        return type::named("bool");
    }

    type negative(const type& found) {
        if (found.is_unknown() || found.is("int") || found.is("double")) return found;
        return no_overload("-_", "(" + found.text() + ")");
    }

    type chosen(const expression_node& node) {
        expect_boolean(find(node.children[0]), "_?_:_");
        const type yes = find(node.children[1]), no = find(node.children[2]);
        if (!may_equal(yes, no)) return no_overload("_?_:_", "(bool, " + yes.text() + ", " + no.text() + ")");
        return joined(yes, no);
    }

    static bool is_number(const type& x) { return x.is("int") || x.is("uint") || x.is("double"); }

    type binary(const expression_node& node) {
        const type a = find(node.children[0]), b = find(node.children[1]);
        const std::string name = node.text == "in" ? "@in" : "_" + node.text + "_";
        if (node.text == "&&" || node.text == "||") {
            const auto fits = [](const type& x) { return x.is_unknown() || x.is("bool"); };
            if (!fits(a) || !fits(b)) return no_overload(name, a, b);
            return type::named("bool");
        }
        if (node.text == "==" || node.text == "!=") {
            if (!may_equal(a, b)) return no_overload(name, a, b);
            return type::named("bool");
        }
        if (node.text == "in") {
            const bool fits = b.is_unknown() || (b.is("list") && may_equal(a, b.item())) || b.is("map");
            if (!fits) return no_overload(name, a, b);
            return type::named("bool");
        }
        if (node.text.front() == '<' || node.text.front() == '>') {
            const auto has_order = [](const type& x) {
                return x.is_unknown() || is_number(x) || x.is("bool") || x.is("string") || x.is("bytes") ||
                       x.is(timestamp_name) || x.is(duration_name);
            };
            const bool alike = may_equal(a, b) || (is_number(a) && is_number(b));
            if (!has_order(a) || !has_order(b) || !alike) return no_overload(name, a, b);
            return type::named("bool");
        }
        return computed(node.text.front(), name, a, b);
    }

    type computed(char sign, const std::string& name, const type& a, const type& b) {
        if (a.is_unknown() || b.is_unknown()) return {};
        if (is_number(a) && a.name() == b.name() && !(sign == '%' && a.is("double"))) return a;
        const bool sums = sign == '+' || sign == '-';
        if (sums && b.is(duration_name) && (a.is(duration_name) || a.is(timestamp_name))) return a;
        if (sign == '-' && a.is(timestamp_name) && b.is(timestamp_name)) return type::named(duration_name);
        if (sign == '+' && a.is(duration_name) && b.is(timestamp_name)) return b;
        if (sign == '+' && a.name() == b.name() && (a.is("string") || a.is("bytes"))) return a;
        if (sign == '+' && a.is("list") && b.is("list") && may_equal(a.item(), b.item())) {
            return type::list(joined(a.item(), b.item()));
        }
        return no_overload(name, a, b);
    }

    type called(const expression_node& node) {
        if (!node.is_method && node.text == "has") {
            find(node.children[0]);
            return type::named("bool");
        }
        if (node.macro_variables() > 0) return macro(node);
        std::vector<type> arguments;
        // What format() takes may be of several types, unlike other lists that are written out.
        const bool mixed = std::exchange(mixes_, mixes_ || node.text == "format");
        for (const auto& child : node.children) arguments.push_back(find(child));
        mixes_ = mixed;
        check_literals(node);
        return node.is_method || node.text == "size" || node.text == "matches" ? method(node, arguments)
                                                                               : function(node, arguments);
    }

    type function(const expression_node& node, const std::vector<type>& arguments) {
        const std::string_view name = node.text;
        for (const auto& [of_text, gives] : functions_of_texts) {
            if (of_text != name) continue;
            if (!arguments[0].is_unknown() && !arguments[0].is("string")) {
                return no_overload(name, "(" + arguments[0].text() + ")");
            }
            return type::named(gives);
        }
        if (name == "timestamp") return type::named(timestamp_name);
        if (name == "duration") return type::named(duration_name);
        if (name == "sign") return type::named("int");
        if (name == "type") return type::named("type");
        if (name.starts_with("sets.")) return type::named("bool");
        if (name.starts_with("format.") && name != "format.named") return type::named("kubernetes.NamedFormat");
        if (name == "optional.of" || name == "optional.ofNonZeroValue") return type::optional(arguments[0]);
        if (name == "lists.range") return type::list(type::named("int"));
        static constexpr std::string_view scalars[] = {"int", "uint", "double", "string", "bool", "bytes"};
        const auto* converted = std::find(std::begin(scalars), std::end(scalars), name);
        if (converted == std::end(scalars)) return {};
        const type& from = arguments[0];
        if (from.is("list") || from.is("map") || from.is("object") ||
            (from.is("bool") && name != "bool" && name != "string")) {
            return no_overload(name, "(" + from.text() + ")");
        }
        return type::named(*converted);
    }

    type method(const expression_node& node, const std::vector<type>& arguments) {
        const type& target = arguments[0];
        bool known = false;
        for (const auto& one : signatures) {
            if (one.name != node.text) continue;
            known = true;
            if (target.is_unknown()) {
                // Where all have the same result, that is known.
                if (one.gives == "item" || one.gives == "same" || one.gives == "list") return {};
                return type::named(one.gives);
            }
            if (!target.is(one.target)) continue;
            const bool fits = arguments.size() < 2 || one.argument.empty() || arguments[1].is_unknown() ||
                              arguments[1].is(one.argument);
            if (!fits) continue;
            if (one.gives == "item") return target.item();
            if (one.gives == "same") return target;
            if (one.gives == "list") return type::list(type::named("string"));
            return type::named(one.gives);
        }
        if (!known || target.is_unknown()) return {};
        std::string applied = target.text() + ".(";
        for (std::size_t i = 1; i < arguments.size(); ++i) applied += (i == 1 ? "" : ", ") + arguments[i].text();
        return no_overload(node.text, node.is_method ? applied + ")" : "(" + target.text() + ")");
    }

    // Patterns and times that are written out are looked at when the rule is.
    void check_literals(const expression_node& node) {
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
        if (node.text == "timestamp" && !parse_timestamp(*text)) fail("invalid timestamp argument");
        if (node.text == "duration" && !parse_go_duration(*text)) fail("invalid duration argument");
    }

    type macro(const expression_node& node) {
        const type target = find(node.children[0]);
        if (!node.is_method) {
            scope.emplace_back(node.children[1].text, target);
            type out = find(node.children[2]);
            scope.pop_back();
            return out;
        }
        const std::size_t variables = node.macro_variables();
        const bool of_optional = node.text.starts_with("opt");
        const bool fits =
            target.is_unknown() || (of_optional ? target.is("optional_type") : target.is("list") || target.is("map"));
        if (!fits) {
            fail("expression of type '" + target.text() +
                 "' cannot be range of a comprehension (must be list, map, or dynamic)");
            return {};
        }
        const type key = target.is("list") ? type::named("int") : target.is("map") ? type::named("string") : type();
        const bool keys_only = variables == 1 && target.is("map");
        scope.emplace_back(node.children[1].text, variables == 2 || keys_only ? key : target.item());
        if (variables == 2) scope.emplace_back(node.children[2].text, target.item());
        type last;
        for (std::size_t i = variables + 1; i < node.children.size(); ++i) {
            last = find(node.children[i]);
            const bool is_condition = i + 1 < node.children.size() || node.text == "filter" || node.text == "all" ||
                                      node.text.starts_with("exists");
            if (is_condition && !last.is_unknown() && !last.is("bool")) {
                fail("expected type 'bool' but found '" + last.text() + "'");
            }
        }
        scope.resize(scope.size() - variables);
        if (node.text == "all" || node.text.starts_with("exists")) return type::named("bool");
        if (node.text == "filter" && keys_only) return type::list(key);
        if (node.text == "filter" || node.text == "sortBy") return target;
        if (node.text == "map" || node.text == "transformList") return type::list(last);
        if (node.text == "optMap") return type::optional(last);
        if (node.text == "optFlatMap") return last;
        return node.text == "transformMap" ? type::map(last) : type();
    }

    text_checks texts_;
    bool mixes_ = false;
};

}  // namespace detail

KCONTROL_DECL result<type> environment::check(const program& parsed) const {
    detail::type_finder finder;
    finder.scope = variables_;
    type out = finder.find(parsed.parsed().root);
    if (finder.problem.empty()) return out;
    return detail::error_at(parsed.text(), finder.at, finder.problem);
}

KCONTROL_DECL result<program> environment::compile(std::string_view text, const type& wanted) const {
    auto parsed = program::parse(text);
    if (!parsed) return parsed;
    const auto found = check(*parsed);
    if (!found) return found.error();
    if (!wanted.is_unknown() && !found->is_unknown() && found->text() != wanted.text()) {
        return detail::error_at(text, 0,
                                "must evaluate to " + wanted.text() + " or the unknown type, not " + found->text());
    }
    return parsed;
}

}  // namespace kcontrol::cel
