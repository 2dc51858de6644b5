#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/self_signed.hpp>
#include <kcontrol/transport/server.hpp>
#include <kcontrol/webhook/certificate_manager.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

/// The Secret with the authorities.
struct authority_secret {
    static constexpr resource_name kcontrol_resource{"", "v1", "Secret", "secrets"};
    object_meta metadata;
    std::map<std::string, std::string> data;  ///< base64
    std::string type;
    static constexpr auto kcontrol_fields() {
        return fields(field("data", &authority_secret::data), field("type", &authority_secret::type));
    }
};

inline constexpr const char* authorities_member = "authorities";
inline constexpr const char* bundle_member = "ca.crt";

// A certificate has no room for more. Hosts are verified by the alternative names, which are whole.
inline std::string common_name_of(std::string name) {
    name.resize(std::min(name.size(), http::certificate_options::max_name));
    return name;
}

}  // namespace detail

struct certificate_manager::state {
    state(environment& e, client c, certificate_manager_options o, logger l)
        : env(e), api(std::move(c)), options(std::move(o)), log(std::move(l)) {}

    result<void> add_authority(authority_set& to) const {
        const wall_time now = env.wall_now();
        const wall_time until = now + options.policy().authority_lifetime();
        http::certificate_options about(now);
        about.common_name(
            detail::common_name_of("kcontrol-webhooks " + options.secret_namespace() + "/" + options.secret_name()));
        about.not_after(until);
        const auto made = http::certificate_authority::create(about);
        if (!made) return made.error();
        to.add(webhook_authority(made->cert_pem(), made->key_pem(), now, until));
        return {};
    }

    // What the Secret shall hold, of what it holds; whether that is something else.
    result<bool> bring_up_to_date(authority_set& set) const {
        const wall_time now = env.wall_now();
        const bool one_more = set.needs_authority(now, options.policy());
        if (one_more) {
            if (auto added = add_authority(set); !added) return added.error();
        }
        return set.prune(now, options.policy()) || one_more;
    }

    // Of a Secret that is there all else stays: its labels and owners, its type, which can't be changed, other data.
    detail::authority_secret secret_of(const authority_set& set, detail::authority_secret out) const {
        out.metadata.name = options.secret_name();
        out.metadata.namespace_ = options.secret_namespace();
        if (out.type.empty()) out.type = "Opaque";
        out.data[detail::authorities_member] = encode_base64(set.encode().reveal());
        out.data[detail::bundle_member] = encode_base64(set.bundle(env.wall_now()));
        return out;
    }

    authority_set read(const detail::authority_secret& secret) {
        const auto found = secret.data.find(detail::authorities_member);
        auto text = found == secret.data.end() ? std::nullopt : decode_base64(found->second);
        auto set = authority_set::decode(text ? *text : std::string());
        if (set) return std::move(*set);
        if (!std::exchange(damaged, true)) {
            log.warning("the Secret of the webhooks' authorities is damaged; new ones are made",
                        {{"secret", options.secret_namespace() + "/" + options.secret_name()}});
        }
        return {};
    }

    // Takes over what all replicas agree on.
    result<void> adopt(authority_set set) {
        known = std::move(set);
        damaged = false;
        return renew();
    }

    // Makes the bundle and the certificate right by what was read last: also while the API server can't be asked, so
    // that what is shown when it is back has not ended.
    result<void> renew() {
        const wall_time now = env.wall_now();
        const std::string trusted = known.bundle(now);
        const bool new_bundle = trusted != bundle;
        bundle = trusted;
        const webhook_authority* signs = known.signer(now, options.policy());
        if (signs != nullptr && (!serving || signed_by != signs->certificate || now >= renew_at)) {
            if (auto issued = issue(*signs, now); !issued) return issued;
            changed.notify_all();
        }
        if (new_bundle) changed.notify_all();
        return {};
    }

    result<void> issue(const webhook_authority& by, wall_time now) {
        auto authority = http::certificate_authority::load({by.certificate, by.key});
        if (!authority) return authority.error();
        const wall_time until = std::min(now + options.policy().certificate_lifetime(), by.until);
        http::certificate_options about(now);
        about.common_name(options.names().empty() ? "kcontrol-webhooks"
                                                  : detail::common_name_of(options.names().front()));
        for (const auto& name : options.names()) about.dns(name);
        for (const auto& address : options.addresses()) about.ip(address);
        about.not_after(until);
        auto issued = authority->issue(about);
        if (!issued) return issued.error();
        serving.emplace(std::move(issued->cert_pem), std::move(issued->key_pem));
        signed_by = by.certificate;
        renew_at = now + (until - now) * 2 / 3;
        ++generation;
        log.info("a certificate for the webhooks was made", {{"for", about.common_name()}});
        return {};
    }

