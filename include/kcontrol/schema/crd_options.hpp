// What a resource type says about its CustomResourceDefinition: crd().
#pragma once

#include <kcontrol/model/field_path.hpp>
#include <kcontrol/model/rules.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// A place in an object: a typed path, or JSONPath as text (`.status.conditions[?(@.type=="Ready")].status`).
class crd_path {
public:
    constexpr crd_path() = default;
    /// What path() gives.
    constexpr crd_path(const field_path& typed) : typed_(typed) {}  // NOLINT: meant to convert
    /// As in a CRD, with a dot in front: `.spec.replicas`. A literal, or it lives as long as the program.
    constexpr crd_path(std::string_view json_path) : text_(json_path) {}  // NOLINT
    /// The same of a C string, which is not null.
    constexpr crd_path(const char* json_path) : text_(json_path) {}  // NOLINT

    constexpr bool empty() const { return typed_.empty() && text_.empty(); }
    /// The OpenAPI type, if the path is typed.
    constexpr std::string_view type() const { return typed_.type(); }
    /// Whether its first step is that member. In a text a step ends before a dot, a bracket or the end.
    constexpr bool starts_with(std::string_view member) const {
        if (!typed_.empty()) return typed_[0] == member;
        if (text_.substr(0, 1) != "." || text_.substr(1, member.size()) != member) return false;
        const std::string_view rest = text_.substr(1 + member.size());
        return rest.empty() || rest.front() == '.' || rest.front() == '[';
    }
    /// Whether it is a place within that member, and not the member itself.
    constexpr bool is_below(std::string_view member) const {
        const std::size_t steps = typed_.empty() ? text_.size() : typed_.size();
        return starts_with(member) && steps > (typed_.empty() ? 1 + member.size() : 1);
    }
    /// As a CRD has it, `.spec.replicas`; a text as it was given.
    std::string json_path() const { return typed_.empty() ? std::string(text_) : typed_.json_path(); }

private:
    field_path typed_;
    std::string_view text_;
};

/// A column of `kubectl get`: `printer_column("Replicas", path(&widget::spec, &widget_spec::replicas))`.
class printer_column {
public:
    constexpr printer_column() = default;
    /// The type (integer, number, string, boolean, date) is that of the path.
    constexpr printer_column(std::string_view title, const crd_path& of) : name(title), type(of.type()), path(of) {
        if (type.empty() || type == "array" || type == "object") {
            throw "kcontrol: a column whose path is a text, or leads to a list or a structure, names its type: "
                  "printer_column(name, type, path)";
        }
    }
    /// `of_type` is integer, number, string, boolean or date; `of` may be a text.
    constexpr printer_column(std::string_view title, std::string_view of_type, const crd_path& of)
        : name(title), type(of_type), path(of) {}

    /// An OpenAPI format of the type, such as "int32"; default: none.
    constexpr printer_column& format(std::string_view text) { return format_ = text, *this; }
    /// What the column shows, for people; default: none.
    constexpr printer_column& describe(std::string_view text) { return description_ = text, *this; }
    /// 0 is shown always, anything else with `-o wide`.
    constexpr printer_column& priority(int value) { return priority_ = value, *this; }

    std::string_view name;          ///< heading of the column
    std::string_view type;          ///< integer, number, string, boolean or date
    crd_path path;                  ///< of the value that is shown
    std::string_view format_;       ///< see format(); empty: none
    std::string_view description_;  ///< see describe(); empty: none
    int priority_ = 0;              ///< 0: always shown; else with `-o wide`
};

/// What a resource type says about its CustomResourceDefinition besides its name and fields. A literal type:
///
///     static constexpr auto kcontrol_crd() {
///         return kcontrol::crd()
///             .short_names("wd").categories("all").status()
///             .scale(path(&widget::spec, &widget_spec::replicas), path(&widget::status, &widget_status::replicas))
///             .column({"Replicas", path(&widget::spec, &widget_spec::replicas)});
///     }
///
/// Texts are string literals, or live as long as the program.
class crd_options {
public:
    constexpr crd_options() = default;

