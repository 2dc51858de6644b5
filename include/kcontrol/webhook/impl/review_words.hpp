// How what is wrong with a review is told.
#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/result.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

inline error wrong_review(const std::string& path, const std::string& what) {
    return error(errc::decode_failed, path + ": " + what);
}

inline result<void> check_review_type(std::string_view api_version, std::string_view kind, std::string_view group,
                                      std::string_view wanted) {
    const std::string version = std::string(group) + "/v1";
    if (api_version != version) {
        return wrong_review("apiVersion", "expected " + version + ", found " + in_quotes(api_version) +
                                              "; name v1 in the configuration's list of review versions");
    }
    if (kind != wanted) return wrong_review("kind", "expected " + std::string(wanted) + ", found " + in_quotes(kind));
    return {};
}

}  // namespace kcontrol::detail
