// A notice as a mail. Pure functions.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "notices/config.hpp"
#include "notices/smtp.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace training_monitor::notices {

/// A text beyond that is cut.
inline constexpr std::size_t most_mail_bytes = std::size_t{64} << 10;

/// The mail (RFC 5322): plain text in UTF-8, quoted-printable, no line longer than 78 characters. What is told of one
/// matter refers to one made-up first mail, so that programs for mail show it as one conversation. The same notice has
/// the same Message-ID at each try.
smtp_mail mail_of(const receiver_config& to, const notice& n, kcontrol::wall_time now);

/// A header's text: as it is, or where it has other characters than ASCII's or is long, as encoded words (RFC 2047).
std::string header_text(std::string_view text);

/// The text in quoted-printable (RFC 2045): lines of at most 76 characters that end in CR LF.
std::string quoted_printable(std::string_view text);

}  // namespace training_monitor::notices
