#include "testserver/cel.hpp"
#include "testserver/cel_functions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

/// Walks an expression over variables.
class cel_evaluator {
public:
    explicit cel_evaluator(text_checks& texts) : texts_(texts) {}

    void bind(std::string name, const json::value& value) { scope_.emplace_back(std::move(name), value); }

    cel_result evaluate(const cel_node& node) {
        switch (node.what) {
        case cel_node::kind::literal: return node.literal;
        case cel_node::kind::list: return list_of(node);
        case cel_node::kind::name: return variable(node.text);
        case cel_node::kind::member: return member_of(node);
        case cel_node::kind::index: return indexed(node);
        case cel_node::kind::call: return called(node);
        case cel_node::kind::negation: return negated(node);
        case cel_node::kind::minus: return minus(node);
        case cel_node::kind::conditional: return chosen(node);
        case cel_node::kind::binary: return binary(node);
        }
        return cel_error("no such node");
    }

private:
    cel_result variable(const std::string& name) const {
        for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
            if (it->first == name) return it->second;
        }
        return cel_error("undeclared reference to '" + name + "'");
    }

    cel_result list_of(const cel_node& node) {
        json::array out;
        for (const auto& child : node.children) {
            auto item = evaluate(child);
            if (!item) return item;
            out.push_back(std::move(*item));
        }
        return json::value(std::move(out));
    }

    cel_result member_of(const cel_node& node) {
        auto target = evaluate(node.children[0]);
        if (!target) return target;
        if (!target->is_object()) return cel_no_overload();
        const json::value* found = target->get_object().if_contains(node.text);
        if (found == nullptr) return cel_error("no such key: " + node.text);
        return json::value(*found);
    }

    cel_result indexed(const cel_node& node) {
        auto target = evaluate(node.children[0]);
        auto index = evaluate(node.children[1]);
        if (!target) return target;
        if (!index) return index;
        if (target->is_object() && index->is_string()) {
            const json::value* found = target->get_object().if_contains(index->get_string());
            if (found == nullptr) return cel_error("no such key: " + std::string(index->get_string()));
            return json::value(*found);
        }
        if (!target->is_array() || !index->is_int64()) return cel_no_overload();
        const auto& all = target->get_array();
        const std::int64_t at = index->get_int64();
        if (at < 0 || at >= static_cast<std::int64_t>(all.size())) {
            return cel_error("index out of bounds: " + std::to_string(at));
        }
        return json::value(all[static_cast<std::size_t>(at)]);
    }

    cel_result negated(const cel_node& node) {
        auto v = evaluate(node.children[0]);
        if (!v) return v;
        if (!v->is_bool()) return cel_no_overload();
        return json::value(!v->get_bool());
    }

    cel_result minus(const cel_node& node) {
        auto v = evaluate(node.children[0]);
        if (!v) return v;
        if (v->is_double()) return json::value(-v->get_double());
        return compute_cel('-', json::value(std::int64_t(0)), *v);  // the least number has no counterpart
    }

    cel_result chosen(const cel_node& node) {
        auto condition = evaluate(node.children[0]);
        if (!condition) return condition;
        if (!condition->is_bool()) return cel_no_overload();
        return evaluate(node.children[condition->get_bool() ? 1 : 2]);
    }

    cel_result binary(const cel_node& node) {
        if (node.text == "&&" || node.text == "||") return logical(node, node.text == "||");
        auto a = evaluate(node.children[0]);
        if (!a) return a;
        auto b = evaluate(node.children[1]);
        if (!b) return b;
        if (node.text == "==") return json::value(json::equal(*a, *b));
        if (node.text == "!=") return json::value(!json::equal(*a, *b));
        if (node.text == "in") return contained(*a, *b);
        if (node.text.front() == '<' || node.text.front() == '>') {
            const auto order = compare_cel(*a, *b);
            if (!order) return cel_no_overload();
            const bool with_equal = node.text.size() == 2 && *order == 0;
            return json::value(with_equal || (node.text.front() == '<' ? *order < 0 : *order > 0));
        }
        return compute_cel(node.text.front(), *a, *b);
    }

    // One side may decide alone, even if the other fails.
    cel_result logical(const cel_node& node, bool decides) {
        auto a = evaluate(node.children[0]);
        if (a && a->is_bool() && a->get_bool() == decides) return a;
        auto b = evaluate(node.children[1]);
        if (b && b->is_bool() && b->get_bool() == decides) return b;
        if (!a) return a;
        if (!b) return b;
        if (!a->is_bool() || !b->is_bool()) return cel_no_overload();
        return json::value(!decides);
    }

    static cel_result contained(const json::value& item, const json::value& in) {
        if (in.is_object()) {
            return json::value(item.is_string() && in.get_object().contains(item.get_string()));
        }
        if (!in.is_array()) return cel_no_overload();
        const auto& all = in.get_array();
        return json::value(
            std::any_of(all.begin(), all.end(), [&](const json::value& one) { return json::equal(one, item); }));
    }

    cel_result called(const cel_node& node) {
        if (node.text == "has") return present(node);
        static constexpr std::string_view macros[] = {"all", "exists", "exists_one", "filter", "map"};
        if (node.is_method && std::find(std::begin(macros), std::end(macros), node.text) != std::end(macros)) {
            return macro(node);
        }
        std::vector<json::value> arguments;
        for (const auto& child : node.children) {
            auto argument = evaluate(child);
            if (!argument) return argument;
            arguments.push_back(std::move(*argument));
        }
        if (arguments.empty()) return cel_no_overload();
        if (node.text == "size") {
            const json::value& of = arguments[0];
            if (!of.is_string() && !of.is_array() && !of.is_object()) return cel_no_overload();
            return json::value(cel_size(of));
        }
        if (!node.is_method) return convert_cel(node.text, arguments[0]);
        if (arguments[0].is_array()) return call_cel_of_list(node.text, arguments);
        if (arguments[0].is_string()) return call_cel_of_text(node.text, arguments, texts_);
        return cel_no_overload();
    }

    cel_result present(const cel_node& node) {
        if (node.children.size() != 1 || node.children[0].what != cel_node::kind::member) {
            return cel_error("invalid argument to has() macro");
        }
        auto target = evaluate(node.children[0].children[0]);
        if (!target) return target;
        if (!target->is_object()) return cel_no_overload();
        return json::value(target->get_object().contains(node.children[0].text));
    }

    // list.all(x, predicate) and its like; of an object the members' names.
    cel_result macro(const cel_node& node) {
        if (node.children.size() != 3 || node.children[1].what != cel_node::kind::name) {
            return cel_error("invalid argument to " + node.text + "() macro");
        }
        auto range = evaluate(node.children[0]);
        if (!range) return range;
        json::array items;
        if (range->is_object()) {
            for (const auto& member : range->get_object()) items.push_back(json::value(member.key()));
        } else if (range->is_array()) {
            items = range->get_array();
        } else {
            return cel_no_overload();
        }
        json::array kept;
        std::size_t true_ones = 0;
        std::optional<error> failed;
        for (const auto& item : items) {
            scope_.emplace_back(node.children[1].text, item);
            auto v = evaluate(node.children[2]);
            scope_.pop_back();
            if (!v) {
                if (node.text != "all" && node.text != "exists") return v;
                failed = v.error();
                continue;
            }
            if (node.text == "map") {
                kept.push_back(std::move(*v));
                continue;
            }
            if (!v->is_bool()) return cel_no_overload();
            if (node.text == "all" && !v->get_bool()) return json::value(false);
            if (!v->get_bool()) continue;
            if (node.text == "exists") return json::value(true);
            ++true_ones;
            kept.push_back(item);
        }
        if (failed) return *failed;
        if (node.text == "all") return json::value(true);
        if (node.text == "exists") return json::value(false);
        if (node.text == "exists_one") return json::value(true_ones == 1);
        return json::value(std::move(kept));
    }

    text_checks& texts_;
    std::vector<std::pair<std::string, json::value>> scope_;
};

