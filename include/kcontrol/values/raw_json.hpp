// raw_json: a member whose JSON is kept as text: free-form parts of an object that a program passes on or reads later.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/values/text.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Any JSON value as compact text (numbers in their shortest form, 1.0 as 1), or nothing. Nothing is left out when it
/// is written, and null is read as nothing. Two are equal if their texts are; the order of members counts.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class raw_json {
public:
    raw_json() = default;

    /// Checks the text and makes it compact. Errors: decode_failed.
    static KCONTROL_DECL result<raw_json> parse(std::string_view text);
    static KCONTROL_DECL raw_json from(json::node value);  ///< a copy of that value; nothing of null

    bool empty() const noexcept { return text_.empty(); }
    std::string_view text() const noexcept { return text_; }  ///< compact JSON; empty if there is nothing

    friend bool operator==(const raw_json&, const raw_json&) = default;

private:
    kcontrol::text text_;
};

static_assert(sizeof(raw_json) == sizeof(text));

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/values/impl/raw_json.ipp>
#endif
