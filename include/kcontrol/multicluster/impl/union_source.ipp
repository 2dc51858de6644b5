#pragma once

#include <kcontrol/multicluster/detail/set_publisher.hpp>
#include <kcontrol/multicluster/union_source.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace kcontrol::inline v0_1 {

struct union_source::impl : std::enable_shared_from_this<impl> {
    // One of the sources. Held by a shared pointer: it may be removed while it is being called.
    struct member {
        std::string prefix;
        std::shared_ptr<cluster_source> source;
        std::optional<std::vector<desired_cluster>> clusters;  // nothing before it told them
        std::optional<error> failure;                          // of start()
        std::unique_ptr<timer> retry;
        backoff pause{detail::on_change_backoff()};
        std::uint64_t term = 0;  // counts starts and stops: what an earlier term tells is not heard
    };

    impl(environment& e, executor x, union_source_options o)
        : env(e),
          ex(std::move(x)),
          options(std::move(o)),
          calls(env, options.log()),
          publisher(std::make_shared<detail::set_publisher>(env, ex, "on_change() of a union_source", options.log())) {}

    void start_one(const std::shared_ptr<member>& m) {
        const std::uint64_t term = ++m->term;
        const auto hear = [weak = weak_from_this(), of = std::weak_ptr(m), term](std::vector<desired_cluster> told) {
            const auto alive = weak.lock();
            const auto from = of.lock();
            if (!alive || !from || from->term != term) return;
            from->clusters = std::move(told);
            alive->publisher->publish_soon();
        };
        result<void> started;
        const bool returned = calls.call(
            "start() of a cluster_source", [&] { started = m->source->start(hear); }, [&] { return m->prefix; });
        if (m->term != term) return;  // it was removed meanwhile
        if (!returned) {
            started = error(errc::unavailable, "start() threw: " + calls.last_thrown());
            halt(*m);
        }
        if (!started) return start_again(m, started.error());
        m->failure.reset();
        m->pause.reset();
    }

    void start_again(const std::shared_ptr<member>& m, const error& why) {
        if (!m->failure || m->failure->what() != why.what()) {
            options.log().error("a source of clusters does not start; it is tried again, and the others go on",
                                {{"source", escape_control(m->prefix)}, {"error", escape_control(why.what())}});
        }
        m->failure = why;
        m->retry = env.make_timer(ex);
        m->retry->async_wait(env.now() + m->pause.next(env.now(), random_unit(env)),
                             [weak = weak_from_this(), of = std::weak_ptr(m)](bool expired) {
                                 const auto alive = weak.lock();
                                 const auto failed = of.lock();
                                 if (expired && alive && failed) alive->start_one(failed);
                             });
    }

    void halt(member& m) {
        ++m.term;
        m.retry.reset();
        m.clusters.reset();
        calls.call(
            "stop() of a cluster_source", [&] { m.source->stop(); }, [&] { return m.prefix; });
    }

    // Nothing while no source has told anything: that there are no clusters is not known yet.
    std::optional<std::vector<desired_cluster>> present() const {
        std::vector<desired_cluster> out;
        bool known = members.empty();
        for (const auto& [prefix, m] : members) {
            if (!m->clusters) continue;
            known = true;
            for (const auto& one : *m->clusters) {
                out.push_back(one);
                out.back().name = prefix + options.separator() + one.name;
            }
        }
        if (!known) return std::nullopt;
        return out;
    }

    environment& env;
    executor ex;
    union_source_options options;
    guarded_calls calls;
    std::shared_ptr<detail::set_publisher> publisher;
    std::map<std::string, std::shared_ptr<member>> members;
};

KCONTROL_DECL union_source::union_source(environment& env, executor ex, union_source_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(options))) {}

KCONTROL_DECL union_source::~union_source() { stop(); }

KCONTROL_DECL result<void> union_source::add(std::string prefix, std::shared_ptr<cluster_source> source) {
    impl& self = *impl_;
    const std::string shown = "the prefix \"" + escape_control(prefix) + "\" of a source of clusters";
    if (!source) return error(errc::invalid_argument, shown + ": the source is null");
    if (prefix.empty()) return error(errc::invalid_argument, shown + " is empty: give it a name");
    // Else "a" with "b#c" and "a#b" with "c" would be one name.
    const std::string& separator = self.options.separator();
    if (!separator.empty() && prefix.find(separator) != std::string::npos) {
        return error(errc::invalid_argument,
                     shown + " holds the separator \"" + separator + "\": leave it out, or choose another separator");
    }
    const auto added = std::make_shared<impl::member>();
    added->prefix = prefix;
    added->source = std::move(source);
    if (!self.members.emplace(std::move(prefix), added).second) {
        return error(errc::invalid_argument, shown + " is taken: choose another, or remove() the source that has it");
    }
    const auto alive = impl_;  // whatever a source does when it is started
    if (self.publisher->runs()) alive->start_one(added);
    return {};
}

KCONTROL_DECL void union_source::remove(const std::string& prefix) {
    impl& self = *impl_;
    const auto found = self.members.find(prefix);
    if (found == self.members.end()) return;
    const auto gone = found->second;
    self.members.erase(found);
    if (!self.publisher->runs()) return;
    self.halt(*gone);
    self.publisher->publish_soon();
}

KCONTROL_DECL std::map<std::string, error> union_source::failures() const {
    std::map<std::string, error> out;
    for (const auto& [prefix, m] : impl_->members) {
        if (m->failure) out.emplace(prefix, *m->failure);
    }
    return out;
}

KCONTROL_DECL result<void> union_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    impl& self = *impl_;
    if (self.publisher->runs()) {
        return error(errc::invalid_argument, "the source of clusters runs already; stop it first");
    }
    if (self.options.separator().empty()) {
        return error(errc::invalid_argument,
                     "union_source_options: separator is empty: names of different sources could be one; give \"#\"");
    }
    self.publisher->start(std::move(on_change), [weak = std::weak_ptr(impl_)] {
        const auto alive = weak.lock();
        return alive ? alive->present() : std::nullopt;
    });
    const auto alive = impl_;  // whatever a source does when it is started
    const auto all = self.members;
    for (const auto& [prefix, m] : all) self.start_one(m);
    self.publisher->publish_soon();
    return {};
}

KCONTROL_DECL void union_source::stop() {
    impl& self = *impl_;
    if (!self.publisher->runs()) return;
    self.publisher->stop();
    const auto all = self.members;
    for (const auto& [prefix, m] : all) {
        m->failure.reset();
        m->pause.reset();
        self.halt(*m);
    }
}

}  // namespace kcontrol
