// cel::type: the type of a variable or of an expression, as far as it is known before the evaluation.
#pragma once

#include <kcontrol/cel/value_schema.hpp>
#include <kcontrol/config.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::cel {

/// A type of CEL, or `dyn`: it is known at the evaluation.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class type {
public:
    type() = default;  ///< dyn

    static type boolean() { return type("bool"); }
    static type integer() { return type("int"); }
    static type floating() { return type("double"); }
    static type string() { return type("string"); }
    static type bytes() { return type("bytes"); }
    static type timestamp() { return type("google.protobuf.Timestamp"); }
    static type duration() { return type("google.protobuf.Duration"); }
    static type quantity() { return type("kubernetes.Quantity"); }
    static type semver() { return type("kubernetes.Semver"); }
    static type list(type items) { return type("list", std::move(items)); }
    static type map(type values) { return type("map", std::move(values)); }  ///< with texts as keys
    static type optional(type of) { return type("optional_type", std::move(of)); }
    /// With these members, and no others.
    KCONTROL_DECL static type object(std::map<std::string, type, std::less<>> members);
    /// What a structural schema says, which must outlive the type; nothing: rules can't see what has it.
    KCONTROL_DECL static std::optional<type> of(const value_schema& shape);
    /// By the name that CEL has for it ("uint"), which must outlive the type.
    static type named(std::string_view name) { return type(name); }

    std::string_view name() const noexcept { return name_; }  ///< "int", "list", "object"; "dyn": not known
    bool is(std::string_view what) const noexcept { return name_ == what; }
    bool is_unknown() const noexcept { return is("dyn"); }
    /// Of a list, a map (its values) or an optional.
    type item() const { return item_ ? *item_ : type(); }
    bool has_item() const noexcept { return item_ != nullptr; }
    /// Of an object; nothing: there is no such member.
    KCONTROL_DECL std::optional<type> member(std::string_view name) const;
    KCONTROL_DECL std::string text() const;  ///< "list(int)"

private:
    explicit type(std::string_view name) : name_(name) {}
    KCONTROL_DECL type(std::string_view name, type item);

    std::string_view name_ = "dyn";
    std::shared_ptr<const type> item_;
    std::shared_ptr<const std::map<std::string, type, std::less<>>> members_;
    value_schema schema_;  // of an object without members_
};

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/type.ipp>
#endif
