#include "notices/smtp.hpp"

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/base64.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace training_monitor::notices {
namespace {

bool is_digit_of_reply(char c) { return c >= '0' && c <= '9'; }

// "5.7.8" at the beginning of a reply's text (RFC 3463): it may be shown, for it holds digits alone.
std::string_view enhanced_code(std::string_view text) {
    const auto end = text.find_first_not_of("0123456789.");
    const auto code = text.substr(0, end);
    const bool looks_so =
        code.size() >= 5 && code.size() <= 11 && code[1] == '.' && code.find('.', 2) != std::string::npos;
    return looks_so ? code : std::string_view();
}

std::string_view remedy_of(std::string_view what, int code) {
    if (what == "AUTH") return code == 535 || code == 530 ? "; check usernameFile and passwordFile" : "";
    if (what == "MAIL FROM")
        return code == 530 ? "; it wants a login: give usernameFile and passwordFile" : "; check from";
    if (what == "RCPT TO") return code == 530 ? "; it wants a login: give usernameFile and passwordFile" : "; check to";
    return "";
}

}  // namespace

std::string dot_stuffed(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 16);
    while (!text.empty()) {
        const auto line = text.substr(0, std::min(text.find("\r\n"), text.size()));
        text.remove_prefix(std::min(line.size() + 2, text.size()));
        out.append(line.starts_with('.') ? "." : "").append(line).append("\r\n");
    }
    return out + ".\r\n";
}

smtp_session::smtp_session(smtp_login login, smtp_mail mail) : login_(std::move(login)), mail_(std::move(mail)) {}

smtp_session::step smtp_session::next() {
    step out;
    if (!out_.empty()) {
        out.what = step::kind::write;
        out.bytes = std::exchange(out_, {});
    } else if (std::exchange(wants_tls_, false)) {
        out.what = step::kind::start_tls;
        say(stage::hello_again, "EHLO " + login_.hello);
    } else if (stage_ == stage::over) {
        out.what = step::kind::done;
    }
    return out;
}

void smtp_session::say(stage next, std::string line) {
    stage_ = next;
    out_ = std::move(line) + "\r\n";
}

void smtp_session::end(delivery how) {
    outcome_ = std::move(how);
    // It is told that nothing follows; what it says to that is not awaited.
    say(stage::over, "QUIT");
}

void smtp_session::take(std::string_view line) {
    if (stage_ == stage::over) return;
    int code = 0;
    const bool is_reply = line.size() >= 3 && is_digit_of_reply(line[0]) && is_digit_of_reply(line[1]) &&
                          is_digit_of_reply(line[2]) && (line.size() == 3 || line[3] == ' ' || line[3] == '-');
    if (!is_reply || ++lines_ > most_lines_of_a_reply) {
        stage_ = stage::over;
        outcome_ = delivery::refused("the answer is not SMTP's: check host, port and tls");
        return;
    }
    std::from_chars(line.data(), line.data() + 3, code);
    const auto text = line.size() > 4 ? line.substr(4) : std::string_view();
    const bool of_hello = stage_ == stage::hello || stage_ == stage::hello_again;
    if (of_hello && code == 250 && lines_ > 1) read_extension(text);  // the first line greets
    if (line.size() > 3 && line[3] == '-') return;                    // more of it follows
    lines_ = 0;
    judge(code, enhanced_code(text));
}

void smtp_session::read_extension(std::string_view text) {
    if (kcontrol::iequals(text, "STARTTLS")) offers_tls_ = true;
    if (kcontrol::istarts_with(text, "AUTH ") || kcontrol::istarts_with(text, "AUTH=")) {
        const std::string mechanisms = " " + kcontrol::ascii_lower(text.substr(5)) + " ";
        if (mechanisms.find(" plain ") != std::string::npos) offers_plain_ = true;
    }
    if (kcontrol::istarts_with(text, "SIZE")) {
        offers_size_ = true;
        const auto number = text.size() > 5 ? text.substr(5) : std::string_view();
        std::from_chars(number.data(), number.data() + number.size(), most_bytes_);
    }
}

void smtp_session::judge(int code, std::string_view enhanced) {
    struct row {
        stage at;
        int wanted;
        std::string_view what;
    };
    constexpr row rows[] = {{stage::greeting, 220, "the greeting"},
                            {stage::hello, 250, "EHLO"},
                            {stage::starttls, 220, "STARTTLS"},
                            {stage::hello_again, 250, "EHLO"},
                            {stage::auth, 235, "AUTH"},
                            {stage::from, 250, "MAIL FROM"},
                            {stage::to, 250, "RCPT TO"},
                            {stage::data, 354, "DATA"},
                            {stage::text, 250, "the text"}};
    for (const auto& [at, wanted, what] : rows) {
        if (at != stage_) continue;
        if (code != wanted && !(stage_ == stage::to && code == 251)) {
            std::string why = "SMTP " + std::to_string(code);
            if (!enhanced.empty()) why.append(" ").append(enhanced);
            why.append(" at ").append(what);
            if (stage_ == stage::to && mail_.to.size() > 1) {
                why += " " + std::to_string(recipient_ + 1) + " of " + std::to_string(mail_.to.size());
            }
            if (code >= 400 && code < 500) return end(delivery::try_again(std::move(why)));
            return end(delivery::refused(why.append(remedy_of(what, code))));
        }
        return enter();
    }
}

// The stage was passed.
void smtp_session::enter() {
    switch (stage_) {
    case stage::greeting: return say(stage::hello, "EHLO " + login_.hello);
    case stage::hello:
        if (!login_.starts_tls) return after_hello();
        if (!offers_tls_) {
            return end(
                delivery::refused("the mail server offers no STARTTLS: say tls: implicit and its port for that"));
        }
        return say(stage::starttls, "STARTTLS");
    case stage::starttls:
        // What was offered in plain text may be somebody else's words.
        offers_tls_ = offers_plain_ = offers_size_ = false;
        most_bytes_ = 0;
        stage_ = stage::secured;
        wants_tls_ = true;
        return;
    case stage::hello_again: return after_hello();
    case stage::auth: return send_from();
    case stage::from:
    case stage::to:
        if (stage_ == stage::to) ++recipient_;
        if (recipient_ == mail_.to.size()) return say(stage::data, "DATA");
        return say(stage::to, "RCPT TO:<" + mail_.to[recipient_] + ">");
    case stage::data:
        stage_ = stage::text;
        out_ = dot_stuffed(mail_.text);
        return;
    case stage::text: return end(delivery::sent());
    case stage::secured:
    case stage::over: return;
    }
}

void smtp_session::after_hello() {
    if (login_.password.empty()) return send_from();
    if (!offers_plain_) return end(delivery::refused("the mail server takes no AUTH PLAIN over this connection"));
    std::string credentials(1, '\0');
    credentials.append(login_.user.reveal()).append(1, '\0').append(login_.password.reveal());
    say(stage::auth, "AUTH PLAIN " + kcontrol::encode_base64(credentials));
}

void smtp_session::send_from() {
    if (most_bytes_ > 0 && mail_.text.size() > most_bytes_) {
        return end(delivery::refused("the mail is larger than the mail server takes; shorten text"));
    }
    say(stage::from,
        "MAIL FROM:<" + mail_.from + ">" + (offers_size_ ? " SIZE=" + std::to_string(mail_.text.size()) : ""));
}

}  // namespace training_monitor::notices
