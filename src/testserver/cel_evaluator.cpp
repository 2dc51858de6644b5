#include "testserver/cel.hpp"
#include "testserver/cel_functions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

using cel_entries = cel_map::entries;

cel_value optional_of(cel_value v) { return cel_optional{std::make_shared<const cel_value>(std::move(v))}; }

/// Walks an expression over variables.
class cel_evaluator {
public:
    cel_evaluator(text_checks& texts, cel_expression::bindings scope) : texts_(texts), scope_(std::move(scope)) {}

    cel_result evaluate(const cel_node& node) {
        using kind = cel_node::kind;
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
        return cel_error("no such node");
    }

private:
    cel_result variable(const std::string& name) const {
        for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
            if (it->first == name) return it->second;
        }
        if (is_cel_type(name)) return cel_value(cel_type{name});
        return cel_error("undeclared reference to '" + name + "'");
    }

    // What `?x` adds to a list or map. Nothing: it is left out.
    static result<std::optional<cel_value>> unwrapped(const cel_node& node, cel_value v) {
        if (node.what != cel_node::kind::optional_item) return std::optional(std::move(v));
        const auto* maybe = v.get<cel_optional>();
        if (maybe == nullptr) return cel_no_overload();
        return maybe->value ? std::optional(*maybe->value) : std::nullopt;
    }

    cel_result list_of(const cel_node& node) {
        std::vector<cel_value> out;
        for (const auto& child : node.children) {
            auto item = evaluate(child);
            if (!item) return item;
            auto added = unwrapped(child, std::move(*item));
            if (!added) return added.error();
            if (*added) out.push_back(std::move(**added));
        }
        return cel_value(cel_list(std::move(out)));
    }

    cel_result map_of(const cel_node& node) {
        cel_entries out;
        for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
            auto key = evaluate(node.children[i]), v = evaluate(node.children[i + 1]);
            if (!key) return key;
            if (!v) return v;
            auto added = unwrapped(node.children[i], std::move(*v));
            if (!added) return added.error();
            if (auto done = insert(out, std::move(*key), std::move(*added)); !done) return done.error();
        }
        return cel_value(cel_map(std::move(out)));
    }

    static result<void> insert(cel_entries& to, cel_value key, std::optional<cel_value> v) {
        if (!v) return {};
        if (!key.get<std::string>() && !key.get<bool>() && !key.is_number()) {
            return cel_error("unsupported key type: " + std::string(key.type_name()));
        }
        for (auto& [has, value] : to) {
            const auto same = cel_value::equal(has, key);
            if (!same || !*same) continue;
            value = std::move(*v);  // the last one counts
            return {};
        }
        to.emplace_back(std::move(key), std::move(*v));
        return {};
    }

    // The place in a map or list; nothing: it is not there, and `why` says so.
    static std::optional<cel_result> at_place(const cel_value& in, const cel_value& index, std::string& why) {
        if (const auto* map = in.get<cel_map>()) {
            auto found = map->find(index);
            const auto* name = index.get<std::string>();
            if (!found) why = "no such key: " + (name != nullptr ? *name : json::serialize(index.to_json()));
            return found;
        }
        const auto* list = in.get<cel_list>();
        if (list == nullptr || !index.is_number()) return cel_no_overload();
        const std::int64_t at = index_of(index);
        if (at >= 0 && at < static_cast<std::int64_t>(list->size())) return list->at(static_cast<std::size_t>(at));
        why = "index out of bounds: " + json::serialize(index.to_json());
        return std::nullopt;
    }

    // -1: no whole number.
    static std::int64_t index_of(const cel_value& index) {
        if (const auto* whole = index.get<std::int64_t>()) return *whole;
        const auto whole = convert_cel("int", {index});
        const auto same = whole && *whole ? cel_value::equal(**whole, index) : result<bool>(false);
        return same && *same ? *(*whole)->get<std::int64_t>() : -1;
    }

    // `a.b`, `a[b]`, and both with `?`. Behind an optional everything is one.
    static cel_result selected(const cel_value& target, const cel_value& index, bool optional) {
        const auto* maybe = target.get<cel_optional>();
        if (maybe != nullptr && !maybe->value) return target;
        std::string why;
        auto found = at_place(maybe != nullptr ? *maybe->value : target, index, why);
        const bool lenient = optional || maybe != nullptr;
        if (!found) return lenient ? cel_result(cel_value(cel_optional())) : cel_result(cel_error(std::move(why)));
        if (!*found || !lenient) return std::move(*found);
        return optional_of(std::move(**found));
    }

    cel_result member_of(const cel_node& node) {
        auto target = evaluate(node.children[0]);
        if (!target) return target;
        const auto* maybe = target->get<cel_optional>();
        if (maybe == nullptr && target->get<cel_map>() == nullptr) return cel_no_overload();
        return selected(*target, cel_value(node.text), node.is_optional);
    }

    cel_result indexed(const cel_node& node) {
        auto target = evaluate(node.children[0]), index = evaluate(node.children[1]);
        if (!target) return target;
        if (!index) return index;
        return selected(*target, *index, node.is_optional);
    }

    cel_result negated(const cel_node& node) {
        auto v = evaluate(node.children[0]);
        if (!v) return v;
        if (v->get<bool>() == nullptr) return cel_no_overload();
        return cel_value(!*v->get<bool>());
    }

    cel_result minus(const cel_node& node) {
        auto v = evaluate(node.children[0]);
        if (!v) return v;
        if (const auto* fraction = v->get<double>()) return cel_value(-*fraction);
        if (v->get<std::int64_t>() == nullptr) return cel_no_overload();
        return compute_cel('-', cel_value(std::int64_t(0)), *v);  // the least number has no counterpart
    }

    cel_result chosen(const cel_node& node) {
        auto condition = evaluate(node.children[0]);
        if (!condition) return condition;
        const auto* holds = condition->get<bool>();
        if (holds == nullptr) return cel_no_overload();
        return evaluate(node.children[*holds ? 1 : 2]);
    }

    cel_result binary(const cel_node& node) {
        if (node.text == "&&" || node.text == "||") return logical(node, node.text == "||");
        auto a = evaluate(node.children[0]);
        if (!a) return a;
        auto b = evaluate(node.children[1]);
        if (!b) return b;
        if (node.text == "==" || node.text == "!=") {
            const auto same = cel_value::equal(*a, *b);
            if (!same) return same.error();
            return cel_value(*same == (node.text == "=="));
        }
        if (node.text == "in") return contained(*a, *b);
        if (node.text.front() == '<' || node.text.front() == '>') {
            const auto order = cel_value::compare(*a, *b);
            if (!order) return cel_no_overload();
            if (*order == std::partial_ordering::unordered) return cel_error("NaN values cannot be ordered");
            const bool with_equal = node.text.size() == 2 && *order == 0;
            return cel_value(with_equal || (node.text.front() == '<' ? *order < 0 : *order > 0));
        }
        return compute_cel(node.text.front(), *a, *b);
    }

    // One side may decide alone, even if the other fails.
    cel_result logical(const cel_node& node, bool decides) {
        const auto decided = [decides](const cel_result& v) {
            return v && v->get<bool>() != nullptr && *v->get<bool>() == decides;
        };
        auto a = evaluate(node.children[0]);
        if (decided(a)) return a;
        auto b = evaluate(node.children[1]);
        if (decided(b)) return b;
        if (!a) return a;
        if (!b) return b;
        if (a->get<bool>() == nullptr || b->get<bool>() == nullptr) return cel_no_overload();
        return cel_value(!decides);
    }

    static cel_result contained(const cel_value& item, const cel_value& in) {
        if (const auto* map = in.get<cel_map>()) return cel_value(map->find(item).has_value());
        const auto* list = in.get<cel_list>();
        if (list == nullptr) return cel_no_overload();
        for (std::size_t i = 0; i < list->size(); ++i) {
            const auto one = list->at(i);
            if (!one) return one;
            const auto same = cel_value::equal(*one, item);
            if (!same) return same.error();
            if (*same) return cel_value(true);
        }
        return cel_value(false);
    }

    cel_result called(const cel_node& node) {
        if (!node.is_method && node.text == "has") return present(node.children[0]);
        if (node.text == "optMap" || node.text == "optFlatMap") return mapped_optional(node);
        if (node.macro_variables() > 0) return macro(node);
        cel_arguments arguments;
        for (const auto& child : node.children) {
            auto argument = evaluate(child);
            if (!argument) return argument;
            arguments.push_back(std::move(*argument));
            // The alternative of an optional that has a value is not looked at.
            const auto* maybe = arguments[0].get<cel_optional>();
            if (!node.is_method || maybe == nullptr || !maybe->value || arguments.size() > 1) continue;
            if (node.text == "or") return std::move(arguments[0]);
            if (node.text == "orValue") return *maybe->value;
        }
        return call_cel(node.text, node.is_method, arguments, texts_);
    }

    cel_result present(const cel_node& member) {
        auto target = evaluate(member.children[0]);
        if (!target) return target;
        if (const auto* maybe = target->get<cel_optional>()) {
            if (!maybe->value) return cel_value(false);
            target = cel_value(*maybe->value);
        }
        const auto* map = target->get<cel_map>();
        if (map == nullptr) return cel_no_overload();
        return cel_value(map->find(std::string_view(member.text)).has_value());
    }

    cel_result mapped_optional(const cel_node& node) {
        auto target = evaluate(node.children[0]);
        if (!target) return target;
        const auto* maybe = target->get<cel_optional>();
        if (maybe == nullptr) return cel_no_overload();
        if (!maybe->value) return target;
        scope_.emplace_back(node.children[1].text, *maybe->value);
        auto v = evaluate(node.children[2]);
        scope_.pop_back();
        if (!v || node.text == "optFlatMap") return v;
        return optional_of(std::move(*v));
    }

    /// What a macro walks over: with one variable a list's items or a map's keys; with two, index and item or key and
    /// value.
    static result<cel_entries> range_of(const cel_value& of, bool pairs) {
        cel_entries out;
        if (const auto* list = of.get<cel_list>()) {
            for (std::size_t i = 0; i < list->size(); ++i) {
                auto item = list->at(i);
                if (!item) return item.error();
                out.emplace_back(pairs ? cel_value(static_cast<std::int64_t>(i)) : *item, *item);
            }
            return out;
        }
        const auto* map = of.get<cel_map>();
        if (map == nullptr) return cel_no_overload();
        for (auto& key : map->keys()) {
            auto v = pairs ? *map->find(key) : cel_result(key);
            if (!v) return v.error();
            out.emplace_back(std::move(key), std::move(*v));
        }
        return out;
    }

    cel_result with_pair(const cel_node& node, const std::pair<cel_value, cel_value>& pair, const cel_node& what) {
        scope_.emplace_back(node.children[1].text, pair.first);
        if (node.macro_variables() == 2) scope_.emplace_back(node.children[2].text, pair.second);
        auto v = evaluate(what);
        scope_.resize(scope_.size() - node.macro_variables());
        return v;
    }

    // list.all(x, predicate) and its like.
    cel_result macro(const cel_node& node) {
        auto target = evaluate(node.children[0]);
        if (!target) return target;
        const std::size_t variables = node.macro_variables();
        const auto range = range_of(*target, variables == 2);
        if (!range) return range.error();
        const cel_node& last = node.children.back();
        if (node.text == "all" || node.text == "exists") return quantified(node, *range, node.text == "exists");
        if (node.text.starts_with("exists")) return one_exists(node, *range);
        // map(x, filter, value), filter(x, condition), and the transforms, which may have a filter as well
        const bool filters = node.text == "filter" || node.children.size() == variables + 3;
        const cel_node& condition = node.children[variables + 1];
        std::vector<cel_value> items, keys;
        cel_entries entries;
        for (const auto& pair : *range) {
            if (filters) {
                auto holds = with_pair(node, pair, condition);
                if (!holds) return holds;
                if (holds->get<bool>() == nullptr) return cel_no_overload();
                if (!*holds->get<bool>()) continue;
            }
            auto v = node.text == "filter" ? cel_result(pair.second) : with_pair(node, pair, last);
            if (!v) return v;
            if (node.text == "transformMap") {
                if (auto done = insert(entries, pair.first, std::move(*v)); !done) return done.error();
            } else if (node.text == "transformMapEntry") {
                if (auto done = insert_all(entries, *v); !done) return done.error();
            } else if (node.text == "sortBy") {
                items.push_back(pair.second);
                keys.push_back(std::move(*v));
            } else {
                items.push_back(std::move(*v));
            }
        }
        if (node.text == "sortBy") return sort_cel_list(items, keys);
        if (node.text.starts_with("transformMap")) return cel_value(cel_map(std::move(entries)));
        return cel_value(cel_list(std::move(items)));
    }

    static result<void> insert_all(cel_entries& to, const cel_value& from) {
        const auto* map = from.get<cel_map>();
        if (map == nullptr) return cel_no_overload();
        for (auto& key : map->keys()) {
            auto v = *map->find(key);
            if (!v) return v.error();
            if (auto done = insert(to, std::move(key), std::move(*v)); !done) return done;
        }
        return {};
    }

    // An item that decides does so even if others fail.
    cel_result quantified(const cel_node& node, const cel_entries& range, bool decides) {
        std::optional<error> failed;
        for (const auto& pair : range) {
            const auto v = with_pair(node, pair, node.children.back());
            if (!v) {
                failed = v.error();
            } else if (v->get<bool>() == nullptr) {
                return cel_no_overload();
            } else if (*v->get<bool>() == decides) {
                return v;
            }
        }
        if (failed) return *failed;
        return cel_value(!decides);
    }

    cel_result one_exists(const cel_node& node, const cel_entries& range) {
        std::size_t count = 0;
        for (const auto& pair : range) {
            const auto v = with_pair(node, pair, node.children.back());
            if (!v) return v;
            if (v->get<bool>() == nullptr) return cel_no_overload();
            count += *v->get<bool>() ? 1U : 0U;
        }
        return cel_value(count == 1);
    }

    text_checks& texts_;
    cel_expression::bindings scope_;
};

