// Label selectors: `app=web,tier in (a,b),!legacy`, parsed, printed and matched as Kubernetes does.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/detail/selector_parts.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

struct object_meta;

enum class label_operator { equals, not_equals, in, not_in, exists, not_exists, greater_than, less_than };

/// One entry of matchExpressions, as objects have it: `op` is In, NotIn, Exists, DoesNotExist, and in node selectors
/// also Gt and Lt.
struct label_expression {
    std::string key;                  ///< the label, with its prefix if it has one
    std::string op;                   ///< a word as above; others are refused by label_requirement::make()
    std::vector<std::string> values;  ///< In, NotIn: one or more; Exists, DoesNotExist: none; Gt, Lt: one integer

    friend bool operator==(const label_expression&, const label_expression&) = default;
};

/// One term of a label selector.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class label_requirement {
public:
    label_requirement() = default;
    /// `v` is sorted and freed of duplicates.
    KCONTROL_DECL label_requirement(std::string k, label_operator o, std::vector<std::string> v = {});

    /// The same, checked as the API server does: key and values must be a label's, their number must fit the operator,
    /// and `>` and `<` need an integer. Errors: invalid_argument, with all that is wrong.
    static KCONTROL_DECL result<label_requirement> make(std::string key, label_operator op,
                                                        std::vector<std::string> values = {});
    /// From an entry of matchExpressions. Errors: invalid_argument; also for an operator of another name.
    static KCONTROL_DECL result<label_requirement> make(label_expression expression);

    std::string key;                             ///< the label, with its prefix if it has one
    label_operator op = label_operator::exists;  ///< default: the label is there, whatever its value
    std::vector<std::string> values;             ///< sorted, each once; none for exists and not_exists

    /// Whether a label of that value, or an absent one, fulfils the term. `!=` and `notin` hold for absent labels.
    KCONTROL_DECL bool matches(std::optional<std::string_view> label) const;
    KCONTROL_DECL std::string to_string() const;  ///< as label_selector::parse() reads it: `tier in (a,b)`

    friend bool operator==(const label_requirement&, const label_requirement&) = default;
};

/// Terms that must all hold; without terms it selects everything.
/// Source: k8s.io/apimachinery/pkg/labels/selector.go
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class label_selector {
public:
    label_selector() = default;
    /// Takes the terms as they are; make() of a term checks it.
    explicit label_selector(std::vector<label_requirement> requirements) : requirements_(std::move(requirements)) {}

    /// Reads `k=v`, `k==v`, `k!=v`, `k in (a,b)`, `k notin (a)`, `k`, `!k`, `k>1`, `k<1`, joined by commas.
    /// Keys and values must be valid label keys and values. An empty set of values holds the empty value.
    /// `==` is printed as `=`. Errors: invalid_argument, naming the term.
    static KCONTROL_DECL result<label_selector> parse(std::string_view text);

    /// One that selects no object, whatever its labels. Its text is a contradiction that servers understand, so a list
    /// or watch with it selects nothing as well: client-go's labels.Nothing() has an empty text, which selects all.
    static KCONTROL_DECL label_selector nothing();

    /// From a metav1.LabelSelector of an object, such as `of(deployment.spec.selector)`. An absent one (an empty boxed
    /// or optional, a null pointer) selects nothing, and one without terms everything, as in Go's
    /// LabelSelectorAsSelector. `Spec` is api::meta::v1::label_selector, any struct with members `match_labels` and
    /// `match_expressions`, or a boxed, optional or pointer of such. Errors: as make().
    template <class Spec>
    static result<label_selector> of(const Spec& spec);

    /// From the parts of a metav1.LabelSelector. With neither it selects everything.
    /// Errors: invalid_argument, naming the wrong part and what it may be; also for Gt and Lt.
    static KCONTROL_DECL result<label_selector> make(const std::map<std::string, std::string>& match_labels,
                                                     const std::vector<label_expression>& match_expressions);

    /// Whether an object with these labels is selected.
    KCONTROL_DECL bool matches(const std::map<std::string, std::string>& labels) const;
    /// Whether it selects the object that this is the metadata of.
    KCONTROL_DECL bool selects(const object_meta& meta) const;

    /// The same on labels kept elsewhere: `lookup(key)` gives std::optional<std::string_view>.
    template <class Lookup>
    bool matches_with(Lookup&& lookup) const {
        for (const auto& requirement : requirements_) {
            if (!requirement.matches(lookup(std::string_view(requirement.key)))) return false;
        }
        return true;
    }

    bool empty() const noexcept { return requirements_.empty(); }
    /// The terms in the order in which they were given.
    const std::vector<label_requirement>& requirements() const noexcept { return requirements_; }

    /// The text in normal form: terms by key, values sorted.
    KCONTROL_DECL std::string to_string() const;

    friend bool operator==(const label_selector&, const label_selector&) = default;

private:
    std::vector<label_requirement> requirements_;
};

template <class Spec>
result<label_selector> label_selector::of(const Spec& spec) {
    constexpr bool is_label_selector = detail::has_label_selector_parts<detail::part_type<Spec>>;
    static_assert(is_label_selector,
                  "kcontrol: label_selector::of takes a LabelSelector: a struct with members match_labels and "
                  "match_expressions, or a boxed or optional one; for a plain map of labels call make(map, {})");
    if constexpr (is_label_selector) {
        const auto* const present = detail::present_part(spec);
        if (present == nullptr) return nothing();
        return make(detail::copy_labels(present->match_labels),
                    detail::copy_expressions<label_expression>(present->match_expressions));
    } else {
        return nothing();
    }
}

/// Whether `text` can be a label's (or annotation's) key: an optional DNS prefix with "/", and a name of up to 63
/// characters.
KCONTROL_DECL bool is_label_key(std::string_view text);

/// Whether `text` can be a label's value: empty, or up to 63 characters.
KCONTROL_DECL bool is_label_value(std::string_view text);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/label_selector.ipp>
#endif
