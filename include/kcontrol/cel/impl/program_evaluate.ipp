#pragma once

#include <kcontrol/cel/impl/evaluation_error.hpp>
#include <kcontrol/cel/impl/functions.hpp>
#include <kcontrol/cel/impl/parsed_expression.hpp>
#include <kcontrol/cel/program.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1::cel {
namespace detail {
using map_entries = map_value::entries;

inline value optional_of(value v) { return optional_value{std::make_shared<const value>(std::move(v))}; }

inline std::uint64_t text_cost(std::size_t octets) { return (octets + 9) / 10; }

// What it costs to walk over a value, whose parts count only for `is_deep`.
inline std::uint64_t cost_of(const value& v, bool is_deep) {
    if (const auto* text = v.get<std::string>()) return text_cost(text->size());
    if (const auto* bytes = v.get<bytes_value>()) return text_cost(bytes->octets.size());
    const auto* map = v.get<map_value>();
    if (map != nullptr && !is_deep) return map->size();
    std::uint64_t sum = 0;
    if (const auto* list = v.get<list_value>()) {
        sum = list->size();
        for (std::size_t i = 0; is_deep && i < list->size(); ++i) {
            if (const auto item = list->at(i)) sum += cost_of(*item, true);
        }
    } else if (map != nullptr) {
        for (const auto& key : map->keys()) {
            const auto found = map->find(key);
            sum += 1 + cost_of(key, true) + (found && *found ? cost_of(**found, true) : 0);
        }
    }
    return sum;
}

// Whether a function looks into the items of its arguments.
inline bool walks_deeply(std::string_view name) {
    return name.starts_with("sets.") || name == "distinct" || name == "includes" || name == "indexOf" ||
           name == "lastIndexOf" || name == "format" || name == "flatten" || name == "join";
}

/// Walks an expression over variables, and counts what that costs.
class evaluator {
public:
    evaluator(text_checks& texts, program::variables scope, std::uint64_t limit)
        : texts_(texts), scope_(std::move(scope)), left_(limit) {}

    value_result evaluate(const expression_node& node) {
        using kind = expression_node::kind;
        if (!spend(node.what == kind::literal ? 0 : 1)) return too_costly();
        switch (node.what) {
        case kind::literal: return node.literal;
        case kind::list: return list_of(node);
        case kind::map: return map_of(node);
        case kind::optional_item: return evaluate(node.children[0]);
        case kind::name: return variable(node.text);
        case kind::member: return member_of(node);
        case kind::index: return indexed(node);
        case kind::call: return called(node);
        case kind::negation: return negated(node);
        case kind::minus: return minus(node);
        case kind::conditional: return chosen(node);
        case kind::binary: return binary(node);
        }
        return evaluation_error("no such node");
    }

private:
    static error too_costly() { return evaluation_error("actual cost limit exceeded"); }
    // Once it is false it stays so: nothing is evaluated any more.
    bool spend(std::uint64_t cost) {
        is_spent_ = is_spent_ || cost > left_;
        left_ -= is_spent_ ? 0 : cost;
        return !is_spent_;
    }

    // What has no overload, by the types that were given: "_<_(string, int)".
    static value_result named_overload(value_result out, std::string name, bool is_method,
                                       const function_arguments& given) {
        if (out || out.error().message() != no_overload().message()) return out;
        std::string types;
        for (std::size_t i = is_method ? 1 : 0; i < given.size(); ++i) {
            types += (types.empty() ? "" : ", ") + std::string(given[i].type_name());
        }
        if (is_method) name = std::string(given[0].type_name()) + "." + name;
        return evaluation_error("no such overload: " + name + "(" + types + ")");
    }

    value_result variable(const std::string& name) const {
        for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
            if (it->first == name) return it->second;
        }
        if (is_type_name(name)) return value(type_value{name});
        return evaluation_error("undeclared reference to '" + name + "'");
    }

