#pragma once

#include <kcontrol/auth/credential_source.hpp>
#include <kcontrol/auth/detail/token_text.hpp>
#include <kcontrol/auth/exec_provider.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/base/thrown.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::auth {

namespace detail {

inline constexpr duration tls_files_period = std::chrono::minutes(5);
// After what could not be used: somebody is about to write the other half of the pair.
inline constexpr duration tls_files_again = std::chrono::seconds(10);
// Something that was given that shortly before the server refused it is not asked for again at once.
inline constexpr duration least_between_logins = std::chrono::seconds(5);
inline constexpr duration most_leeway = std::chrono::seconds(10);

inline secret_string basic_header(const cluster_config& config) {
    if (config.basic_user().empty() && config.basic_password().empty()) return {};
    return secret_string("Basic " +
                         encode_base64(config.basic_user() + ":" + std::string(config.basic_password().reveal())));
}

inline std::shared_ptr<credential_provider> provider_of(environment& env, const cluster_config& config,
                                                        const logger& log) {
    if (config.credentials_from()) return config.credentials_from();
    if (config.exec()) return std::make_shared<exec_provider>(env, *config.exec(), log);
    return nullptr;
}

inline std::string name_of_provider(const cluster_config& config) {
    if (config.credentials_from() || !config.exec()) return "the credential provider";
    return "exec plugin \"" + escape_control(config.exec()->program()) + "\"";
}

}  // namespace detail

// One question to the provider, for all who wait for its answer. One that was abandoned has its outcome, and is in the
// air until the provider returns.
struct credential_source::flight {
    std::stop_source stop;
    async_event landed;
    std::optional<result<void>> outcome;
    std::size_t waiting = 0;
    std::size_t abandoned = 0;  // how often
};

inline credential_source::credential_source(environment& env, executor ex, const cluster_config& config, logger log)
    : env_(env),
      ex_(std::move(ex)),
      log_(std::move(log)),
      tokens_(env, config),
      basic_(detail::basic_header(config)),
      impersonate_(config.impersonate()),
      server_(config.server_url()),
      provider_name_(detail::name_of_provider(config)),
      files_(config.files()),
      files_due_(env.now() + detail::tls_files_period),
      provider_(detail::provider_of(env, config, log_)),
      pause_(backoff_policy().initial(std::chrono::seconds(1)).cap(std::chrono::seconds(30)).jitter(0)),
      tls_(config.tls()) {}

KCONTROL_DECL std::shared_ptr<credential_source> credential_source::make(environment& env, executor ex,
                                                                         const cluster_config& config, logger log) {
    return std::make_shared<credential_source>(env, std::move(ex), config, std::move(log));
}

inline bool credential_source::expired() const {
    if (stale_ && env_.now() - issued_at_ >= detail::least_between_logins) return true;
    return good_until_ && env_.wall_now() >= *good_until_;
}

KCONTROL_DECL bool credential_source::ready() {
    if (!files_.empty() && env_.now() >= files_due_) read_tls_files();
    return provider_ == nullptr || (issued_ && !expired());
}

inline bool credential_source::use_tls(http::tls_options next) {
    if (next == tls_) return false;
    tls_ = std::move(next);
    ++tls_version_;
    ++serial_;
    return true;
}

// Once for each reason, which is empty where nothing is wrong, and once when the file is well again.
inline void credential_source::tell_file(const std::string& path, std::string why) {
    const auto told = told_files_.find(path);
    if (why.empty()) {
        if (told == told_files_.end()) return;
        told_files_.erase(told);
        log_.info("a credential file can be read again", {{"file", path}});
        return;
    }
    if (told != told_files_.end() && told->second == why) return;
    log_.warning("a credential file can't be read; what was there before stays in use",
                 {{"file", path}, {"error", why}});
    told_files_[path] = std::move(why);
}

inline void credential_source::read_tls_files() {
    files_due_ = env_.now() + detail::tls_files_period;
    http::tls_options next = tls_;
    bool all = true;
    const auto read = [this, &all](const std::string& path) -> std::optional<std::string> {
        auto text = env_.read_file(path, detail::max_credential_bytes);
        if (text && !text->empty()) {
            tell_file(path, {});
            return std::move(*text);
        }
        tell_file(path, text ? std::string("it is empty") : text.error().what());
        files_due_ = env_.now() + detail::tls_files_again;
        all = false;
        return std::nullopt;
    };
    if (!files_.ca().empty()) {
        if (auto ca = read(files_.ca())) next.ca_pem(std::move(*ca));
    }
    if (!files_.certificate().empty() || !files_.key().empty()) {
        auto chain = files_.certificate().empty() ? std::optional(tls_.client_cert_pem()) : read(files_.certificate());
        auto key =
            files_.key().empty() ? std::optional(std::string(tls_.client_key_pem().reveal())) : read(files_.key());
        if (chain && key) next.client_certificate(std::move(*chain), secret_string(std::move(*key)));
    }
    // What was rejected is tried again, and not told again. Where it is gone, what was there before may be back.
    const bool rejected = rejected_ == next;
    const bool gone = rejected_ && !rejected && all;
    if (gone) rejected_.reset();
    const bool changed = use_tls(std::move(next));
    if (changed) tls_from_files_ = true;
    if ((changed || gone) && !rejected) log_.info("certificate files have changed; new connections use them");
}

