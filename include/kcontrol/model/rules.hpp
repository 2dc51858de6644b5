// rules(): what the schema of a field says besides its type: bounds, lengths, patterns, defaults, list keys, CEL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1 {

namespace detail {

/// Up to Capacity values inside, or any number in an array that lives for ever. A literal type: field lists are
/// constants.
template <class T, std::size_t Capacity>
class rule_list {
public:
    static constexpr std::size_t capacity = Capacity;

    constexpr const T* begin() const { return outside_ != nullptr ? outside_ : inside_.data(); }
    constexpr const T* end() const { return begin() + size_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr void add(const T& value) {
        if (outside_ != nullptr) throw "kcontrol: this rule has its values from an array; put this one there, too";
        if (size_ == Capacity) throw "kcontrol: too many values in one rule; put them into a static constexpr array";
        inside_[size_++] = value;
    }
    constexpr void refer(const T* values, std::size_t count) {
        outside_ = values;
        size_ = static_cast<std::uint32_t>(count);
    }

private:
    std::array<T, Capacity> inside_{};
    const T* outside_ = nullptr;
    std::uint32_t size_ = 0;
};

}  // namespace detail

/// One of `x-kubernetes-validations`: a CEL expression over `self`, the value of the field (or the object of a struct).
/// The API server evaluates it; the library carries it, and checks nothing.
/// Texts are string literals, or live as long as the program.
class cel_rule {
public:
    constexpr cel_rule() = default;
    /// `expression` must be true of a valid value; `text` is the message where it is not.
    constexpr cel_rule(std::string_view expression, std::string_view text = {}) : rule(expression), message_(text) {}

    /// What the server says where the rule fails, on one line; required if the rule has several.
    constexpr cel_rule& message(std::string_view text) { return message_ = text, *this; }
    /// CEL that gives the message; it wins over message().
    constexpr cel_rule& message_expression(std::string_view cel) { return message_expression_ = cel, *this; }
    /// FieldValueInvalid (the server's default), FieldValueForbidden, FieldValueRequired or FieldValueDuplicate.
    constexpr cel_rule& reason(std::string_view name) { return reason_ = name, *this; }
    /// The place the message names, relative to the field: `.replicas`.
    constexpr cel_rule& field_path(std::string_view json_path) { return field_path_ = json_path, *this; }
    /// Whether the rule is evaluated when there is no oldSelf, which is then an optional.
    constexpr cel_rule& optional_old_self(bool b = true) { return optional_old_self_ = b, *this; }

    std::string_view rule;                   ///< CEL; true of a valid value
    std::string_view message_;               ///< empty: the server writes one with the rule in it
    std::string_view message_expression_;    ///< CEL; empty: message_ counts
    std::string_view reason_;                ///< empty: the server's default, FieldValueInvalid
    std::string_view field_path_;            ///< empty: the field that has the rule
    std::optional<bool> optional_old_self_;  ///< none: left out, which the server takes for false
};

/// How server-side apply merges a list.
enum class list_type_rule : std::uint8_t { unset, atomic, set, map };
/// How server-side apply merges a map or struct.
enum class map_type_rule : std::uint8_t { unset, atomic, granular };
enum class default_kind : std::uint8_t { none, json, string };

template <std::size_t Levels>
struct rule_levels;

/// The rules of one field, of the elements of a list or map, or of a struct. A literal type; built with rules() and
/// read by schema_of, validate and crd_of. Texts are string literals, or live as long as the program.
///
/// Which rule suits which type is checked by the compiler: `minimum` on a string does not compile.
/// There is no `uniqueItems`: structural schemas forbid it, and list_type_set() does the same.
///
/// Thread-safety: immutable in a field list.
struct field_rules {
    // --- what is read ---
    bool is_required = false;                          ///< the member must be there; see required()
    bool is_nullable = false;                          ///< null is a value; see nullable()
    bool is_int_or_string = false;                     ///< it is an integer or a string
    bool keeps_unknown_fields = false;                 ///< the server keeps members that the schema does not name
    bool is_embedded_resource = false;                 ///< the value is a whole Kubernetes object
    bool minimum_excluded = false;                     ///< `lowest` itself is too low
    bool maximum_excluded = false;                     ///< `highest` itself is too high
    bool has_items = false;                            ///< the rules of the elements follow behind this object
    list_type_rule list = list_type_rule::unset;       ///< unset: map if the elements are keyed_by(), else not said
    map_type_rule map = map_type_rule::unset;          ///< unset: not said, which Kubernetes takes for granular
    default_kind default_is = default_kind::none;      ///< what default_text is; none: there is no default
    std::optional<double> lowest;                      ///< of minimum() or exclusive_minimum(); none: no bound
    std::optional<double> highest;                     ///< of maximum() or exclusive_maximum(); none: no bound
    std::optional<double> factor;                      ///< of multiple_of(); none: any number
    std::int64_t fewest_items = -1;                    ///< of min_items(); negative: no bound
    std::int64_t most_items = -1;                      ///< of max_items(); negative: no bound
    std::int64_t shortest = -1;                        ///< of min_length(), in Unicode code points; negative: no bound
    std::int64_t longest = -1;                         ///< of max_length(), in Unicode code points; negative: no bound
    std::int64_t fewest_properties = -1;               ///< of min_properties(); negative: no bound
    std::int64_t most_properties = -1;                 ///< of max_properties(); negative: no bound
    std::string_view pattern_text;                     ///< of pattern(); empty: any text
    std::string_view format_name;                      ///< of format(); empty: that of the type, if it has one
    std::string_view default_text;                     ///< JSON, or a string without quotes, as default_is says
    std::string_view description;                      ///< of describe(); empty: that of the field's struct, if any
    std::string_view title_text;                       ///< of title(); empty: that of the field's struct, if any
    detail::rule_list<std::string_view, 12> allowed;   ///< of enum_values(); empty: any value
    detail::rule_list<std::string_view, 4> list_keys;  ///< of list_type_map(), or of a struct's keyed_by()
    detail::rule_list<cel_rule, 3> cel;                ///< the field's own; those of its struct come before them

