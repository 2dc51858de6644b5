// Semantic versions of CEL's semver(). Pure.
#pragma once

#include <kcontrol/base/result.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// A version by semver.org 2.0. Its build ("+abc") does not count.
class cel_semver {
public:
    std::uint64_t major = 0, minor = 0, patch = 0;
    std::vector<std::string> before;  ///< the parts of a pre-release: "rc", "1"

    friend std::strong_ordering operator<=>(const cel_semver& a, const cel_semver& b);
    friend bool operator==(const cel_semver& a, const cel_semver& b) { return (a <=> b) == 0; }
};

/// `normalize`: a leading "v", leading zeros and missing numbers are taken, too. Errors: invalid_argument.
result<cel_semver> parse_cel_semver(std::string_view text, bool normalize);

}  // namespace kcontrol::testing::detail
