#pragma once

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/multicluster/detail/printable_name.hpp>
#include <kcontrol/multicluster/detail/record_tracker.hpp>
#include <kcontrol/multicluster/detail/set_publisher.hpp>
#include <kcontrol/multicluster/record_source.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

using records_seen = result<std::optional<std::vector<cluster_record>>>;

// On the worker.
inline awaitable<records_seen> look_at_records(std::shared_ptr<cluster_records> records, bool anyway) {
    std::optional<records_seen> seen;
    try {
        seen = records->poll(anyway);
    } catch (...) {
        seen = error_of_thrown("look() of cluster_records");
    }
    co_return std::move(*seen);
}

inline result<auth::cluster_config> read_record(environment& env, const cluster_record& record,
                                                const auth::trust& trust) {
    const std::string origin = "the record of cluster " + printable_name(record.name);
    const bool in_file = record.kubeconfig.empty();
    if (in_file && record.path.empty()) {
        return error(errc::invalid_config, origin + " has neither a kubeconfig nor the path of one");
    }
    if (in_file && !trust.allows(auth::kubeconfig_feature::files)) {
        return error(errc::invalid_config, origin +
                                               " names a file, which records of others may not: put the "
                                               "kubeconfig itself there, or say trust()");
    }
    secret_string text = record.kubeconfig;
    if (in_file) {
        auto read = env.read_regular_file(record.path, auth::kubeconfig::max_bytes);
        if (!read) return read.error();
        text = secret_string(std::move(*read));
    }
    if (text.reveal().size() > auth::kubeconfig::max_bytes) {
        return error(errc::too_large, origin + ": its kubeconfig is larger than " +
                                          std::to_string(auth::kubeconfig::max_bytes) + " bytes");
    }
    const auto parsed = auth::kubeconfig::parse(text.reveal(), record.path.empty() ? origin : record.path, trust);
    if (!parsed) return parsed.error();
    auto config = parsed->resolve(env, record.context);
    // Also without credentials: an answer that anybody on the way can write is no answer.
    if (config && !trust.is_trusted() && config->server().scheme != "https") {
        return error(errc::invalid_config, origin + ": server: an untrusted kubeconfig must name an https server");
    }
    return config;
}

}  // namespace detail

struct record_source::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, std::shared_ptr<cluster_records> r, record_source_options o)
        : env(e),
          records(std::move(r)),
          options(std::move(o)),
          worker(options.worker().value_or(x)),
          tasks(e, x, options.log()),
          publisher(std::make_shared<detail::set_publisher>(e, x, "on_change() of a record_source", options.log())) {}

    static awaitable<void> run(std::shared_ptr<impl> self, std::stop_token stop) {
        const bool files = self->options.trust().allows(auth::kubeconfig_feature::files);
        bool anyway = true;
        time_point again_at = self->env.now();
        // Of a start that follows a stop at once: the worker may have more than one thread.
        while (self->looking && !stop.stop_requested()) co_await self->pause(stop);
        while (!stop.stop_requested()) {
            const bool again = files && self->env.now() >= again_at;
            self->looking = true;
            auto there = detail::look_at_records(self->records, anyway || again);
            auto seen = co_await boost::asio::co_spawn(self->worker, std::move(there), boost::asio::use_awaitable);
            self->looking = false;
            if (stop.stop_requested()) co_return;
            anyway = !seen;
            if (again && seen) again_at = self->env.now() + self->options.reload_interval();
            self->take(std::move(seen), again);
            co_await self->pause(stop);
        }
    }

    awaitable<void> pause(std::stop_token stop) { co_await sleep_for(env, options.poll_period(), std::move(stop)); }

    void take(detail::records_seen seen, bool again) {
        if (!seen) return complain(seen.error().what());
        failure.clear();
        if (!*seen) return;
        const auto printable = [](const error& why) { return error(why.code(), escape_control(why.message())); };
        const auto read = [&](const cluster_record& one) -> result<auth::cluster_config> {
            auto config = detail::read_record(env, one, options.trust());
            if (!config) return printable(config.error());
            return config;
        };
        for (const auto& one : tracker.take(**seen, read, again)) {
            options.log().warning("a record of a cluster can't be used", {{"cluster", one.name}, {"error", one.why}});
        }
        known = true;
        publisher->publish_soon();
    }

    void complain(const std::string& why) {
        if (failure == why) return;
        failure = why;
        options.log().error("the records of clusters can't be read; the clusters stay as they are",
                            {{"error", escape_control(why)}});
    }

    environment& env;
    std::shared_ptr<cluster_records> records;
    record_source_options options;
    executor worker;
    task_group tasks;
    std::shared_ptr<detail::set_publisher> publisher;
    detail::record_tracker tracker;
    std::string failure;   // to read the records at all, as it was logged
    bool known = false;    // the records were read since start()
    bool looking = false;  // a call of look() is under way
    std::unique_ptr<scope> term;
};

KCONTROL_DECL record_source::record_source(environment& env, executor ex, std::shared_ptr<cluster_records> records,
                                           record_source_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(records), std::move(options))) {}

KCONTROL_DECL record_source::~record_source() { stop(); }

KCONTROL_DECL result<void> record_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    if (impl_->term) return error(errc::invalid_argument, "the source of clusters runs already; stop it first");
    impl_->term = std::make_unique<scope>();
    impl_->publisher->start(std::move(on_change), [weak = std::weak_ptr(impl_)] {
        const auto alive = weak.lock();
        return alive && alive->known ? std::optional(alive->tracker.present()) : std::nullopt;
    });
    impl_->tasks.spawn(impl::run(impl_, impl_->term->token()));
    return {};
}

KCONTROL_DECL void record_source::stop() {
    impl_->publisher->stop();
    impl_->term.reset();
    // What was before a stop is old, and is told again after it.
    impl_->tracker = detail::record_tracker();
    impl_->known = false;
    impl_->failure.clear();
}

}  // namespace kcontrol