    environment& env;
    client api;
    certificate_manager_options options;
    logger log;
    authority_set known;
    bool damaged = false;  // the Secret is, and that was logged
    std::optional<http::server_tls> serving;
    std::string signed_by;
    wall_time renew_at;
    std::uint64_t generation = 0;
    std::string bundle;
    async_event changed;
};

KCONTROL_DECL certificate_manager::certificate_manager(environment& env, client c, certificate_manager_options options,
                                                       logger log)
    : state_(std::make_shared<state>(env, std::move(c), std::move(options), std::move(log))) {}

KCONTROL_DECL awaitable<result<void>> certificate_manager::refresh(std::stop_token stop) {
    constexpr int attempts = 10;
    const auto self = state_;
    const namespaced_name key(self->options.secret_namespace(), self->options.secret_name());
    get_options reading;
    reading.stop(stop);
    write_options writing;
    writing.stop(stop);
    for (int i = 0; i < attempts; ++i) {
        auto found = co_await self->api.get<detail::authority_secret>(key, reading);
        if (!found && found.error() != api_errc::not_found) co_return found.error();
        const bool there = found.has_value();
        authority_set set;
        if (there) set = self->read(*found);
        const auto differs = self->bring_up_to_date(set);
        if (!differs) co_return differs.error();
        if (*differs) {
            const detail::authority_secret wanted =
                self->secret_of(set, there ? std::move(*found) : detail::authority_secret());
            result<detail::authority_secret> written = error(errc::unavailable);
            if (there) {
                written = co_await self->api.update(wanted, writing);
            } else {
                written = co_await self->api.create(wanted, writing);
            }
            // Somebody else was first, or may have been: his word counts.
            const bool again =
                !written && (written.error() == condition::conflict || written.error() == api_errc::already_exists ||
                             written.error() == api_errc::not_found || written.error() == errc::unknown_outcome);
            if (again) continue;
            if (!written) co_return written.error();
        }
        co_return self->adopt(std::move(set));
    }
    co_return error(errc::unavailable, "the Secret " + key.namespace_ + "/" + key.name +
                                           " of the webhooks' authorities is written by others all the time");
}

KCONTROL_DECL awaitable<void> certificate_manager::run(std::stop_token stop) {
    constexpr duration retry = std::chrono::seconds(5);
    const auto self = state_;
    certificate_manager same(*this);
    std::string told, told_beside;  // as long as they stay the same they are not logged again
    while (!stop.stop_requested()) {
        const auto done = co_await same.refresh(stop);
        if (stop.stop_requested()) co_return;
        duration rest = self->options.check_period();
        const std::string trouble = done ? std::string() : done.error().what();
        std::string beside;
        if (!done) {
            rest = std::min(rest, retry);
            if (trouble != told) {
                self->log.warning("the webhooks' certificate could not be looked after", {{"reason", trouble}});
            }
            const auto renewed = self->renew();
            if (!renewed) beside = renewed.error().what();
            if (!beside.empty() && beside != told_beside) {
                self->log.warning("it was not renewed either", {{"reason", beside}});
            }
        }
        told = trouble;
        told_beside = beside;
        const wake why = co_await sleep_for(self->env, rest, stop);
        if (why == wake::stopped) co_return;
    }
}

KCONTROL_DECL result<http::server_tls> certificate_manager::load() const {
    if (state_->serving) return *state_->serving;
    return error(errc::unavailable, "the Secret " + state_->options.secret_namespace() + "/" +
                                        state_->options.secret_name() + " has not been read yet");
}

KCONTROL_DECL awaitable<void> certificate_manager::follow(http::server& of, std::stop_token stop) {
    const auto self = state_;
    std::uint64_t given = 0;  // something may have come since load()
    while (!stop.stop_requested()) {
        if (self->serving && self->generation != given) {
            given = self->generation;
            const auto replaced = of.replace_tls(*self->serving);
            if (!replaced) {
                self->log.warning("a new certificate can't be used", {{"reason", replaced.error().what()}});
            }
        }
        // With an end, so that a context that goes takes the wait along.
        const wake why = co_await self->changed.wait(self->env, stop, self->env.now() + std::chrono::hours(1));
        if (why == wake::stopped) co_return;
    }
}

KCONTROL_DECL std::string certificate_manager::bundle() const { return state_->bundle; }

KCONTROL_DECL awaitable<bool> certificate_manager::wait_for_bundle(duration most, std::stop_token stop) {
    const auto self = state_;
    const wake why = co_await self->changed.wait(self->env, stop, self->env.now() + most);
    co_return why == wake::stopped;
}

}  // namespace kcontrol
