// quantity_text: an amount ("500m", "1.5Gi") as an object carries it. Eight bytes; quantity.hpp computes with it.
#pragma once

#include <kcontrol/values/text.hpp>

#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// The text of a resource.Quantity, as it was written. It may be absent. Equality is that of the texts: "1000m" and "1"
/// differ here; quantity::parse(q) gives the amount. In JSON it is a string; a number is read too, as the API server
/// does.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class quantity_text {
public:
    quantity_text() noexcept = default;
    /// The text as it is; only quantity::parse() says whether it is a quantity.
    quantity_text(kcontrol::text t) : text_(std::move(t)) {}  // NOLINT: meant to convert
    /// The same; the bytes are copied.
    quantity_text(std::string_view t) : text_(t) {}  // NOLINT
    /// The same; the bytes are copied.
    quantity_text(const std::string& t) : text_(t) {}  // NOLINT
    /// The same of a C string, which is not null.
    quantity_text(const char* t) : text_(t) {}  // NOLINT

    bool present() const noexcept { return text_.present(); }  ///< whether there is a text, if only an empty one
    std::string_view text() const noexcept { return text_; }   ///< as it was written; empty if absent
    std::string str() const { return text_.str(); }            ///< a copy of text()
    /// The same as text().
    operator std::string_view() const noexcept { return text_; }  // NOLINT: meant to convert

    friend bool operator==(const quantity_text&, const quantity_text&) = default;
    friend bool operator==(const quantity_text& a, std::string_view b) noexcept { return a.text() == b; }
    friend bool operator==(const quantity_text& a, const char* b) noexcept { return a.text() == b; }

private:
    kcontrol::text text_;
};

static_assert(std::is_standard_layout_v<quantity_text> && sizeof(quantity_text) == sizeof(text));

}  // namespace kcontrol
