#include "notices/sender.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/transport/line_connection.hpp>

#include "notices/answers.hpp"
#include "notices/formats.hpp"
#include "notices/mail.hpp"
#include "notices/smtp.hpp"
#include "pods/secret_mask.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace training_monitor::notices {

using kcontrol::errc;

namespace {

constexpr std::size_t most_complaint_bytes = std::size_t{16} << 10;

// Cut between characters.
std::string cut(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
    text.resize(most);
    return text + "\u2026";
}

// The last line that the program wrote to its standard error, which usually says why. It may say more than it should:
// what looks like a secret is masked.
std::string complaint_of(const kcontrol::process_result& ended) {
    secret_mask mask;
    std::string last;
    for (std::string_view rest = ended.errors; !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        auto line = mask.mask(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        if (!line.empty()) last = std::move(line);
    }
    return last.empty() ? "" : ": " + kcontrol::escape_control(cut(std::move(last), 300));
}

}  // namespace

std::string sender::reference_of(const std::string& thread) const {
    const auto at = threads_.find(thread);
    return at == threads_.end() ? std::string() : at->second;
}

void sender::restore_thread(const std::string& thread, std::string reference) {
    if (!thread.empty() && !reference.empty()) threads_.emplace(thread, std::move(reference));
}

kcontrol::awaitable<delivery> sender::send(notice what, std::stop_token stop) {
    if (to_.kind == receiver_kind::command) {
        auto ran = co_await run(what, std::move(stop));
        co_return ran;
    }
    if (to_.kind == receiver_kind::smtp) {
        auto mailed = co_await mail(what, std::move(stop));
        co_return mailed;
    }
    auto posted = co_await post(what, std::move(stop));
    co_return posted;
}

kcontrol::awaitable<delivery> sender::post(const notice& what, std::stop_token stop) {
    if (!transport_) {
        auto made = factory_(ex_, to_.http.server, to_.http.tls);
        if (!made) co_return delivery::refused("its TLS settings can't be used; check caFile");
        transport_ = std::move(*made);
    }
    const std::string first = reference_of(what.thread);
    auto request = make_request(to_, what, env_.wall_now(), first);
    kcontrol::http::exchange_options options;
    options.deadline(to_.timeout).max_body(std::size_t{64} << 10).stop(std::move(stop));
    const auto started = env_.now();
    const auto answer = co_await transport_->round_trip(std::move(request), options);
    if (!answer && answer.error() == errc::unknown_outcome && env_.now() - started >= to_.timeout) {
        co_return judge(to_, kcontrol::error(errc::timeout));  // what was lost was lost to the deadline
    }
    auto how = judge(to_, answer);
    if (!how.reference.empty() && !what.thread.empty() && first.empty()) {
        if (threads_.size() >= most_threads) threads_.clear();
        threads_.emplace(what.thread, how.reference);
    }
    co_return how;
}

kcontrol::awaitable<delivery> sender::mail(const notice& what, std::stop_token stop) {
    const auto& to = to_.smtp;
    smtp_login login;
    login.hello = to.from.substr(to.from.find('@') + 1);
    login.starts_tls = to.starts_tls;
    login.user = to.user;
    login.password = to.password;
    smtp_session session(std::move(login), mail_of(to_, what, env_.wall_now()));
    kcontrol::http::line_options bounds;
    bounds.deadline(env_.now() + to_.timeout).stop(std::move(stop));
    auto opening = kcontrol::http::open_line_connection(env_, ex_, to.server, to.tls, std::move(bounds));
    auto line = co_await std::move(opening);
    if (!line) co_return judge_failure(line.error(), "SMTP");
    for (;;) {
        auto step = session.next();
        if (step.what == smtp_session::step::kind::done) co_return session.outcome();
        kcontrol::result<void> done;
        if (step.what == smtp_session::step::kind::read) {
            const auto said = co_await (*line)->read_line();
            if (said) {
                session.take(*said);
            } else {
                done = said.error();
            }
        } else if (step.what == smtp_session::step::kind::write) {
            auto writing = (*line)->write(std::move(step.bytes));
            done = co_await std::move(writing);
        } else {
            done = co_await (*line)->start_tls();
        }
        if (!done) co_return session.is_over() ? session.outcome() : judge_failure(done.error(), "SMTP");
    }
}

kcontrol::awaitable<delivery> sender::run(const notice& what, std::stop_token stop) {
    kcontrol::process_command command(to_.arguments);
    command.variable("PATH", "/usr/local/bin:/usr/bin:/bin").variable("LANG", "C.UTF-8");
    for (const auto& [name, value] : to_.environment) command.variable(name, value);
    command.input(notice_json(to_, what) + "\n")
        .deadline(to_.timeout)
        .stop(std::move(stop))
        .max_output(most_complaint_bytes);
    const auto ended = co_await env_.run_process(std::move(command));
    co_return judge_exit(ended);
}

delivery judge_exit(const kcontrol::result<kcontrol::process_result>& ended) {
    constexpr int temporary_failure = 75;  // sysexits.h
    if (!ended) {
        if (ended.error() == errc::timeout) return delivery::try_again("the program did not end in time");
        if (ended.error() == errc::stopped) return delivery::try_again("stopped");
        return delivery::refused("the program can't be started; check arguments");
    }
    if (ended->signal != 0)
        return delivery::refused("the program was ended by signal " + std::to_string(ended->signal) +
                                 complaint_of(*ended));
    if (ended->exit_status == 0) return delivery::sent();
    const std::string text =
        "the program's exit status was " + std::to_string(ended->exit_status) + complaint_of(*ended);
    return ended->exit_status == temporary_failure ? delivery::try_again(text) : delivery::refused(text);
}

}  // namespace training_monitor::notices