    /// Names and categories count in the first version of crd_of.
    constexpr crd_options& singular(std::string_view name) { return singular_ = name, *this; }
    /// Kind of the list of these objects; default: the kind and "List".
    constexpr crd_options& list_kind(std::string_view name) { return list_kind_ = name, *this; }
    /// Short names for kubectl, such as "wd"; they add to those so far. Up to 8.
    template <class... Names>
    requires(sizeof...(Names) > 0) constexpr crd_options& short_names(const Names&... names) {
        return (short_names_.add(std::string_view(names)), ...), *this;
    }
    /// Groups that kubectl gets as one, such as "all"; they add to those so far. Up to 8.
    template <class... Names>
    requires(sizeof...(Names) > 0) constexpr crd_options& categories(const Names&... names) {
        return (categories_.add(std::string_view(names)), ...), *this;
    }
    /// /status is a subresource of its own: updates of the object leave the status alone, and the other way round.
    constexpr crd_options& status() { return has_status_ = true, *this; }
    /// The scale subresource, for `kubectl scale` and autoscalers. The label selector is a string in the status.
    constexpr crd_options& scale(const crd_path& spec_replicas, const crd_path& status_replicas,
                                 const crd_path& label_selector = {}) {
        scale_spec_ = spec_replicas, scale_status_ = status_replicas, scale_selector_ = label_selector;
        return *this;
    }
    /// Adds a column behind those so far. Up to 12.
    constexpr crd_options& column(const printer_column& c) { return columns_.add(c), *this; }
    /// A field that field selectors may name.
    constexpr crd_options& selectable_field(const crd_path& p) { return selectable_.add(p), *this; }
    /// Whether the API offers this version; default true.
    constexpr crd_options& served(bool b) { return served_ = b, *this; }
    /// Objects are stored in this version. Without it the first version of crd_of is that.
    constexpr crd_options& storage(bool b = true) { return storage_ = b, *this; }
    /// Clients get a warning; an empty text is the server's own.
    constexpr crd_options& deprecated(std::string_view warning = {}) {
        return deprecated_ = true, deprecation_warning_ = warning, *this;
    }

    /// Empty: the kind in lower case.
    constexpr std::string_view singular() const noexcept { return singular_; }
    /// Empty: the kind and "List".
    constexpr std::string_view list_kind() const noexcept { return list_kind_; }
    /// Other names that kubectl takes for the kind; empty: none.
    constexpr const detail::rule_list<std::string_view, 8>& short_names() const noexcept { return short_names_; }
    /// Groups that kubectl gets as one; empty: none.
    constexpr const detail::rule_list<std::string_view, 8>& categories() const noexcept { return categories_; }
    constexpr bool has_status() const noexcept { return has_status_; }  ///< whether status() was said; default false
    /// Where the wanted replicas are; empty: there is no scale subresource.
    constexpr const crd_path& scale_spec() const noexcept { return scale_spec_; }
    /// Where the present replicas are; empty: there is no scale subresource.
    constexpr const crd_path& scale_status() const noexcept { return scale_status_; }
    /// Where the label selector is, as a string; empty: the scale subresource has none.
    constexpr const crd_path& scale_selector() const noexcept { return scale_selector_; }
    /// What kubectl get shows besides the name, in this order; empty: what the server chooses.
    constexpr const detail::rule_list<printer_column, 12>& columns() const noexcept { return columns_; }
    /// Where the fields are that field selectors may name.
    constexpr const detail::rule_list<crd_path, 8>& selectable_fields() const noexcept { return selectable_; }
    /// Whether the API offers this version; default true.
    constexpr bool is_served() const noexcept { return served_; }
    constexpr bool is_storage() const noexcept { return storage_; }  ///< whether storage() was said; default false
    /// Whether deprecated() was said; default false.
    constexpr bool is_deprecated() const noexcept { return deprecated_; }
    /// What clients of a deprecated version are told; empty: the server's own words.
    constexpr std::string_view deprecation_warning() const noexcept { return deprecation_warning_; }

private:
    std::string_view singular_, list_kind_, deprecation_warning_;
    detail::rule_list<std::string_view, 8> short_names_;
    detail::rule_list<std::string_view, 8> categories_;
    detail::rule_list<printer_column, 12> columns_;
    detail::rule_list<crd_path, 8> selectable_;
    crd_path scale_spec_, scale_status_, scale_selector_;
    bool has_status_ = false;
    bool served_ = true;
    bool storage_ = false;
    bool deprecated_ = false;
};

constexpr crd_options crd() { return {}; }

}  // namespace kcontrol
