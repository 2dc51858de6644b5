// SMTP: what is said at each reply, and what replies mean; mails; a server that enforces the limits of RFC 5321.
#include "notices/smtp.hpp"

#include <kcontrol/base/base64.hpp>

#include "notices/mail.hpp"
#include "notices/sender.hpp"
#include "notices/support.hpp"
#include "transport/tls_net.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
namespace http = kcontrol::http;
using kcontrol::secret_string;
using kcontrol::test::tcp;

namespace {

smtp_login login(bool tls = false, std::string password = "") {
    smtp_login out;
    out.hello = "example.com";
    out.starts_tls = tls;
    out.user = secret_string("bot");
    out.password = secret_string(std::move(password));
    return out;
}

smtp_mail mail(std::vector<std::string> to = {"a@example.com"}) {
    return {"m@example.com", std::move(to), "Subject: x\r\n\r\n.dot\r\n"};
}

// What the session says to these replies, a line each; "TLS" where it begins.
std::vector<std::string> said(smtp_session& session, const std::vector<std::string>& replies) {
    std::vector<std::string> out;
    std::size_t at = 0;
    for (;;) {
        const auto step = session.next();
        if (step.what == smtp_session::step::kind::done) return out;
        if (step.what == smtp_session::step::kind::write) out.push_back(step.bytes);
        if (step.what == smtp_session::step::kind::start_tls) out.emplace_back("TLS");
        if (step.what != smtp_session::step::kind::read) continue;
        if (at == replies.size()) return out;
        session.take(replies[at++]);
    }
}

const std::vector<std::string> taken{"220 hi", "250 hi", "250 ok", "250 ok", "354 go on", "250 ok"};

}  // namespace

TEST_CASE("smtp: a mail, with and without TLS and a login") {
    smtp_session plain(login(), mail());
    CHECK(said(plain, taken) == std::vector<std::string>{"EHLO example.com\r\n", "MAIL FROM:<m@example.com>\r\n",
                                                         "RCPT TO:<a@example.com>\r\n", "DATA\r\n",
                                                         "Subject: x\r\n\r\n..dot\r\n.\r\n", "QUIT\r\n"});
    CHECK(plain.outcome().how == delivery::kind::sent);
    smtp_session secure(login(true, "pw"), mail());
    const auto all = said(
        secure, {"220-hi", "220 there", "250-hi", "250-STARTTLS", "250 AUTH LOGIN", "220 go", "250-hi", "250-SIZE 1000",
                 "250 AUTH LOGIN PLAIN", "235 2.7.0 ok", "250 ok", "251 forwarded", "354 go on", "250 2.0.0 queued"});
    CHECK(all == std::vector<std::string>{"EHLO example.com\r\n", "STARTTLS\r\n", "TLS", "EHLO example.com\r\n",
                                          "AUTH PLAIN " + kcontrol::encode_base64(std::string("\0bot\0pw", 7)) + "\r\n",
                                          "MAIL FROM:<m@example.com> SIZE=20\r\n", "RCPT TO:<a@example.com>\r\n",
                                          "DATA\r\n", "Subject: x\r\n\r\n..dot\r\n.\r\n", "QUIT\r\n"});
    CHECK(secure.outcome().how == delivery::kind::sent);
}