    // What `?x` adds to a list or map. Nothing: it is left out.
    static result<std::optional<value>> unwrapped(const expression_node& node, value v) {
        if (node.what != expression_node::kind::optional_item) return std::optional(std::move(v));
        const auto* maybe = v.get<optional_value>();
        if (maybe == nullptr) return no_overload();
        return maybe->held ? std::optional(*maybe->held) : std::nullopt;
    }

    value_result list_of(const expression_node& node) {
        if (!spend(9)) return too_costly();
        std::vector<value> out;
        for (const auto& child : node.children) {
            auto item = evaluate(child);
            if (!item) return item;
            auto added = unwrapped(child, std::move(*item));
            if (!added) return added.error();
            if (!*added) continue;
            if (!spend(cost_of(**added, false))) return too_costly();
            out.push_back(std::move(**added));
        }
        return value(list_value(std::move(out)));
    }

    value_result map_of(const expression_node& node) {
        if (!spend(29)) return too_costly();
        map_entries out;
        for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
            auto key = evaluate(node.children[i]), v = evaluate(node.children[i + 1]);
            if (!key) return key;
            if (!v) return v;
            if (!spend(out.size() + cost_of(*key, false) + cost_of(*v, false))) return too_costly();
            auto added = unwrapped(node.children[i], std::move(*v));
            if (!added) return added.error();
            if (auto done = insert(out, std::move(*key), std::move(*added)); !done) return done.error();
        }
        return value(map_value(std::move(out)));
    }

    static result<void> insert(map_entries& to, value key, std::optional<value> v) {
        if (!v) return {};
        if (!key.get<std::string>() && !key.get<bool>() && !key.is_number()) {
            return evaluation_error("unsupported key type: " + std::string(key.type_name()));
        }
        for (auto& [has, value] : to) {
            const auto same = value::equal(has, key);
            if (!same || !*same) continue;
            value = std::move(*v);  // the last one counts
            return {};
        }
        to.emplace_back(std::move(key), std::move(*v));
        return {};
    }

    // The place in a map or list; nothing: it is not there, and `why` says so.
    static std::optional<value_result> at_place(const value& in, const value& index, std::string& why) {
        if (const auto* map = in.get<map_value>()) {
            auto found = map->find(index);
            const auto* name = index.get<std::string>();
            if (!found) why = "no such key: " + (name != nullptr ? *name : json::serialize(index.to_json()));
            return found;
        }
        const auto* list = in.get<list_value>();
        if (list == nullptr || !index.is_number()) return no_overload();
        const std::int64_t at = index_of(index);
        if (at >= 0 && at < static_cast<std::int64_t>(list->size())) return list->at(static_cast<std::size_t>(at));
        why = "index out of bounds: " + json::serialize(index.to_json());
        return std::nullopt;
    }

    // -1: no whole number.
    static std::int64_t index_of(const value& index) {
        if (const auto* whole = index.get<std::int64_t>()) return *whole;
        const auto whole = convert_value("int", {index});
        const auto same = whole && *whole ? value::equal(**whole, index) : result<bool>(false);
        return same && *same ? *(*whole)->get<std::int64_t>() : -1;
    }

    // `a.b`, `a[b]`, and both with `?`. Behind an optional everything is one.
    static value_result selected(const value& target, const value& index, bool optional) {
        const auto* maybe = target.get<optional_value>();
        if (maybe != nullptr && !maybe->held) return target;
        std::string why;
        auto found = at_place(maybe != nullptr ? *maybe->held : target, index, why);
        const bool lenient = optional || maybe != nullptr;
        if (!found)
            return lenient ? value_result(value(optional_value())) : value_result(evaluation_error(std::move(why)));
        if (!*found || !lenient) return std::move(*found);
        return optional_of(std::move(**found));
    }

    value_result member_of(const expression_node& node) {
        auto target = evaluate(node.children[0]);
        if (!target) return target;
        const auto* maybe = target->get<optional_value>();
        if (maybe == nullptr && target->get<map_value>() == nullptr) return no_overload();
        return selected(*target, value(node.text), node.is_optional);
    }

    value_result indexed(const expression_node& node) {
        auto target = evaluate(node.children[0]), index = evaluate(node.children[1]);
        if (!target) return target;
        if (!index) return index;
        return selected(*target, *index, node.is_optional);
    }

    value_result negated(const expression_node& node) {
        auto v = evaluate(node.children[0]);
        if (!v) return v;
        if (v->get<bool>() == nullptr) return no_overload();
        return value(!*v->get<bool>());
    }

    value_result minus(const expression_node& node) {
        auto v = evaluate(node.children[0]);
        if (!v) return v;
        if (const auto* fraction = v->get<double>()) return value(-*fraction);
        if (v->get<std::int64_t>() == nullptr) return no_overload();
        return compute('-', value(std::int64_t(0)), *v);  // the least number has no counterpart
    }

    value_result chosen(const expression_node& node) {
        auto condition = evaluate(node.children[0]);
        if (!condition) return condition;
        const auto* holds = condition->get<bool>();
        if (holds == nullptr) return no_overload();
        return evaluate(node.children[*holds ? 1 : 2]);
    }

    value_result binary(const expression_node& node) {
        if (node.text == "&&" || node.text == "||") return logical(node, node.text == "||");
        auto a = evaluate(node.children[0]);
        if (!a) return a;
        auto b = evaluate(node.children[1]);
        if (!b) return b;
        // What differs by its type alone is not walked over, and keys of a map are found by themselves.
        const bool is_equality = node.text == "==" || node.text == "!=";
        const bool is_deep =
            is_equality ? a->held().index() == b->held().index() : node.text == "in" && b->get<list_value>() != nullptr;
        const bool is_walked = !is_equality || is_deep;
        if (is_walked && !spend(cost_of(*a, is_deep) + cost_of(*b, is_deep))) return too_costly();
        return named_overload(computed(node.text, *a, *b), "_" + node.text + "_", false, {*a, *b});
    }

    static value_result computed(const std::string& sign, const value& a, const value& b) {
        if (sign == "==" || sign == "!=") {
            const auto same = value::equal(a, b);
            if (!same) return same.error();
            return value(*same == (sign == "=="));
        }
        if (sign == "in") return contained(a, b);
        if (sign.front() == '<' || sign.front() == '>') {
            const auto order = value::compare(a, b);
            if (!order) return no_overload();
            if (*order == std::partial_ordering::unordered) return evaluation_error("NaN values cannot be ordered");
            const bool with_equal = sign.size() == 2 && *order == 0;
            return value(with_equal || (sign.front() == '<' ? *order < 0 : *order > 0));
        }
        return compute(sign.front(), a, b);
    }

    // One side may decide alone, even if the other fails.
    value_result logical(const expression_node& node, bool decides) {
        const auto decided = [decides](const value_result& v) {
            return v && v->get<bool>() != nullptr && *v->get<bool>() == decides;
        };
        auto a = evaluate(node.children[0]);
        if (decided(a)) return a;
        auto b = evaluate(node.children[1]);
        if (decided(b)) return b;
        if (!a) return a;
        if (!b) return b;
        if (a->get<bool>() == nullptr || b->get<bool>() == nullptr) return no_overload();
        return value(!decides);
    }

    static value_result contained(const value& item, const value& in) {
        if (const auto* map = in.get<map_value>()) return value(map->contains(item));
        const auto* list = in.get<list_value>();
        if (list == nullptr) return no_overload();
        for (std::size_t i = 0; i < list->size(); ++i) {
            const auto one = list->at(i);
            if (!one) return one;
            const auto same = value::equal(*one, item);
            if (!same) return same.error();
            if (*same) return value(true);
        }
        return value(false);
    }

    value_result called(const expression_node& node) {
        if (!node.is_method && node.text == "has") return present(node.children[0]);
        if (node.text == "optMap" || node.text == "optFlatMap") return mapped_optional(node);
        if (node.text == "cel.bind") return bound(node);
        if (node.macro_variables() > 0) return macro(node);
        function_arguments arguments;
        for (const auto& child : node.children) {
            auto argument = evaluate(child);
            if (!argument) return argument;
            arguments.push_back(std::move(*argument));
            // The alternative of an optional that has a value is not looked at.
            const auto* maybe = arguments[0].get<optional_value>();
            if (!node.is_method || maybe == nullptr || !maybe->held || arguments.size() > 1) continue;
            if (node.text == "or") return std::move(arguments[0]);
            if (node.text == "orValue") return *maybe->held;
        }
        std::uint64_t cost = 0;
        for (const auto& one : arguments) cost += cost_of(one, walks_deeply(node.text));
        if (node.text == "replace" && arguments.size() > 2) {
            cost += cost * cost_of(arguments[2], false);  // the longest result
        } else if (const auto* count = arguments.empty() ? nullptr : arguments[0].get<std::int64_t>();
                   count != nullptr && node.text == "lists.range") {
            cost += static_cast<std::uint64_t>(std::max<std::int64_t>(*count, 0));
        }
        if (!spend(cost)) return too_costly();
        auto out = call_function(node.text, node.is_method, arguments, texts_);
        if (out && !spend(cost_of(*out, false))) return too_costly();
        return named_overload(std::move(out), node.text, node.is_method, arguments);
    }

    value_result bound(const expression_node& node) {
        auto held = evaluate(node.children[0]);
        if (!held) return held;
        scope_.emplace_back(node.children[1].text, std::move(*held));
        auto out = evaluate(node.children[2]);
        scope_.pop_back();
        return out;
    }

    value_result present(const expression_node& member) {
        auto target = evaluate(member.children[0]);
        if (!target) return target;
        if (const auto* maybe = target->get<optional_value>()) {
            if (!maybe->held) return value(false);
            target = value(*maybe->held);
        }
        const auto* map = target->get<map_value>();
        if (map == nullptr) return no_overload();
        return value(map->find(std::string_view(member.text)).has_value());
    }

    value_result mapped_optional(const expression_node& node) {
        auto target = evaluate(node.children[0]);
        if (!target) return target;
        const auto* maybe = target->get<optional_value>();
        if (maybe == nullptr) return no_overload();
        if (!maybe->held) return target;
        scope_.emplace_back(node.children[1].text, *maybe->held);
        auto v = evaluate(node.children[2]);
        scope_.pop_back();
        if (!v || node.text == "optFlatMap") return v;
        return optional_of(std::move(*v));
    }

    /// What a macro walks over: with one variable a list's items or a map's keys; with two, index and item or key and
    /// value.
    static result<map_entries> range_of(const value& of, bool pairs) {
        map_entries out;
        if (const auto* list = of.get<list_value>()) {
            for (std::size_t i = 0; i < list->size(); ++i) {
                auto item = list->at(i);
                if (!item) return item.error();
                out.emplace_back(pairs ? value(static_cast<std::int64_t>(i)) : *item, *item);
            }
            return out;
        }
        const auto* map = of.get<map_value>();
        if (map == nullptr) return no_overload();
        for (auto& key : map->keys()) {
            auto v = pairs ? *map->find(key) : value_result(key);
            if (!v) return v.error();
            out.emplace_back(std::move(key), std::move(*v));
        }
        return out;
    }

    value_result with_pair(const expression_node& node, const std::pair<value, value>& pair,
                           const expression_node& what) {
        scope_.emplace_back(node.children[1].text, pair.first);
        if (node.macro_variables() == 2) scope_.emplace_back(node.children[2].text, pair.second);
        auto v = evaluate(what);
        scope_.resize(scope_.size() - node.macro_variables());
        return v;
    }

    // list.all(x, predicate) and its like.
    value_result macro(const expression_node& node) {
        auto target = evaluate(node.children[0]);
        if (!target) return target;
        if (!spend(cost_of(*target, false))) return too_costly();
        const std::size_t variables = node.macro_variables();
        const auto range = range_of(*target, variables == 2);
        if (!range) return range.error();
        const expression_node& last = node.children.back();
        if (node.text == "all" || node.text == "exists") return quantified(node, *range, node.text == "exists");
        if (node.text.starts_with("exists")) return one_exists(node, *range);
        // map(x, filter, value), filter(x, condition), and the transforms, which may have a filter as well
        const bool filters = node.text == "filter" || node.children.size() == variables + 3;
        const expression_node& condition = node.children[variables + 1];
        std::vector<value> items, keys;
        map_entries entries;
        for (const auto& pair : *range) {
            if (filters) {
                auto holds = with_pair(node, pair, condition);
                if (!holds) return holds;
                if (holds->get<bool>() == nullptr) return no_overload();
                if (!*holds->get<bool>()) continue;
            }
            auto v = node.text == "filter" ? value_result(pair.second) : with_pair(node, pair, last);
            if (!v) return v;
            if (!spend(cost_of(*v, false))) return too_costly();
            if (node.text == "transformMap") {
                if (!spend(entries.size())) return too_costly();
                if (auto done = insert(entries, pair.first, std::move(*v)); !done) return done.error();
            } else if (node.text == "transformMapEntry") {
                if (!spend(entries.size())) return too_costly();
                if (auto done = insert_all(entries, *v); !done) return done.error();
            } else if (node.text == "sortBy") {
                items.push_back(pair.second);
                keys.push_back(std::move(*v));
            } else {
                items.push_back(std::move(*v));
            }
        }
        if (node.text == "sortBy") return sort_list(items, keys);
        if (node.text.starts_with("transformMap")) return value(map_value(std::move(entries)));
        return value(list_value(std::move(items)));
    }

    static result<void> insert_all(map_entries& to, const value& from) {
        const auto* map = from.get<map_value>();
        if (map == nullptr) return no_overload();
        for (auto& key : map->keys()) {
            auto v = *map->find(key);
            if (!v) return v.error();
            if (auto done = insert(to, std::move(key), std::move(*v)); !done) return done;
        }
        return {};
    }

    // An item that decides does so even if others fail.
    value_result quantified(const expression_node& node, const map_entries& range, bool decides) {
        std::optional<error> failed;
        for (const auto& pair : range) {
            const auto v = with_pair(node, pair, node.children.back());
            if (!v) {
                failed = v.error();
            } else if (v->get<bool>() == nullptr) {
                return no_overload();
            } else if (*v->get<bool>() == decides) {
                return v;
            }
        }
        if (failed) return *failed;
        return value(!decides);
    }

    value_result one_exists(const expression_node& node, const map_entries& range) {
        std::size_t count = 0;
        for (const auto& pair : range) {
            const auto v = with_pair(node, pair, node.children.back());
            if (!v) return v;
            if (v->get<bool>() == nullptr) return no_overload();
            count += *v->get<bool>() ? 1U : 0U;
        }
        return value(count == 1);
    }

    text_checks& texts_;
    program::variables scope_;
    std::uint64_t left_;
    bool is_spent_ = false;
};

inline bool uses_name(const expression_node& node, std::string_view name) {
    if (node.what == expression_node::kind::name && node.text == name) return true;
    return std::any_of(node.children.begin(), node.children.end(),
                       [name](const expression_node& child) { return uses_name(child, name); });
}

}  // namespace detail

KCONTROL_DECL result<value> program::evaluate(const variables& given, const evaluation_options& how) const {
    text_checks own;
    detail::evaluator walk(how.patterns() != nullptr ? *how.patterns() : own, given, how.cost_limit());
    return walk.evaluate(parsed_->root);
}

KCONTROL_DECL bool program::uses(std::string_view name) const { return detail::uses_name(parsed_->root, name); }

KCONTROL_DECL const std::string& program::text() const noexcept { return parsed_->text; }

}  // namespace kcontrol::cel
