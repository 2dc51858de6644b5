#pragma once

#include <kcontrol/documents/impl/json_pointer.hpp>
#include <kcontrol/documents/patch.hpp>

#include <algorithm>
#include <vector>

namespace kcontrol::inline v0_1::json {
namespace detail {

// A patched document can be read again.
inline error patch_too_deep() {
    return patch_error("the document would be nested deeper than " + std::to_string(max_document_depth) + " levels");
}

using patch_tokens = std::vector<std::string>;

// The value at the first `count` tokens.
inline result<value*> patch_find(value& root, const patch_tokens& tokens, std::size_t count) {
    value* at = &root;
    for (std::size_t i = 0; i < count; ++i) {
        if (auto* members = at->if_object()) {
            at = members->if_contains(tokens[i]);
            if (!at) return patch_error("there is no member " + in_quotes(tokens[i]));
        } else if (auto* list = at->if_array()) {
            const auto index = patch_parse_index(tokens[i], list->size());
            if (!index) return index.error();
            at = &(*list)[*index];
        } else {
            return patch_error("the parent of " + in_quotes(tokens[i]) + " is neither object nor array");
        }
    }
    return at;
}

// How many values there are in `v`, and how many levels of containers.
struct patch_extent {
    std::size_t values = 1;
    std::size_t depth = 0;
};

inline patch_extent patch_measure(const value& v) noexcept {
    patch_extent out;
    const auto include = [&](const value& child) {
        const patch_extent inner = patch_measure(child);
        out.values += inner.values;
        out.depth = std::max(out.depth, inner.depth + 1);
    };
    if (const auto* members = v.if_object()) {
        out.depth = 1;
        for (const auto& [name, member_value] : *members) include(member_value);
    } else if (const auto* list = v.if_array()) {
        out.depth = 1;
        for (const auto& element : *list) include(element);
    }
    return out;
}

inline result<void> patch_add(value& root, const patch_tokens& tokens, value v) {
    if (tokens.size() + patch_measure(v).depth > max_document_depth) return patch_too_deep();
    if (tokens.empty()) {
        root = std::move(v);
        return {};
    }
    const auto parent = patch_find(root, tokens, tokens.size() - 1);
    if (!parent) return parent.error();
    const std::string& last = tokens.back();
    if (auto* members = (*parent)->if_object()) {
        members->insert_or_assign(last, std::move(v));
        return {};
    }
    auto* list = (*parent)->if_array();
    if (!list) return patch_error("the parent of " + in_quotes(last) + " is neither object nor array");
    if (last == "-") {
        list->push_back(std::move(v));
        return {};
    }
    const auto index = patch_parse_index(last, list->size() + 1);
    if (!index) return index.error();
    list->insert(list->begin() + static_cast<std::ptrdiff_t>(*index), std::move(v));
    return {};
}

// Takes a value out of the document.
inline result<value> patch_take(value& root, const patch_tokens& tokens) {
    if (tokens.empty()) return patch_error("the whole document can't be removed");
    const auto parent = patch_find(root, tokens, tokens.size() - 1);
    if (!parent) return parent.error();
    const auto found = patch_find(root, tokens, tokens.size());
    if (!found) return found.error();
    value taken = std::move(**found);
    if (auto* members = (*parent)->if_object()) {
        members->stable_erase(tokens.back());
    } else {
        auto& list = (*parent)->get_array();
        list.erase(list.begin() + (*found - list.data()));
    }
    return taken;
}

// Applies operations one after the other; leaves the target half patched on an error.
class patch_applier {
public:
    explicit patch_applier(value& target) : target_(target) {}

    result<void> apply(const value& operation) {
        const auto* members = operation.if_object();
        if (!members) return patch_error("an operation must be an object");
        const auto path = pointer(*members, "path");
        if (!path) return path.error();
        const std::string_view op = text(*members, "op");
        if (op == "remove") {
            const auto taken = patch_take(target_, *path);
            return taken ? result<void>() : taken.error();
        }
        if (op == "move" || op == "copy") {
            const auto from = pointer(*members, "from");
            if (!from) return from.error();
            return op == "move" ? move(*from, *path) : copy(*from, *path);
        }
        if (op != "add" && op != "replace" && op != "test") {
            return patch_error(op.empty() ? std::string("\"op\" is missing") : "unknown \"op\" " + in_quotes(op));
        }
        const value* operand = members->if_contains("value");
        if (!operand) return patch_error("\"value\" is missing");
        if (op == "add") return patch_add(target_, *path, *operand);
        const auto found = patch_find(target_, *path, path->size());
        if (!found && op == "test" && operand->is_null() && lacks_member(*path)) return {};
        if (!found) return found.error();
        if (op == "test") {
            return equal(**found, *operand) ? result<void>()
                                            : patch_error("the test failed: the value there is another one");
        }
        if (path->size() + patch_measure(*operand).depth > max_document_depth) return patch_too_deep();
        **found = *operand;
        return {};
    }

private:
    static std::string_view text(const object& members, std::string_view name) {
        const value* found = members.if_contains(name);
        const auto* string = found ? found->if_string() : nullptr;
        return string ? std::string_view(*string) : std::string_view();
    }

    static result<patch_tokens> pointer(const object& members, std::string_view name) {
        const value* found = members.if_contains(name);
        if (!found || !found->is_string()) return patch_error("\"" + std::string(name) + "\" is missing or no string");
        return patch_parse_pointer(std::string_view(found->get_string()));
    }

    // Whether the path ends in a member that an object does not have.
    bool lacks_member(const patch_tokens& path) {
        const auto parent = patch_find(target_, path, path.size() - 1);
        return parent && (*parent)->is_object();
    }

    result<void> move(const patch_tokens& from, const patch_tokens& path) {
        if (from == path) {
            const auto found = patch_find(target_, from, from.size());
            return found ? result<void>() : found.error();
        }
        if (from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin())) {
            return patch_error("a value can't be moved into itself");
        }
        auto taken = patch_take(target_, from);
        if (!taken) return taken.error();
        return patch_add(target_, path, std::move(*taken));
    }

    result<void> copy(const patch_tokens& from, const patch_tokens& path) {
        constexpr std::size_t limit = 1'000'000;
        const auto found = patch_find(target_, from, from.size());
        if (!found) return found.error();
        copied_ += patch_measure(**found).values;
        if (copied_ > limit) return patch_error("the patch copies too much: more than 1,000,000 values");
        return patch_add(target_, path, value(**found));
    }

    value& target_;
    std::size_t copied_ = 0;
};

}  // namespace detail

KCONTROL_DECL result<void> apply_patch(value& target, const value& patch) {
    constexpr std::size_t max_operations = 10'000;  // as kube-apiserver
    const auto* operations = patch.if_array();
    if (!operations) return detail::patch_error("a JSON Patch must be an array of operations");
    if (operations->size() > max_operations) {
        return detail::patch_error("JSON Patch with more than 10,000 operations; split it");
    }
    value copy = target;
    detail::patch_applier applier(copy);
    for (std::size_t i = 0; i < operations->size(); ++i) {
        const value& operation = (*operations)[i];
        const auto applied = applier.apply(operation);
        if (applied) continue;
        const std::string_view op = get_string(operation, {"op"});
        const std::string_view path = get_string(operation, {"path"});
        return applied.error().with_context("JSON Patch, operation " + std::to_string(i) + " (" +
                                            escape_control(op.substr(0, 20)) + " " + in_quotes(path) + ")");
    }
    target = std::move(copy);
    return {};
}

}  // namespace kcontrol::json
