#include "notices/mail.hpp"

#include <kcontrol/base/base64.hpp>
#include <kcontrol/base/utf8.hpp>

#include "notices/formats.hpp"
#include "notices/message.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace training_monitor::notices {
namespace {

// RFC 5322, section 3.3: "Tue, 14 Nov 2023 23:14:22 +0000"
std::string mail_date(kcontrol::wall_time at) {
    constexpr std::array<const char*, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at - day));
    const auto two = [](auto n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    return std::string(days.at(std::chrono::weekday(day).c_encoding())) + ", " + two(unsigned(date.day())) + " " +
           months.at(unsigned(date.month()) - 1) + " " + std::to_string(int(date.year())) + " " +
           two(time.hours().count()) + ":" + two(time.minutes().count()) + ":" + two(time.seconds().count()) + " +0000";
}

bool is_plain_header(std::string_view text) {
    return text.size() <= 60 && text.find("=?") == std::string_view::npos &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::string domain_of(std::string_view address) { return std::string(address.substr(address.find('@') + 1)); }

}  // namespace

std::string header_text(std::string_view text) {
    if (is_plain_header(text)) return std::string(text);
    constexpr std::size_t most_bytes_of_a_word = 42;  // 56 in base64, and 12 around it
    std::string out;
    while (!text.empty()) {
        const auto piece = kcontrol::utf8_prefix(text, most_bytes_of_a_word);
        const auto size = piece.empty() ? std::min(text.size(), most_bytes_of_a_word) : piece.size();
        out += (out.empty() ? "=?utf-8?B?" : "\r\n =?utf-8?B?") + kcontrol::encode_base64(text.substr(0, size)) + "?=";
        text.remove_prefix(size);
    }
    return out;
}

std::string quoted_printable(std::string_view text) {
    constexpr std::size_t most_characters = 76;
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string out;
    std::size_t column = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == '\n') {
            out += "\r\n";
            column = 0;
            continue;
        }
        const bool ends_line = i + 1 == text.size() || text[i + 1] == '\n';
        const bool plain = (byte >= 0x21 && byte < 0x7f && byte != '=') || (byte == ' ' && !ends_line);
        const std::size_t width = plain ? 1 : 3;
        if (column + width > most_characters - 1) {  // one for the '=' of a break that means nothing
            out += "=\r\n";
            column = 0;
        }
        if (plain) {
            out += text[i];
        } else {
            out += '=';
            out += hex[byte >> 4];
            out += hex[byte & 0xfU];
        }
        column += width;
    }
    if (!out.ends_with("\r\n")) out += "\r\n";
    return out;
}

smtp_mail mail_of(const receiver_config& to, const notice& n, kcontrol::wall_time now) {
    const std::string domain = domain_of(to.smtp.from);
    std::string recipients;
    for (const auto& each : to.smtp.to) recipients += (recipients.empty() ? "" : ",\r\n ") + each;
    std::string text = render_text(to, n);
    if (text.size() > most_mail_bytes) text = std::string(kcontrol::utf8_prefix(text, most_mail_bytes)) + "\u2026";
    smtp_mail out;
    out.from = to.smtp.from;
    out.to = to.smtp.to;
    out.text = "Date: " + mail_date(now) + "\r\nFrom: " + to.smtp.from + "\r\nTo: " + recipients +
               "\r\nSubject: " + header_text(title_of(n)) + "\r\nMessage-ID: <" + n.id + "@" + domain + ">\r\n";
    if (!n.thread.empty()) {
        const std::string first = "<" + n.thread + ".thread@" + domain + ">\r\n";
        out.text += "In-Reply-To: " + first + "References: " + first;
    }
    out.text +=
        "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: quoted-printable\r\n\r\n" +
        quoted_printable(text);
    return out;
}

}  // namespace training_monitor::notices
