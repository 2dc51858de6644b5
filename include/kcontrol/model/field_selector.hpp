// Field selectors: `metadata.name=x,status.phase!=Running`, parsed, printed and matched as Kubernetes does.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// One term of a field selector.
class field_requirement {
public:
    field_requirement() = default;
    /// `f` is the field and `v` its value; `equal` false: it must have another one.
    field_requirement(std::string f, std::string v, bool equal = true)
        : field(std::move(f)), value(std::move(v)), equals(equal) {}

    std::string field;   ///< a path with dots, as the server names it
    std::string value;   ///< without escapes; empty stands for an absent field too
    bool equals = true;  ///< false for `!=`

    friend bool operator==(const field_requirement&, const field_requirement&) = default;
};

/// Terms that must all hold; without terms it selects everything. Which fields exist is the server's business.
/// Source: k8s.io/apimachinery/pkg/fields/selector.go
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class field_selector {
public:
    field_selector() = default;
    /// Takes the terms as they are; unlike parse() it neither checks nor sorts them.
    explicit field_selector(std::vector<field_requirement> requirements) : requirements_(std::move(requirements)) {}

    /// Reads `f=v`, `f==v`, `f!=v`, joined by commas; in values `\`, `,` and `=` are escaped by `\`. The terms are
    /// sorted. Errors: invalid_argument, naming the term; also without a field, which Go reads and every server
    /// refuses.
    static KCONTROL_DECL result<field_selector> parse(std::string_view text);

    /// `lookup(field)` gives the field's value as something a std::string_view can be made of, empty if it is absent.
    template <class Lookup>
    bool matches_with(Lookup&& lookup) const {
        for (const auto& requirement : requirements_) {
            const auto found = lookup(std::string_view(requirement.field));
            if ((std::string_view(found) == requirement.value) != requirement.equals) return false;
        }
        return true;
    }

    bool empty() const noexcept { return requirements_.empty(); }
    /// The terms; parse() sorts them.
    const std::vector<field_requirement>& requirements() const noexcept { return requirements_; }
    KCONTROL_DECL std::string to_string() const;  ///< what parse() reads, values escaped; empty without terms

    friend bool operator==(const field_selector&, const field_selector&) = default;

private:
    std::vector<field_requirement> requirements_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/field_selector.ipp>
#endif
