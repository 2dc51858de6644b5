// Semantic versions of CEL's semver(). Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::cel {

/// A version by semver.org 2.0. Its build ("+abc") does not count.
class semver_value {
public:
    std::uint64_t major = 0, minor = 0, patch = 0;
    std::vector<std::string> before;  ///< the parts of a pre-release: "rc", "1"

    KCONTROL_DECL friend std::strong_ordering operator<=>(const semver_value& a, const semver_value& b);
    friend bool operator==(const semver_value& a, const semver_value& b) { return (a <=> b) == 0; }
};

/// `normalize`: a leading "v", leading zeros and missing numbers are taken, too. Errors: invalid_argument.
KCONTROL_DECL result<semver_value> parse_semver(std::string_view text, bool normalize);

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/semver.ipp>
#endif
