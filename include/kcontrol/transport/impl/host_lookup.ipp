#pragma once

#include <kcontrol/runtime/detached_thread.hpp>
#include <kcontrol/transport/impl/host_lookup.hpp>

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kcontrol::http::detail {

using endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

// What the thread shares with the side that waits, if that still exists. It is the thread's until it has closed its end
// of the pipe.
struct host_lookup::record {
    record(std::string h, std::uint16_t p) : host(std::move(h)), port(p) {}
    std::string host;
    std::uint16_t port;
    std::string failure;
    endpoints found;
    std::atomic<bool> complete = false;  // hands the record over; the pipe only notifies
};

inline void look_up(const std::string& host, std::uint16_t port, endpoints& found, std::string& failure) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
    if (code == EAI_SYSTEM) failure = std::error_code(errno, std::system_category()).message();
    if (code != 0 && code != EAI_SYSTEM) failure = ::gai_strerror(code);
    if (code != 0) return;
    for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
        if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
        boost::asio::ip::tcp::endpoint at;
        at.resize(one->ai_addrlen);
        std::memcpy(at.data(), one->ai_addr, one->ai_addrlen);
        at.port(port);
        found.push_back(at);
    }
    ::freeaddrinfo(list);
}

KCONTROL_DECL host_lookup::host_lookup(executor ex) : ended_(ex) {}

KCONTROL_DECL std::shared_ptr<host_lookup> host_lookup::start(executor ex, const std::string& host,
                                                              std::uint16_t port) {
    auto lookup = std::make_shared<host_lookup>(std::move(ex));
    lookup->record_ = std::make_shared<record>(host, port);
    lookup->begin();
    return lookup;
}

KCONTROL_DECL void host_lookup::begin() {
    const auto give_up = [this](const std::error_code& why) {
        record_->failure = why.message();
        done_ = true;
    };
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return give_up(std::error_code(errno, std::system_category()));
    ended_.assign(ends[0]);
    try {
        run_detached([record = record_, end = ends[1]] {
            look_up(record->host, record->port, record->found, record->failure);
            record->complete.store(true, std::memory_order_release);
            ::close(end);
        });
    } catch (const std::system_error& why) {
        ::close(ends[1]);
        return give_up(why.code());
    }
    // The pipe's end is all that comes. The handler owns nothing, so that a look-up nobody waits for can go.
    ended_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [weak = weak_from_this()](const error_code& e) {
        if (const auto self = weak.lock(); self && !e) self->finish();
    });
}

KCONTROL_DECL void host_lookup::finish() {
    done_ = record_->complete.load(std::memory_order_acquire);
    error_code ignored;
    ended_.close(ignored);
    ready_.notify_all();
}

KCONTROL_DECL awaitable<result<endpoints>> host_lookup::wait(environment& env, time_point deadline,
                                                             std::stop_token stop) {
    const auto self = shared_from_this();
    const std::string host = "the host name \"" + record_->host + "\"";
    while (!done_) {
        const wake reason = co_await ready_.wait(env, stop, deadline);
        if (reason == wake::stopped) co_return error(errc::stopped);
        if (reason == wake::timeout) {
            co_return error(errc::timeout, host + " was not resolved in time; check the server's address and DNS");
        }
    }
    if (record_->failure.empty()) co_return record_->found;
    co_return error(errc::name_not_found,
                    host + " can't be resolved: " + record_->failure + "; check the server's address and DNS");
}

}  // namespace kcontrol::http::detail
