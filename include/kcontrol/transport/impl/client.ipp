#pragma once

#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/impl/client_transport.ipp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>

namespace kcontrol::inline v0_1::http {
namespace detail {

// TLS contexts by settings, as long as some transport uses them: parsing a bundle of roots costs milliseconds and
// a megabyte, and a hundred transports often share one.
class tls_context_cache {
public:
    result<std::shared_ptr<tls_context>> get(const tls_options& options, bool for_proxy = false) {
        const std::lock_guard lock(mutex_);
        entries_.remove_if([](const entry& one) { return one.context.expired(); });
        for (const auto& one : entries_) {
            if (one.for_proxy != for_proxy || !(one.options == options)) continue;
            if (auto found = one.context.lock()) return found;
        }
        auto made = for_proxy ? tls_context::for_proxy(options.ca_pem()) : tls_context::for_client(options);
        if (made) entries_.emplace_back(options, for_proxy, *made);
        return made;
    }

private:
    struct entry {
        entry(tls_options o, bool proxys, const std::shared_ptr<tls_context>& c)
            : options(std::move(o)), for_proxy(proxys), context(c) {}
        tls_options options;
        bool for_proxy;
        std::weak_ptr<tls_context> context;
    };
    std::mutex mutex_;
    std::list<entry> entries_;
};

// What the transports of a factory share.
class factory_parts {
public:
    explicit factory_parts(std::shared_ptr<handshake_turns> h) : handshakes(std::move(h)) {}
    tls_context_cache contexts;
    const std::shared_ptr<handshake_turns> handshakes;
};

inline result<std::shared_ptr<transport>> make_client_transport(environment& env, const transport_options& options,
                                                                factory_parts& parts, executor ex,
                                                                const endpoint& server, const tls_options& tls) {
    if (server.scheme != "https" && server.scheme != "http") {
        return error(errc::invalid_config, "the server's scheme is \"" + server.scheme + "\"; use https or http");
    }
    if (server.host.empty())
        return error(errc::invalid_config, "the server's host is empty; give a name or an address");
    std::string peer_name;
    std::shared_ptr<tls_context> context;
    if (server.scheme == "https") {
        peer_name = tls.server_name().empty() ? server.host : tls.server_name();
        tls_options shared = tls;
        shared.server_name({});  // a matter of the connection, not of the context
        auto got = parts.contexts.get(shared);
        if (!got) return got.error();
        context = std::move(*got);
    }
    std::shared_ptr<tls_context> proxy_context;
    if (server.via.scheme() == "https") {
        auto got = parts.contexts.get(tls_options().ca_pem(tls.ca_pem()), true);
        if (!got) return got.error();
        proxy_context = std::move(*got);
    }
    const auto made = std::make_shared<client_transport>(env, std::move(ex), server, std::move(peer_name),
                                                         std::move(context), std::move(proxy_context), options);
    made->handshakes = parts.handshakes;
    return std::shared_ptr<transport>(made);
}

inline std::optional<std::uint32_t> number_in(const environment& env, const std::string& name) {
    const auto text = env.variable(name);
    if (!text) return std::nullopt;
    std::uint32_t number = 0;
    const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (failure != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return number;
}

inline std::optional<duration> seconds_in(const environment& env, const std::string& name) {
    if (const auto number = number_in(env, name)) return std::chrono::seconds(*number);
    return std::nullopt;
}

// TLS handshakes of one factory at a time; 0 in the variable: as many as there are.
inline std::shared_ptr<handshake_turns> handshakes_of(environment& env) {
    const std::uint32_t most = number_in(env, "KCONTROL_TLS_HANDSHAKES").value_or(32);
    return most == 0 ? nullptr : std::make_shared<handshake_turns>(env, most);
}

// client-go's variables.
inline transport_options with_variables(const environment& env, transport_options options) {
    if (!env.variable("DISABLE_HTTP2").value_or("").empty()) options.http2(false);
    const auto idle = seconds_in(env, "HTTP2_READ_IDLE_TIMEOUT_SECONDS");
    const auto timeout = seconds_in(env, "HTTP2_PING_TIMEOUT_SECONDS");
    options.http2_ping(idle.value_or(options.http2_ping_idle()), timeout.value_or(options.http2_ping_timeout()));
    return options;
}

}  // namespace detail

KCONTROL_DECL transport_factory make_transport_factory(environment& env, transport_options options) {
    options = detail::with_variables(env, std::move(options));
    const auto parts = std::make_shared<detail::factory_parts>(detail::handshakes_of(env));
    return [&env, options, parts](executor ex, const endpoint& server, const tls_options& tls) {
        return detail::make_client_transport(env, options, *parts, std::move(ex), server, tls);
    };
}

}  // namespace kcontrol::http
