// The bearer tokens that may read: a file of one token a line.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace guarded_serving {

/// Thread-safety: distinct objects safe; shared objects safe for const access.
class bearer_tokens {
public:
    /// Tokens shorter than this could be guessed.
    static constexpr std::size_t shortest = 16;

    /// Empty lines and lines that begin with '#' are skipped; blanks around a token do not count.
    /// Errors: invalid_config, naming the line, never what is in it: no token at all, one that is too short, one with
    /// characters that no header can carry (RFC 6750 §2.1).
    static kcontrol::result<bearer_tokens> parse(std::string_view text);

    /// Whether `token` is one of them. The time it takes does not tell how much of a token was right.
    bool contains(std::string_view token) const;

    /// Whether the value of an Authorization header holds one: `Bearer TOKEN`, or `Basic` with the token as password
    /// and any user name, which is what a browser can be made to send.
    bool opens(std::string_view authorization) const;

    std::size_t size() const noexcept { return tokens_.size(); }

private:
    std::vector<kcontrol::secret_string> tokens_;
};

}  // namespace guarded_serving
