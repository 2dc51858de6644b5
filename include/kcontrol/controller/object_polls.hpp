// Periodic polls about objects: the last answer for each, and a reconcile when it changes.
#pragma once

#include <kcontrol/controller/reconcile_context.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Each reconcile calls poll(); a timer of the object (reconcile_context::timer) then calls the function at once, and
/// again a period after each return, and has the object reconciled when the answer, or the error in its place, is
/// another one than before. After an error the function is retried with the controller's daemon_backoff. It ends with
/// the object, with the controller, and by end().
///
///     const auto version = [url](std::stop_token stop) { return read_version(url, stop); };
///     versions_.poll(ctx, job->metadata.uid, url, version);
///     if (const auto* last = versions_.last(job->metadata.uid, url)) …
///
/// Thread-safety: shared objects unsafe; use it on the controller's executor. Object lifetime: it may be destroyed
/// before the timers.
template <class Answer>
class object_polls {
public:
    /// One request, on the controller's executor; it is to return soon after its token is triggered.
    using function = std::function<awaitable<result<Answer>>(std::stop_token)>;

    /// `name`: that of the timer, among those of an object.
    object_polls(std::string name, duration period) : name_(std::move(name)), period_(period) {}

    /// `question` identifies what is polled, such as a URL: a different one restarts, without an answer.
    void poll(const reconcile_context& ctx, std::string_view uid, std::string_view question, function f) {
        const auto present = find(uid);
        if (present && present->question == question) return;
        end(ctx, uid);
        auto begun = std::make_shared<entry>(std::string(question), std::move(f));
        polls_.insert_or_assign(std::string(uid), begun);
        ctx.timer(name_, period_, [begun = std::move(begun)](daemon_context d) { return run(begun, std::move(d)); });
    }

    /// Ends the polls about that object.
    void end(const reconcile_context& ctx, std::string_view uid) {
        if (find(uid)) ctx.stop_daemon(name_);
        std::erase_if(polls_, [uid](const auto& each) { return each.first == uid || each.second.expired(); });
    }

    /// The last answer, or why there is none. Null: not polled, or not answered yet.
    std::shared_ptr<const result<Answer>> last(std::string_view uid, std::string_view question) const {
        const auto present = find(uid);
        return present && present->question == question ? present->last : nullptr;
    }

private:
    struct entry {
        entry(std::string q, function f) : question(std::move(q)), call(std::move(f)) {}
        std::string question;
        function call;
        std::shared_ptr<const result<Answer>> last;
    };

    static bool same(const result<Answer>& a, const result<Answer>& b) {
        if (a && b) return *a == *b;
        return !a && !b && std::string_view(a.error().what()) == b.error().what();
    }

    static awaitable<result<void>> run(std::shared_ptr<entry> of, daemon_context d) {
        auto answer = co_await of->call(d.stop());
        if (d.stop().stop_requested()) co_return result<void>();
        if (!of->last || !same(*of->last, answer)) {
            of->last = std::make_shared<const result<Answer>>(answer);
            d.reconcile();
        }
        if (!answer) co_return answer.error();
        co_return result<void>();
    }

    std::shared_ptr<entry> find(std::string_view uid) const {
        const auto found = polls_.find(uid);
        return found == polls_.end() ? nullptr : found->second.lock();
    }

    std::string name_;
    duration period_;
    std::map<std::string, std::weak_ptr<entry>, std::less<>> polls_;  // their timers hold them
};

}  // namespace kcontrol