TEST_CASE("smtp: what a reply at each point means") {
    using how = delivery::kind;
    const struct {
        const char* what;
        smtp_login by;
        std::vector<std::string> replies;
        how outcome;
        const char* why;
    } table[] = {
        {"busy", login(), {"421 4.3.2 later"}, how::try_again, "SMTP 421 4.3.2 at the greeting"},
        {"not for us", login(), {"554 no"}, how::refused, "SMTP 554 at the greeting"},
        {"no EHLO", login(), {"220 hi", "502 what"}, how::refused, "SMTP 502 at EHLO"},
        {"no STARTTLS", login(true), {"220 hi", "250 hi"}, how::refused, "the mail server offers no STARTTLS"},
        {"TLS later", login(true), {"220 hi", "250-hi", "250 STARTTLS", "454 later"}, how::try_again, "at STARTTLS"},
        {"no PLAIN", login(false, "p"), {"220 hi", "250-hi", "250 AUTH LOGIN"}, how::refused, "takes no AUTH PLAIN"},
        {"wrong password",
         login(false, "p"),
         {"220 hi", "250-hi", "250 AUTH PLAIN", "535 5.7.8 T0PSECRET"},
         how::refused,
         "SMTP 535 5.7.8 at AUTH; check usernameFile and passwordFile"},
        {"login fails for now",
         login(false, "p"),
         {"220 hi", "250-hi", "250 AUTH PLAIN", "454 4.7.0 x"},
         how::try_again,
         "SMTP 454 4.7.0 at AUTH"},
        {"wants a login", login(), {"220 hi", "250 hi", "530 5.7.0 log in"}, how::refused, "it wants a login"},
        {"sender", login(), {"220 hi", "250 hi", "550 no"}, how::refused, "SMTP 550 at MAIL FROM; check from"},
        {"greylisted", login(), {"220 hi", "250 hi", "250 ok", "451 4.7.1 x"}, how::try_again, "451 4.7.1 at RCPT TO"},
        {"recipient",
         login(),
         {"220 hi", "250 hi", "250 ok", "550 5.1.1 x"},
         how::refused,
         "SMTP 550 5.1.1 at RCPT TO; check to"},
        {"DATA", login(), {"220 hi", "250 hi", "250 ok", "250 ok", "451 x"}, how::try_again, "at DATA"},
        {"the text",
         login(),
         {"220 hi", "250 hi", "250 ok", "250 ok", "354 go", "552 too large"},
         how::refused,
         "SMTP 552 at the text"},
        {"disk full",
         login(),
         {"220 hi", "250 hi", "250 ok", "250 ok", "354 go", "452 4.3.1 x"},
         how::try_again,
         "SMTP 452 4.3.1 at the text"},
        {"too large by SIZE",
         login(),
         {"220 hi", "250-hi", "250 SIZE 10"},
         how::refused,
         "larger than the mail server"},
        {"HTTP", login(), {"HTTP/1.1 400 Bad Request"}, how::refused, "not SMTP's"},
        {"SSH", login(), {"SSH-2.0-x"}, how::refused, "not SMTP's"},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        smtp_session session(row.by, mail());
        said(session, row.replies);
        CHECK(session.outcome().how == row.outcome);
        CHECK(session.outcome().why.find(row.why) != std::string::npos);
        CHECK(session.outcome().why.find("T0PSECRET") == std::string::npos);  // no words of the server's
    }
}

TEST_CASE("smtp: one recipient that is refused, and nobody gets it; replies without an end are none") {
    smtp_session session(login(), mail({"a@example.com", "b@example.com"}));
    const auto all = said(session, {"220 hi", "250 hi", "250 ok", "250 ok", "550 5.1.1 x"});
    CHECK(all.back() == "QUIT\r\n");
    CHECK(session.outcome().why == "SMTP 550 5.1.1 at RCPT TO 2 of 2; check to");
    smtp_session endless(login(), mail());
    said(endless, std::vector<std::string>(200, "220-more"));
    CHECK(endless.is_over());
    CHECK(endless.outcome().how == delivery::kind::refused);
}

TEST_CASE("mail: headers and text stay within the lines of RFC 5322 and 2045, whatever a job is called") {
    CHECK(header_text("plain words") == "plain words");
    CHECK(header_text("\u2717 a") == "=?utf-8?B?4pyXIGE=?=");
    CHECK(header_text("=?x?=").starts_with("=?utf-8?B?"));
    CHECK(quoted_printable("a=b\n.\nend ") == "a=3Db\r\n.\r\nend=20\r\n");
    CHECK(quoted_printable("\u2717") == "=E2=9C=97\r\n");
    for (const std::string& text : {std::string(500, 'x'), std::string(500, '='), std::string(300, ' ')}) {
        const std::string all = quoted_printable(text) + header_text(text) + "\r\n";
        for (std::size_t begin = 0; begin < all.size();) {
            const auto end = all.find("\r\n", begin);
            REQUIRE(end != std::string::npos);
            CHECK(end - begin <= 76);
            begin = end + 2;
        }
    }
}

