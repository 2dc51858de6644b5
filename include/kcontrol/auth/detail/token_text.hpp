// What a bearer token may look like, and reading one from a file.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/base/trim.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::auth::detail {

/// The token in `text` without the white space around it; empty if there is none or if it can't stand in a header
/// (anything but visible ASCII).
inline std::string_view token_in(std::string_view text) {
    text = trim_blanks(text);
    for (const char c : text) {
        if (c <= 0x20 || c >= 0x7f) return {};
    }
    return text;
}

/// The largest token, certificate, key or namespace file that is read, in bytes.
inline constexpr std::size_t max_credential_bytes = std::size_t{1} << 20;

/// Reads a token file. Errors: file_failed or too_large, naming the path and never what is in it.
inline result<secret_string> read_token_file(environment& env, const std::string& path) {
    auto text = env.read_file(path, max_credential_bytes);
    if (!text) return text.error();
    const secret_string whole(std::move(*text));
    const auto token = token_in(whole.reveal());
    if (token.empty()) {
        return error(errc::file_failed, "token file " + path +
                                            " holds no token: it is empty, or holds something else than one line of "
                                            "visible ASCII");
    }
    return secret_string(std::string(token));
}

}  // namespace kcontrol::auth::detail