KCONTROL_DECL void credential_source::reject_tls(http::tls_options before, const error& why) {
    if (rejected_ != tls_ || rejected_why_ != why.what()) {
        log_.warning("new certificates can't be used; those before stay in use", {{"error", why.what()}});
    }
    if (tls_from_files_) {
        rejected_ = std::move(tls_);
        rejected_why_ = why.what();
    }
    tls_ = std::move(before);
    files_due_ = env_.now() + detail::tls_files_again;
}

inline void credential_source::take(issued_credentials got) {
    issued_at_ = env_.now();
    stale_ = false;
    good_until_ = got.expires();
    if (good_until_) {
        // A little before, so that what is sent now is still good when it arrives.
        const duration life = *good_until_ - env_.wall_now();
        *good_until_ -= std::clamp<duration>(life / 10, duration::zero(), detail::most_leeway);
    }
    if (!got.key_pem().empty()) {
        http::tls_options next = tls_;
        next.client_certificate(got.chain_pem(), got.key_pem());
        if (use_tls(std::move(next))) tls_from_files_ = false;
    }
    issued_ = std::move(got);
    ++serial_;
}

inline void credential_source::land(flight& on, result<issued_credentials> got) {
    if (flight_.get() == &on) flight_.reset();
    const bool abandoned = on.outcome.has_value();
    if (got) {
        pause_.reset();
        if (std::exchange(failed_, std::nullopt)) log_.info("credentials can be got again");
        take(std::move(*got));
        if (!abandoned) on.outcome.emplace();
    } else if (!abandoned) {
        const error why = got.error() == errc::stopped ? got.error() : got.error().with_context(server_);
        on.outcome.emplace(why);
        if (why != errc::stopped) {
            const bool told = failed_ && std::string_view(failed_->what()) == why.what();
            failed_ = why;
            failed_until_ = env_.now() + pause_.next(env_.now(), 0);
            if (!told) log_.warning("can't get credentials", {{"error", why.what()}});
        }
    }
    on.landed.notify_all();
}

KCONTROL_DECL awaitable<void> credential_source::fly(std::shared_ptr<credential_source> self,
                                                     std::shared_ptr<flight> on) {
    std::optional<result<issued_credentials>> got;
    try {
        auto issued = co_await self->provider_->issue(on->stop.get_token());
        got.emplace(std::move(issued));
    } catch (...) {
        got.emplace(error_of_thrown("the credential provider"));
    }
    self->land(*on, std::move(*got));
}

inline error credential_source::out_of_time() const {
    return error(errc::timeout, server_ + ": " + provider_name_ + ": the credentials did not come in time");
}

KCONTROL_DECL awaitable<result<void>> credential_source::obtain(time_point deadline, std::stop_token stop) {
    const auto self = shared_from_this();
    // The provider is asked by one at a time: by what was abandoned, too, until that lands.
    while (!ready() && flight_ && flight_->outcome) {
        const auto last = flight_;
        const std::size_t abandoned = last->abandoned;
        const wake why = co_await last->landed.wait(env_, stop, deadline);
        if (why == wake::stopped || last->abandoned != abandoned) co_return error(errc::stopped);
        if (why == wake::timeout) co_return out_of_time();
    }
    if (ready()) co_return result<void>();
    // What is still good is used while the next can't be got.
    const bool usable = issued_ && (!good_until_ || env_.wall_now() < *good_until_);
    if (failed_ && env_.now() < failed_until_) {
        if (usable) co_return result<void>();
        co_return *failed_;
    }
    const bool first = flight_ == nullptr;
    if (first) flight_ = std::make_shared<flight>();
    const auto on = flight_;
    ++on->waiting;
    // It may land before this returns, and is not in the air then.
    if (first) boost::asio::co_spawn(ex_, fly(self, on), boost::asio::detached);
    wake why = wake::notified;
    while (!on->outcome && why == wake::notified) why = co_await on->landed.wait(env_, stop, deadline);
    // Who only has no more time leaves it to those who ask next.
    if (--on->waiting == 0 && !on->outcome && why == wake::stopped) abandon();
    if (on->outcome) co_return *on->outcome;
    if (why == wake::stopped) co_return error(errc::stopped);
    co_return out_of_time();
}

KCONTROL_DECL void credential_source::abandon() {
    const auto on = flight_;
    if (!on) return;
    ++on->abandoned;
    if (!on->outcome) {
        on->stop.request_stop();
        if (on->outcome) return;  // it has landed at once
        on->outcome.emplace(error(errc::stopped));
    }
    on->landed.notify_all();
}

KCONTROL_DECL result<void> credential_source::authorize(http::fields& headers) {
    impersonate_.add_to(headers);
    if (headers.contains("Authorization")) return {};
    const auto token = tokens_.token();
    if (!token) return token.error().with_context(server_);
    tell_file(tokens_.file(), tokens_.failure() ? tokens_.failure()->what() : std::string());
    if (!token->empty()) {
        headers.set("Authorization", "Bearer " + std::string(token->reveal()));
    } else if (!basic_.empty()) {
        headers.set("Authorization", std::string(basic_.reveal()));
    } else if (issued_ && !issued_->token().empty()) {
        headers.set("Authorization", "Bearer " + std::string(issued_->token().reveal()));
    }
    return {};
}

KCONTROL_DECL bool credential_source::invalidate(std::uint64_t serial) {
    if (serial != serial_) return true;  // somebody else has got new ones meanwhile
    bool hope = tokens_.invalidate();
    if (!files_.empty()) {
        read_tls_files();
        hope = hope || serial != serial_;
    }
    if (provider_ && issued_) {
        stale_ = true;
        hope = hope || expired();
    }
    return hope;
}

}  // namespace kcontrol::auth
