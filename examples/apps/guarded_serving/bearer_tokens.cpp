#include "guarded_serving/bearer_tokens.hpp"

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/base/trim.hpp>

#include <algorithm>

namespace guarded_serving {
namespace {

// token68 of RFC 7235 §2.1.
bool is_token68(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        return alphanumeric || std::string_view("-._~+/=").find(c) != std::string_view::npos;
    });
}

bool same(std::string_view a, std::string_view b) {
    // Without a way out before the end.
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < b.size(); ++i) {
        different |= static_cast<unsigned char>(i < a.size() ? a[i] : 0) ^ static_cast<unsigned char>(b[i]);
    }
    return different == 0;
}

// The credentials after the scheme's name, which is compared without regard to case; empty for another scheme.
std::string_view credentials(std::string_view header, std::string_view scheme) {
    if (header.size() <= scheme.size() || header[scheme.size()] != ' ') return {};
    return kcontrol::istarts_with(header, scheme) ? kcontrol::trim_blanks(header.substr(scheme.size()))
                                                  : std::string_view();
}

}  // namespace

kcontrol::result<bearer_tokens> bearer_tokens::parse(std::string_view text) {
    const auto bad = [](std::size_t line, std::string_view why) {
        return kcontrol::error(kcontrol::errc::invalid_config,
                               "line " + std::to_string(line) + ": " + std::string(why));
    };
    bearer_tokens out;
    std::size_t line = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto token = kcontrol::trim_blanks(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (token.empty() || token.front() == '#') continue;
        if (!is_token68(token))
            return bad(line, "a token consists of letters, digits and -._~+/= only, without blanks");
        if (token.size() < shortest) {
            return bad(line, "the token is shorter than " + std::to_string(shortest) +
                                 " characters and could be guessed; make one with: openssl rand -hex 32");
        }
        out.tokens_.emplace_back(std::string(token));
    }
    if (out.tokens_.empty()) {
        return kcontrol::error(kcontrol::errc::invalid_config,
                               "there is no token in it; make one with: openssl rand -hex 32");
    }
    return out;
}

bool bearer_tokens::contains(std::string_view token) const {
    bool found = false;
    for (const auto& one : tokens_) found = same(token, one.reveal()) || found;
    return found;
}

bool bearer_tokens::opens(std::string_view authorization) const {
    if (const auto token = credentials(authorization, "bearer"); !token.empty()) return contains(token);
    if (const auto basic = credentials(authorization, "basic"); !basic.empty()) {
        const auto pair = kcontrol::decode_base64(basic);
        if (!pair) return false;
        const auto colon = pair->find(':');
        return colon != std::string::npos && contains(std::string_view(*pair).substr(colon + 1));
    }
    return false;
}

}  // namespace guarded_serving
