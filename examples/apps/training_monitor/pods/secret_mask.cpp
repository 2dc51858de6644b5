#include "pods/secret_mask.hpp"

#include <kcontrol/base/ascii.hpp>

#include <algorithm>
#include <array>

namespace training_monitor {
namespace {

constexpr std::string_view masked = "[masked]";
constexpr std::array<std::string_view, 12> secret_keys{"password",   "passwd",    "pwd",         "secret",
                                                       "token",      "apikey",    "api_key",     "api-key",
                                                       "access_key", "accesskey", "private_key", "credentials"};
// AWS, GitHub, GitLab, Hugging Face, OpenAI and others, Slack, Google, npm, and base64 of {" as tokens begin.
constexpr std::array<std::string_view, 16> prefixes{"AKIA",        "ASIA",   "ghp_", "gho_", "ghs_",  "ghu_",
                                                    "github_pat_", "glpat-", "hf_",  "sk-",  "xoxb-", "xoxp-",
                                                    "xoxa-",       "AIza",   "npm_", "eyJ"};
constexpr std::array<std::string_view, 2> schemes{"bearer ", "basic "};

bool is_word(char c) {
    const char letter = kcontrol::ascii_lower(c);
    return (c >= '0' && c <= '9') || (letter >= 'a' && letter <= 'z') || c == '_' || c == '-';
}
bool is_token(char c) { return is_word(c) || c == '.' || c == '/' || c == '+' || c == '=' || c == '~'; }

bool ends_in_secret_key(std::string_view word) {
    return std::any_of(secret_keys.begin(), secret_keys.end(), [&](std::string_view key) {
        return word.size() >= key.size() && kcontrol::istarts_with(word.substr(word.size() - key.size()), key);
    });
}

// Of `key = "value"`, `key: value`, `"key":"value"` that begins at `at`, behind the key: where the value begins; npos
// if there is none.
std::size_t value_after(std::string_view line, std::size_t at) {
    const auto skip = [&](std::string_view what) {
        while (at < line.size() && what.find(line[at]) != std::string_view::npos) ++at;
    };
    skip("\"'");
    skip(" ");
    if (at == line.size() || (line[at] != '=' && line[at] != ':')) return std::string_view::npos;
    ++at;
    skip(" ");
    skip("\"'");
    return at < line.size() ? at : std::string_view::npos;
}

// Of `--key value`, behind the key.
std::size_t value_of_flag(std::string_view word, std::string_view line, std::size_t at) {
    const auto value = line.find_first_not_of(' ', at);
    if (!word.starts_with("--") || value == std::string_view::npos || value == at || line[value] == '-') {
        return std::string_view::npos;
    }
    const bool quoted = line[value] == '"' || line[value] == '\'';
    return quoted && value + 1 < line.size() ? value + 1 : value;
}

std::size_t end_of_value(std::string_view line, std::size_t at) {
    const bool quoted = at > 0 && (line[at - 1] == '"' || line[at - 1] == '\'');
    if (quoted) return std::min(line.find(line[at - 1], at), line.size());
    return std::min(line.find_first_of(" \t,;&\"'})", at), line.size());
}

// The length of a secret that begins here by its own looks; 0: none does.
std::size_t known_shape(std::string_view rest) {
    for (const auto prefix : prefixes) {
        if (!rest.starts_with(prefix)) continue;
        std::size_t end = prefix.size();
        while (end < rest.size() && is_token(rest[end])) ++end;
        if (end >= prefix.size() + 12) return end;
    }
    return 0;
}

// "//user:password@": where the password stands; {0, 0} if none does.
std::pair<std::size_t, std::size_t> url_password(std::string_view line, std::size_t at) {
    if (!line.substr(at).starts_with("//")) return {0, 0};
    const auto end = std::min(line.find_first_of("/ \t\"'", at + 2), line.size());
    const auto host = line.substr(0, end).rfind('@');
    const auto colon = line.find(':', at + 2);
    if (host == std::string_view::npos || host < at || colon == std::string_view::npos || colon > host) return {0, 0};
    return {colon + 1, host};
}

}  // namespace

std::string secret_mask::mask(std::string_view line) {
    if (line.find("-----BEGIN ") != std::string_view::npos && line.find("PRIVATE KEY") != std::string_view::npos) {
        in_key_ = line.find("-----END ") == std::string_view::npos;
        return std::string(masked);
    }
    if (in_key_) {
        in_key_ = line.find("-----END ") == std::string_view::npos;
        return std::string(masked);
    }
    std::string out;
    std::size_t at = 0;
    const auto hide = [&](std::size_t from, std::size_t to) {
        out.append(line.substr(at, from - at)).append(masked);
        at = to;
    };
    while (at < line.size()) {
        if (const auto [from, to] = url_password(line, at); to > from) {
            hide(from, to);
            continue;
        }
        const bool begins_word = is_word(line[at]) && (at == 0 || !is_word(line[at - 1]));
        if (!begins_word) {
            out += line[at++];
            continue;
        }
        if (const std::size_t size = known_shape(line.substr(at)); size != 0) {
            hide(at, at + size);
            continue;
        }
        const auto scheme = std::find_if(schemes.begin(), schemes.end(), [&](std::string_view s) {
            return kcontrol::istarts_with(line.substr(at), s);
        });
        if (scheme != schemes.end()) {
            const std::size_t from = at + scheme->size();
            std::size_t to = from;
            while (to < line.size() && is_token(line[to])) ++to;
            if (to >= from + 8) {
                hide(from, to);
                continue;
            }
        }
        std::size_t end = at;
        while (end < line.size() && is_word(line[end])) ++end;
        const auto word = line.substr(at, end - at);
        const bool is_key = ends_in_secret_key(word);
        std::size_t value = is_key ? value_after(line, end) : std::string_view::npos;
        if (is_key && value == std::string_view::npos) value = value_of_flag(word, line, end);
        if (value != std::string_view::npos) {
            const std::size_t last = end_of_value(line, value);
            // "Authorization token: Bearer x": the scheme is no secret, and what follows it is hidden above.
            const bool scheme_next = std::any_of(schemes.begin(), schemes.end(), [&](std::string_view s) {
                return kcontrol::istarts_with(line.substr(value), s);
            });
            if (last > value && !scheme_next) {
                hide(value, last);
                continue;
            }
        }
        out.append(word);
        at = end;
    }
    return out;
}

}  // namespace training_monitor
