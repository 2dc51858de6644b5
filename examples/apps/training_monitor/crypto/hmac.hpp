// HMAC-SHA256 and the two ways in which notices write it down.
#pragma once

#include <string>
#include <string_view>

namespace training_monitor::crypto {

/// The 32 bytes of HMAC-SHA256 (RFC 2104, FIPS 180-4). Key and message may be empty.
std::string hmac_sha256(std::string_view key, std::string_view message);

/// Two lower-case hexadecimal digits a byte.
std::string to_hex(std::string_view bytes);

/// Padded base64, RFC 4648 section 4.
std::string to_base64(std::string_view bytes);

}  // namespace training_monitor::crypto