    /// The rules of the elements, or null.
    constexpr const field_rules* elements() const { return has_items ? this + 1 : nullptr; }

    // --- what is said ---
    /// The member must be there. It is then written even if it is empty.
    constexpr field_rules& required(bool b = true) { return is_required = b, *this; }
    /// null is a value. Without it the server takes a null member for an absent one, and refuses null in a list.
    constexpr field_rules& nullable(bool b = true) { return is_nullable = b, *this; }

    /// The allowed values: text of strings, JSON of anything else. Up to 12.
    template <class... Texts>
    constexpr field_rules& enum_values(std::string_view first, const Texts&... more) {
        static_assert(sizeof...(more) < decltype(allowed)::capacity,
                      "kcontrol: more than 12 enum values: give a static constexpr array of std::string_view");
        allowed = {};
        allowed.add(first);
        (allowed.add(more), ...);
        return *this;
    }
    /// The same from an array that lives for ever; any number.
    template <std::size_t Count>
    constexpr field_rules& enum_values(const std::string_view (&values)[Count]) {
        return allowed.refer(values, Count), *this;
    }
    /// The same from a std::array that lives for ever.
    template <std::size_t Count>
    constexpr field_rules& enum_values(const std::array<std::string_view, Count>& values) {
        return allowed.refer(values.data(), Count), *this;
    }

    /// The least number that is allowed; takes the place of exclusive_minimum().
    constexpr field_rules& minimum(double value) { return lowest = value, minimum_excluded = false, *this; }
    /// The largest number that is allowed; takes the place of exclusive_maximum().
    constexpr field_rules& maximum(double value) { return highest = value, maximum_excluded = false, *this; }
    /// Numbers are larger than this; takes the place of minimum().
    constexpr field_rules& exclusive_minimum(double value) { return lowest = value, minimum_excluded = true, *this; }
    /// Numbers are less than this; takes the place of maximum().
    constexpr field_rules& exclusive_maximum(double value) { return highest = value, maximum_excluded = true, *this; }
    /// Numbers are multiples of this, which is above 0; validate() forgives 1e-9 of rounding.
    constexpr field_rules& multiple_of(double value) { return factor = value, *this; }

    /// In Unicode code points.
    constexpr field_rules& min_length(std::int64_t n) { return shortest = n, *this; }
    constexpr field_rules& max_length(std::int64_t n) { return longest = n, *this; }  ///< in Unicode code points, too
    /// A regular expression in Go's (RE2's) syntax. It matches anywhere: `^…$` means the whole.
    constexpr field_rules& pattern(std::string_view expression) { return pattern_text = expression, *this; }
    /// Such as "date-time", "uuid", "ipv4". A format that the API server does not know means nothing to it.
    constexpr field_rules& format(std::string_view name) { return format_name = name, *this; }

    /// How many elements the list has at least.
    constexpr field_rules& min_items(std::int64_t n) { return fewest_items = n, *this; }
    /// How many elements the list has at most.
    constexpr field_rules& max_items(std::int64_t n) { return most_items = n, *this; }
    /// How many entries the map has at least, or how many of the members of the struct are present.
    constexpr field_rules& min_properties(std::int64_t n) { return fewest_properties = n, *this; }
    /// How many entries the map has at most, or how many of the members of the struct are present.
    constexpr field_rules& max_properties(std::int64_t n) { return most_properties = n, *this; }