std::string find_undeclared_name(const cel_node& node, std::vector<std::string_view>& known) {
    if (node.what == cel_node::kind::name) {
        const bool declared = std::find(known.begin(), known.end(), node.text) != known.end();
        return declared ? std::string() : node.text;
    }
    static constexpr std::string_view macros[] = {"all", "exists", "exists_one", "filter", "map"};
    const bool is_macro = node.what == cel_node::kind::call && node.is_method && node.children.size() == 3 &&
                          std::find(std::begin(macros), std::end(macros), node.text) != std::end(macros);
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        if (is_macro && i == 1) continue;
        if (is_macro && i == 2) known.push_back(node.children[1].text);
        std::string found = find_undeclared_name(node.children[i], known);
        if (is_macro && i == 2) known.pop_back();
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace
}  // namespace detail

result<json::value> cel_expression::evaluate(const variables& given, text_checks& texts) const {
    detail::cel_evaluator evaluator(texts);
    for (const auto& [name, value] : given) evaluator.bind(name, value);
    return evaluator.evaluate(root_);
}

std::string cel_expression::undeclared_name(const std::vector<std::string_view>& known) const {
    std::vector<std::string_view> scope = known;
    return detail::find_undeclared_name(root_, scope);
}

result<json::value> cel_expression::evaluate(const json::value& self, const json::value* old_self,
                                             text_checks& texts) const {
    detail::cel_evaluator evaluator(texts);
    evaluator.bind("self", self);
    if (old_self != nullptr) evaluator.bind("oldSelf", *old_self);
    return evaluator.evaluate(root_);
}

}  // namespace kcontrol::testing