// A server that takes what RFC 5321 lets it take, and says 500 to anything else.
namespace {

class strict_server {
public:
    explicit strict_server(kcontrol::test::loopback& lo)
        : acceptor_(lo.context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)),
          tls_(boost::asio::ssl::context::tls_server) {
        tls_.use_certificate_chain(boost::asio::buffer(leaf_.leaf.pem()));
        tls_.use_private_key(boost::asio::buffer(leaf_.leaf.key_pem()), boost::asio::ssl::context::pem);
        boost::asio::co_spawn(lo.context, serve(), boost::asio::detached);
    }
    ~strict_server() { acceptor_.close(); }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    const std::string& ca() const { return ca_; }

    bool offers_tls = true, inject = false;
    int rcpt = 250;
    std::vector<std::string> mails, problems;

private:
    template <class Stream>
    kcontrol::awaitable<bool> line(Stream& from, std::string& into, std::size_t most) {
        while (input_.find("\r\n") == std::string::npos) {
            char chunk[512];
            const auto outcome = co_await from.async_read_some(boost::asio::buffer(chunk), kcontrol::test::no_throw);
            const auto& [failure, n] = outcome;
            if (failure) co_return false;
            input_.append(chunk, n);
        }
        const auto end = input_.find("\r\n");
        into = input_.substr(0, end);
        input_.erase(0, end + 2);
        if (into.size() + 2 > most) problems.push_back("a line of " + std::to_string(into.size()) + " bytes");
        if (into.find('\n') != std::string::npos || into.find('\0') != std::string::npos)
            problems.push_back("LF or NUL");
        co_return true;
    }
    template <class Stream>
    kcontrol::awaitable<void> say(Stream& to, std::string text) {
        text += "\r\n";
        co_await boost::asio::async_write(to, boost::asio::buffer(text), kcontrol::test::no_throw);
    }

    // True: STARTTLS.
    template <class Stream>
    kcontrol::awaitable<bool> talk(Stream& peer, bool secure) {
        if (!secure) co_await say(peer, "220 mx.example.com ESMTP");
        bool greeted = false, known = false, from = false, to = false;
        std::string command;
        for (;;) {
            const bool more = co_await line(peer, command, 512);
            if (!more) co_return false;
            if (command.starts_with("EHLO ") && command.size() > 5) {
                greeted = true;
                std::string hello = "250-mx.example.com\r\n250-SIZE 100000\r\n";
                if (!secure && offers_tls) hello += "250-STARTTLS\r\n";
                hello += secure ? "250 AUTH PLAIN" : "250 HELP";
                co_await say(peer, hello);
            } else if (command == "STARTTLS" && greeted && !secure) {
                const std::string words = inject ? "220 go\r\n250 injected" : "220 go";
                co_await say(peer, words);
                co_return true;
            } else if (command.starts_with("AUTH PLAIN ") && greeted && secure) {
                known = command.substr(11) == kcontrol::encode_base64(std::string("\0bot\0T0PSECRET", 14));
                const std::string words = known ? "235 ok" : "535 5.7.8 no";
                co_await say(peer, words);
            } else if (command.starts_with("MAIL FROM:<") && greeted && (known || !offers_tls)) {
                from = true;
                co_await say(peer, "250 ok");
            } else if (command.starts_with("RCPT TO:<") && from) {
                to = rcpt == 250;
                co_await say(peer, std::to_string(rcpt) + " 5.1.1 so be it");
            } else if (command == "DATA" && to) {
                co_await say(peer, "354 go on");
                std::string text, one;
                for (;;) {
                    const bool there = co_await line(peer, one, 1000);
                    if (!there || one == ".") break;
                    if (one.starts_with('.') && !one.starts_with("..")) problems.push_back("no dot before a dot");
                    text += one.substr(one.starts_with('.') ? 1 : 0) + "\n";
                }
                mails.push_back(text);
                co_await say(peer, "250 queued");
            } else if (command == "QUIT") {
                co_return false;
            } else {
                problems.push_back(command);
                co_await say(peer, "503 bad sequence");
            }
        }
    }

    kcontrol::awaitable<void> serve() {
        for (;;) {
            auto outcome = co_await acceptor_.async_accept(kcontrol::test::no_throw);
            auto& [failure, socket] = outcome;
            if (failure) co_return;
            input_.clear();
            const bool secures = co_await talk(socket, false);
            if (!secures) continue;
            boost::asio::ssl::stream<tcp::socket> secure(std::move(socket), tls_);
            const auto shaken =
                co_await secure.async_handshake(boost::asio::ssl::stream_base::server, kcontrol::test::no_throw);
            if (!std::get<0>(shaken)) co_await talk(secure, true);
        }
    }