    /// What the server puts where the member is absent, as JSON: `default_json("1")`, `default_json(R"({"a":true})")`.
    constexpr field_rules& default_json(std::string_view json) {
        return default_is = default_kind::json, default_text = json, *this;
    }
    /// The same for a string, without quotes.
    constexpr field_rules& default_string(std::string_view value) {
        return default_is = default_kind::string, default_text = value, *this;
    }

    /// Appliers own the list as a whole (the default of Kubernetes).
    constexpr field_rules& list_type_atomic() { return list = list_type_rule::atomic, *this; }
    /// Scalars, each at most once; appliers own single elements.
    constexpr field_rules& list_type_set() { return list = list_type_rule::set, *this; }
    /// Structs identified by these fields, which are required or have a default. Up to 4.
    template <class... Names>
    constexpr field_rules& list_type_map(std::string_view first, const Names&... more) {
        return list = list_type_rule::map, keyed_by(first, more...);
    }
    /// In kcontrol_rules() of a struct: these fields tell its objects apart. A list of them is list_type_map(…) with
    /// these keys then, where its own field states no list type. Up to 4.
    template <class... Names>
    constexpr field_rules& keyed_by(std::string_view first, const Names&... more) {
        list_keys = {};
        list_keys.add(first);
        (list_keys.add(std::string_view(more)), ...);
        return *this;
    }
    /// Appliers own the map or struct as a whole.
    constexpr field_rules& map_type_atomic() { return map = map_type_rule::atomic, *this; }
    /// Appliers own single entries (the default of Kubernetes).
    constexpr field_rules& map_type_granular() { return map = map_type_rule::granular, *this; }

    /// Of a raw_json or text member: an integer or a string. An int_or_string member is that anyway.
    constexpr field_rules& int_or_string() { return is_int_or_string = true, *this; }
    /// The server keeps members of this object that the schema does not name.
    constexpr field_rules& preserve_unknown_fields() { return keeps_unknown_fields = true, *this; }
    /// The value is a whole Kubernetes object, with apiVersion, kind and metadata.
    constexpr field_rules& embedded_resource() { return is_embedded_resource = true, *this; }

    /// A CEL rule. Up to 3; more from an array that lives for ever.
    constexpr field_rules& validation(const cel_rule& rule) { return cel.add(rule), *this; }
    /// The same from a CEL expression and what the server says where it is false.
    constexpr field_rules& validation(std::string_view rule, std::string_view message = {}) {
        return cel.add(cel_rule(rule, message)), *this;
    }
    /// CEL rules from an array that lives for ever, any number, instead of those so far. A validation() after it does
    /// not compile.
    template <std::size_t Count>
    constexpr field_rules& validations(const cel_rule (&all)[Count]) {
        return cel.refer(all, Count), *this;
    }

    /// The schema's `description`, which kubectl explain shows.
    constexpr field_rules& describe(std::string_view text) { return description = text, *this; }
    constexpr field_rules& title(std::string_view text) { return title_text = text, *this; }  ///< the schema's `title`

    /// Rules for the elements of a list or the values of a map. Comes last; theirs may have items() again.
    constexpr rule_levels<2> items(const field_rules& of_elements) const;
    /// The same for elements that have items() themselves.
    template <std::size_t Levels>
    constexpr rule_levels<Levels + 1> items(const rule_levels<Levels>& of_elements) const;
};

/// Rules of a field and, behind them, of its elements, of their elements…
template <std::size_t Levels>
struct rule_levels {
    std::array<field_rules, Levels> level;  ///< level[0] is for the field, level[1] for its elements, and so on
};

constexpr rule_levels<2> field_rules::items(const field_rules& of_elements) const {
    rule_levels<2> all{{*this, of_elements}};
    all.level[0].has_items = true;
    return all;
}

template <std::size_t Levels>
constexpr rule_levels<Levels + 1> field_rules::items(const rule_levels<Levels>& of_elements) const {
    rule_levels<Levels + 1> all{};
    all.level[0] = *this;
    all.level[0].has_items = true;
    for (std::size_t i = 0; i < Levels; ++i) all.level[i + 1] = of_elements.level[i];
    return all;
}

/// No rules yet: `field("replicas", &widget_spec::replicas, rules().required().minimum(0).maximum(10))`.
/// The rules of a struct are `static constexpr auto kcontrol_rules() { return kcontrol::rules().…; }` in it; those of
/// a field of that type add to them, and win.
constexpr field_rules rules() { return {}; }

}  // namespace kcontrol
