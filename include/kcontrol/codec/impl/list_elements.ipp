#pragma once

#include <kcontrol/codec/impl/builtin_lists.hpp>
#include <kcontrol/codec/impl/field_lookup.hpp>
#include <kcontrol/codec/list_elements.hpp>
#include <kcontrol/model/metadata_fields.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline const type_descriptor& without_optionals(const type_descriptor& type) {
    const type_descriptor* at = &type;
    while (at->kind == type_kind::optional) at = at->element;
    return *at;
}

inline const field_descriptor* find_declared(const type_descriptor& type, std::string_view name) {
    std::size_t hint = 0;
    return type.kind == type_kind::structure ? find_field(type, name, hint) : nullptr;
}

/// JSON of the default of a member; empty: it has none.
inline std::string default_of_key(const type_descriptor& element, std::string_view name) {
    const auto* field = find_declared(element, name);
    if (field == nullptr || field->rules == nullptr) return {};
    const field_rules& rules = *field->rules;
    if (rules.default_is != default_kind::string) return std::string(rules.default_text);
    return json::serialize(json::value(rules.default_text));
}

/// Compares a type with what Kubernetes has at the same places.
class coverage {
public:
    bool complete(const type_descriptor& type, std::string_view form) {
        switch (type.kind) {
        case type_kind::optional: return complete(*type.element, form);
        case type_kind::list:
        case type_kind::map: return complete(*type.element, form.substr(std::min<std::size_t>(2, form.size())));
        case type_kind::structure: return complete_structure(type, form);
        case type_kind::custom: return false;  // it writes whatever it likes
        default: return true;
        }
    }

private:
    bool complete_structure(const type_descriptor& type, std::string_view form) {
        if (&type == &describe<object_meta>()) return true;  // what it does not have, only the server writes
        const builtin_type* shape = builtin_lists::get().type_of(form);
        if (shape == nullptr || shape->member_count != type.field_count) return false;
        const std::pair<const void*, const void*> both(&type, shape);
        if (std::find(visited_.begin(), visited_.end(), both) != visited_.end()) return true;
        visited_.push_back(both);
        for (std::size_t i = 0; i < type.field_count; ++i) {
            const auto* there = shape->find(type.fields[i].name);
            if (!complete(*type.fields[i].type, there != nullptr ? there->form : std::string_view())) return false;
        }
        return true;
    }

    std::vector<std::pair<const void*, const void*>> visited_;
};

}  // namespace detail

KCONTROL_DECL place_in_kind::place_in_kind(const resource_info& info) : place_in_kind(info.gvk) {
    type_ = info.type;
    knows_ = type_ != nullptr ? knowledge::by_type : knowledge::everything;
}

KCONTROL_DECL place_in_kind::place_in_kind(const group_version_kind& gvk)
    : root_(true), shape_(detail::builtin_lists::get().find(gvk)) {}

KCONTROL_DECL place_in_kind place_in_kind::member(std::string_view name) const {
    place_in_kind out;
    out.knows_ = knows_;
    if (knows_ == knowledge::by_type) {
        const type_descriptor& type = detail::without_optionals(*type_);
        if (type.kind == type_kind::map) {
            out.type_ = type.element;
            out.rules_ = rules_ != nullptr ? rules_->elements() : nullptr;
        } else if (const auto* field = detail::find_declared(type, name)) {
            out.type_ = field->type;
            out.rules_ = field->rules;
        } else {
            out.knows_ = type.kind == type_kind::raw ? knowledge::everything : knowledge::nothing;
        }
    }
    const detail::builtin_type* shape = shape_;
    if (root_ && shape == nullptr && name == "metadata") {  // of any kind the same
        shape = detail::builtin_lists::get().find({"", "v1", "ConfigMap"});
    }
    if (form_.starts_with("{}")) {
        out.form_ = form_.substr(2);
    } else if (const auto* there = shape != nullptr ? shape->find(name) : nullptr) {
        out.form_ = there->form;
        out.keys_ = there->keys;
    }
    out.shape_ = detail::builtin_lists::get().type_of(out.form_);
    return out;
}

KCONTROL_DECL place_in_kind place_in_kind::element() const {
    place_in_kind out;
    out.knows_ = knows_;
    if (knows_ == knowledge::by_type) {
        const type_descriptor& type = detail::without_optionals(*type_);
        if (type.kind == type_kind::list) {
            out.type_ = type.element;
            out.rules_ = rules_ != nullptr ? rules_->elements() : nullptr;
        } else {
            out.knows_ = type.kind == type_kind::raw ? knowledge::everything : knowledge::nothing;
        }
    }
    if (form_.starts_with("[]")) out.form_ = form_.substr(2);
    out.shape_ = detail::builtin_lists::get().type_of(out.form_);
    return out;
}

KCONTROL_DECL bool place_in_kind::declares(std::string_view name) const {
    if (knows_ != knowledge::by_type) return knows_ == knowledge::everything;
    const type_descriptor& type = detail::without_optionals(*type_);
    if (type.kind == type_kind::map || type.kind == type_kind::raw) return true;
    return detail::find_declared(type, name) != nullptr;
}

KCONTROL_DECL bool place_in_kind::declares_all() const {
    if (knows_ != knowledge::by_type) return knows_ == knowledge::everything;
    return detail::coverage().complete(*type_, form_);
}

KCONTROL_DECL bool place_in_kind::omits_struct() const {
    return knows_ == knowledge::by_type && type_->kind == type_kind::structure && !declares_all();
}

// The rules that have the keys of the list, or say that there are none; null: nothing is said.
inline const field_rules* place_in_kind::rules_of_keys() const {
    if (rules_ != nullptr && (rules_->list != list_type_rule::unset || !rules_->list_keys.empty())) return rules_;
    if (knows_ != knowledge::by_type) return nullptr;
    const type_descriptor& list = detail::without_optionals(*type_);
    if (list.kind != type_kind::list) return nullptr;
    const field_rules* of_elements = detail::without_optionals(*list.element).rules;
    return of_elements != nullptr && !of_elements->list_keys.empty() ? of_elements : nullptr;
}

KCONTROL_DECL bool place_in_kind::knows_keys() const { return form_.starts_with("[]") || rules_of_keys() != nullptr; }

KCONTROL_DECL std::vector<list_key> place_in_kind::keys() const {
    std::vector<list_key> out;
    if (form_.starts_with("[]")) {
        for (std::string_view left = keys_; !left.empty();) {
            std::string_view key = detail::builtin_lists::cut(left, '+');
            const std::string_view name = detail::builtin_lists::cut(key, '~');
            out.emplace_back(name, std::string(key));
        }
    } else if (const field_rules* rules = rules_of_keys()) {
        const type_descriptor& element = detail::without_optionals(*detail::without_optionals(*type_).element);
        for (const std::string_view name : rules->list_keys) {
            out.emplace_back(name, detail::default_of_key(element, name));
        }
    }
    return out;
}

}  // namespace kcontrol