    kcontrol::test::tree leaf_;
    std::string ca_ = leaf_.root.pem();
    tcp::acceptor acceptor_;
    boost::asio::ssl::context tls_;
    std::string input_;
};

struct mail_world {
    kcontrol::test::loopback lo;
    strict_server server{lo};

    receiver_config to(std::string password = "T0PSECRET") {
        receiver_config out;
        out.name = "ops";
        out.kind = receiver_kind::smtp;
        out.smtp.server = http::endpoint("tcp", "127.0.0.1", server.port());
        out.smtp.from = "monitor@example.com";
        out.smtp.to = {"oncall@example.com", "team@example.com"};
        out.smtp.user = secret_string("bot");
        out.smtp.password = secret_string(std::move(password));
        out.smtp.tls.ca_pem(server.ca());
        return out;
    }
    delivery send(const receiver_config& config, const notice& n) {
        std::optional<delivery> out;
        sender by(lo.env, lo.ex(), config, {});
        kcontrol::testing::run(lo.context,
                               [](sender& s, notice what, std::optional<delivery>& into) -> kcontrol::awaitable<void> {
                                   auto how = co_await s.send(std::move(what), {});
                                   into.emplace(std::move(how));
                               }(by, n, out));
        return *out;
    }
};

}  // namespace

TEST_CASE("smtp: a strict server takes the mail over STARTTLS with a login") {
    mail_world w;
    auto n = tests::failed_notice();
    n.thread = "matter-1";
    CHECK(w.send(w.to(), n).why == "");
    REQUIRE(w.server.mails.size() == 1);
    CHECK(w.server.problems.empty());
    const auto& text = w.server.mails[0];
    for (const char* part : {"From: monitor@example.com\n", "To: oncall@example.com,\n team@example.com\n",
                             "Message-ID: <id-1@example.com>\n", "References: <matter-1.thread@example.com>\n",
                             "Auto-Submitted: auto-generated\n", "\n\n=E2=9C=97 ml/bert failed"}) {
        CAPTURE(text);
        CHECK_MESSAGE(text.find(part) != std::string::npos, part);
    }
    auto huge = n;
    auto view = *n.job;
    view.why = std::string(100'000, '.') + "\n.\nx";
    view.name = std::string(253, 'n');
    huge.job = std::make_shared<const job_view>(view);
    huge.log.assign(20, std::string(4000, '.'));
    CHECK(w.send(w.to(), huge).why == "");
    CHECK(w.server.problems.empty());
}

TEST_CASE("smtp: what a server refuses, and what is not sent at all") {
    mail_world w;
    CHECK(w.send(w.to("wrong"), tests::failed_notice()).why ==
          "SMTP 535 5.7.8 at AUTH; check usernameFile and passwordFile");
    w.server.rcpt = 550;
    CHECK(w.send(w.to(), tests::failed_notice()).how == delivery::kind::refused);
    w.server.rcpt = 451;
    CHECK(w.send(w.to(), tests::failed_notice()).how == delivery::kind::try_again);
    auto stranger = w.to();
    stranger.smtp.tls = http::tls_options();  // the system's authorities
    CHECK(w.send(stranger, tests::failed_notice()).why.find("TLS failed") != std::string::npos);
    w.server.inject = true;
    CHECK(w.send(w.to(), tests::failed_notice()).why.find("not SMTP") != std::string::npos);
    w.server.inject = false;
    w.server.offers_tls = false;
    CHECK(w.send(w.to(), tests::failed_notice()).why.find("offers no STARTTLS") != std::string::npos);
    CHECK(w.server.mails.empty());
    auto plain = w.to("");
    plain.smtp.starts_tls = false;
    w.server.rcpt = 250;
    CHECK(w.send(plain, tests::failed_notice()).why == "");
    CHECK(w.server.mails.size() == 1);
    CHECK(w.server.problems.empty());
    plain.smtp.server.port = 1;
    CHECK(w.send(plain, tests::failed_notice()).why == "connection refused");
}
