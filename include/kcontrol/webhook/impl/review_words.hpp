// How what is wrong with a review is told.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

inline error wrong_review(const std::string& path, const std::string& what) {
    return error(errc::decode_failed, path + ": " + what);
}

// A text of others in a message: short, and fit for a terminal.
inline std::string quoted_text(std::string_view text) {
    constexpr std::size_t most = 80;
    return '"' + escape_control(text.substr(0, most)) + (text.size() > most ? "…\"" : "\"");
}

inline result<void> check_review_type(std::string_view api_version, std::string_view kind, std::string_view group,
                                      std::string_view wanted) {
    const std::string version = std::string(group) + "/v1";
    if (api_version != version) {
        return wrong_review("apiVersion", "expected " + version + ", found " + quoted_text(api_version) +
                                              "; name v1 in the configuration's list of review versions");
    }
    if (kind != wanted) return wrong_review("kind", "expected " + std::string(wanted) + ", found " + quoted_text(kind));
    return {};
}

}  // namespace kcontrol::detail
