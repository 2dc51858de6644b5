// One mail over SMTP (RFC 5321, with STARTTLS of RFC 3207 and AUTH PLAIN of RFC 4954). A plain state machine: lines of
// the server in, what to send out.
#pragma once

#include <kcontrol/base/secret_string.hpp>

#include "notices/delivery.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor::notices {

/// A mail that is ready to be sent. Lines of the text end in CR LF.
struct smtp_mail {
    std::string from;
    std::vector<std::string> to;
    std::string text;
};

/// How to be let in.
struct smtp_login {
    std::string hello;                       ///< what EHLO says: a domain
    bool starts_tls = false;                 ///< nothing is said before TLS but EHLO
    kcontrol::secret_string user, password;  ///< an empty password: no AUTH
};

/// All recipients get it, or none: what one of them refuses for good is refused, so that a second try doubles nothing.
/// A reply of 4xx asks for another try, one of 5xx refuses.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class smtp_session {
public:
    smtp_session(smtp_login login, smtp_mail mail);

    struct step {
        enum class kind {
            read,       ///< a line, for take()
            write,      ///< `bytes`, then ask again
            start_tls,  ///< then ask again
            done,       ///< see outcome(); the connection may be closed
        };
        kind what = kind::read;
        std::string bytes;  ///< may hold the credentials
    };
    /// What to do now.
    step next();
    /// A line came, without its end.
    void take(std::string_view line);

    /// outcome() is known, and at most QUIT is still to be sent.
    bool is_over() const noexcept { return stage_ == stage::over; }
    /// After done.
    const delivery& outcome() const noexcept { return outcome_; }

    static constexpr std::size_t most_lines_of_a_reply = 100;

private:
    enum class stage { greeting, hello, starttls, secured, hello_again, auth, from, to, data, text, over };
    void say(stage next, std::string line);
    void read_extension(std::string_view text);
    void judge(int code, std::string_view enhanced);
    void after_hello();
    void enter();
    void send_from();
    void end(delivery how);

    smtp_login login_;
    smtp_mail mail_;
    stage stage_ = stage::greeting;
    std::string out_;
    bool wants_tls_ = false;
    std::size_t lines_ = 0, recipient_ = 0;
    bool offers_tls_ = false, offers_plain_ = false, offers_size_ = false;
    std::size_t most_bytes_ = 0;  ///< that the server takes; 0: it does not say
    delivery outcome_ = delivery::try_again("the mail server said nothing");
};

/// The text as DATA sends it: a dot before each line that begins with one, and the end.
std::string dot_stuffed(std::string_view text);

}  // namespace training_monitor::notices
