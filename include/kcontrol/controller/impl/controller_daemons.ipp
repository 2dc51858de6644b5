// What a reconcile may do with the daemons of its object, from whatever thread it runs on.
#pragma once

#include <kcontrol/controller/impl/controller_impl.hpp>

#include <boost/asio/post.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

// It holds nothing: a daemon may hold the context of the reconcile that it was asked for in.
class any_controller::reconcile_daemons final : public detail::daemon_keeper {
public:
    reconcile_daemons(std::weak_ptr<impl> of, std::weak_ptr<const detail::work_item> item, reasoned_token within)
        : of_(std::move(of)), item_(std::move(item)), within_(std::move(within)) {}

    void start(std::string name, daemon_function f) override {
        at_home([within = within_, name = std::move(name), f = std::move(f)](
                    impl& self, const detail::work_item& item) { self.start_daemon(item, within, name, f); });
    }
    void stop(std::string name) override {
        at_home([name = std::move(name)](impl& self, const detail::work_item& item) { self.stop_daemon(item, name); });
    }

private:
    // At once, where reconcilers run at home. From elsewhere it is there before the end of the reconcile, which takes
    // the same way. Posted from home itself it would come after that.
    template <class F>
    void at_home(F f) {
        const auto to = of_.lock();
        if (!to) return;
        auto call = [of = of_, item = item_, f = std::move(f)] {
            const auto self = of.lock();
            const auto present = item.lock();
            if (self && present) {
                f(*self, *present);
            } else if (self) {
                self->log.warning("a daemon was asked for when its reconcile had ended, and is left as it is");
            }
        };
        if (to->options.run_on()) {
            boost::asio::post(to->ex, std::move(call));
        } else {
            call();
        }
    }

    std::weak_ptr<impl> of_;
    std::weak_ptr<const detail::work_item> item_;
    reasoned_token within_;
};

// Of a run that is over none is started: nobody would stop it.
inline void any_controller::impl::start_daemon(const detail::work_item& item, const reasoned_token& within,
                                               const std::string& daemon, daemon_function f) {
    if (within.token().stop_requested()) return;
    std::shared_ptr<detail::object_daemons> of;
    calls.call("get() of a source", [&] { of = item.daemons(); });
    if (!of) return;
    logger named = log;
    calls.call("add_log_fields()", [&] { named = item.name_in(log); });
    named = named.with("daemon", daemon);
    const bool room = daemons->alive < options.max_daemons();
    const auto answer = of->ask(daemon, std::move(f), detail::daemon_term(tasks, within, named, daemons), room);
    if (answer == detail::daemon_answer::refused) tell_refused(named, room);
}

inline void any_controller::impl::tell_refused(const logger& named, bool room) {
    ++daemons->refused;
    const auto how_often = refused_daemons.count(env.now());
    if (!how_often) return;
    const std::string why = room ? "the object has " + std::to_string(options.max_daemons_per_object()) +
                                       " already, as many as controller_options::max_daemons_per_object() says"
                                 : "there are " + std::to_string(daemons->alive) +
                                       " already, as many as controller_options::max_daemons() says";
    named.error("a daemon is refused", {{"error", why}, {"times", std::to_string(*how_often)}});
}

inline void any_controller::impl::stop_daemon(const detail::work_item& item, const std::string& daemon) {
    std::shared_ptr<detail::object_daemons> of;
    calls.call("get() of a source", [&] { of = item.daemons(); });
    if (of) of->stop(daemon);
}

}  // namespace kcontrol