std::string find_undeclared_name(const cel_node& node, std::vector<std::string_view>& known) {
    if (node.what == cel_node::kind::name) {
        const bool declared = std::find(known.begin(), known.end(), node.text) != known.end() || is_cel_type(node.text);
        return declared ? std::string() : node.text;
    }
    const std::size_t variables = node.macro_variables();
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        if (i >= 1 && i <= variables) {
            known.push_back(node.children[i].text);
            continue;
        }
        std::string found = find_undeclared_name(node.children[i], known);
        if (!found.empty()) return found;
    }
    known.resize(known.size() - variables);
    return {};
}

}  // namespace
}  // namespace detail

cel_result cel_expression::evaluate(bindings given, text_checks& texts) const {
    return detail::cel_evaluator(texts, std::move(given)).evaluate(root_);
}

result<json::value> cel_expression::evaluate(const variables& given, text_checks& texts) const {
    bindings scope;
    for (const auto& [name, v] : given) {
        auto read = cel_value::of(v, {});
        if (!read) return read.error();
        scope.emplace_back(name, std::move(*read));
    }
    const auto out = evaluate(std::move(scope), texts);
    if (!out) return out.error();
    return out->to_json();
}

result<json::value> cel_expression::evaluate(const json::value& self, const json::value* old_self,
                                             text_checks& texts) const {
    variables given{{"self", self}};
    if (old_self != nullptr) given.emplace_back("oldSelf", *old_self);
    return evaluate(given, texts);
}

std::string cel_expression::undeclared_name(const std::vector<std::string_view>& known) const {
    std::vector<std::string_view> scope = known;
    return detail::find_undeclared_name(root_, scope);
}

}  // namespace kcontrol::testing
