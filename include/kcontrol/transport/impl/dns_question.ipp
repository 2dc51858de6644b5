#pragma once

#include <kcontrol/transport/impl/dns_question.hpp>

#ifdef KCONTROL_WITHOUT_CARES
#include <kcontrol/transport/impl/no_cares.hpp>
#else

#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/transport/impl/icmp_errors_linux.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <algorithm>
#include <ares.h>
#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <utility>

// c-ares 1.18.1 (Debian 12) is the floor. ares_library_init() is not called: it counts without a lock, which is not
// ours to do in somebody else's process, and has nothing to initialise but on Windows and Android.
namespace kcontrol::inline v0_1::http::detail {

// c-ares' state for one question. It gets all settings, so that it reads no resolv.conf of its own, and asks once: what
// else is asked, and whom, dns_search decides. NOCHECKRESP has it pass on that a server fails or refuses.
class cares_channel {
public:
    cares_channel() = default;
    ~cares_channel() {
        if (handle_ != nullptr) ::ares_destroy(handle_);
    }
    cares_channel(const cares_channel&) = delete;
    cares_channel& operator=(const cares_channel&) = delete;

    // `lookups`: "b" asks DNS, "f" reads the hosts file.
    bool open(std::string lookups, duration timeout, ares_sock_state_cb on_socket, void* owner) {
        in_addr to_be_set{};
        ares_options options{};
        options.flags = ARES_FLAG_NOCHECKRESP | ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
        options.timeout = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
        options.tries = 1;
        options.servers = &to_be_set;
        options.nservers = 1;
        options.lookups = lookups.data();
        options.sock_state_cb = on_socket;
        options.sock_state_cb_data = owner;
        constexpr int given = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_SERVERS |
                              ARES_OPT_DOMAINS | ARES_OPT_SORTLIST | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB;
        return ::ares_init_options(&handle_, &options, given) == ARES_SUCCESS;
    }

    bool use(const boost::asio::ip::udp::endpoint& server) {
        const std::string address = server.address().to_string();
        const std::string text = (server.address().is_v6() ? "[" + address + "]" : address) + ":";
        return ::ares_set_servers_ports_csv(handle_, (text + std::to_string(server.port())).c_str()) == ARES_SUCCESS;
    }

    void look_up(const std::string& name, int flags, ares_addrinfo_callback found, void* owner) {
        ares_addrinfo_hints hints{};
        hints.ai_flags = flags;
        hints.ai_family = AF_UNSPEC;
        hints.ai_socktype = SOCK_STREAM;
        ::ares_getaddrinfo(handle_, name.c_str(), nullptr, &hints, found, owner);
    }

    void process(int readable, int writable) { ::ares_process_fd(handle_, readable, writable); }

private:
    ares_channel handle_ = nullptr;
};

struct dns_question::socket_watch {
    explicit socket_watch(const executor& ex) : descriptor(ex) {}
    boost::asio::posix::stream_descriptor descriptor;
    bool readable = false, writable = false;  // what c-ares waits for
    bool reading = false, writing = false;    // what is being waited for
};

// False if there is no memory for them. It is called from C, through which no exception may pass.
inline bool append_addresses(const ares_addrinfo& from, host_addresses& to) noexcept try {
    for (const auto* one = from.nodes; one != nullptr; one = one->ai_next) {
        if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
        boost::asio::ip::tcp::endpoint at;
        at.resize(static_cast<std::size_t>(one->ai_addrlen));
        std::memcpy(at.data(), one->ai_addr, static_cast<std::size_t>(one->ai_addrlen));
        at.port(0);
        to.push_back(at);
    }
    return true;
} catch (...) {
    return false;
}

inline dns_answer answer_of(int status) {
    switch (status) {
    case ARES_ENOTFOUND: return dns_answer::no_such_name;
    case ARES_ENODATA: return dns_answer::no_address;
    case ARES_ESERVFAIL: return dns_answer::failed;
    case ARES_EREFUSED: return dns_answer::refused;
    case ARES_ECONNREFUSED: return dns_answer::unreachable;
    case ARES_ETIMEOUT: return dns_answer::none;
    case ARES_EBADNAME: return dns_answer::not_a_name;
    case ARES_ENOMEM: return dns_answer::out_of_memory;
    default: return dns_answer::invalid;
    }
}

// c-ares calls these from inside its own functions, also from ares_destroy(), so they only take notes.
struct dns_question::hooks {
    static void on_addresses(void* owner, int status, int, ares_addrinfo* found) {
        auto& self = *static_cast<dns_question*>(owner);
        self.over_ = true;
        self.answer_ = answer_of(status);
        if (status == ARES_SUCCESS && found != nullptr) {
            const bool done = append_addresses(*found, self.addresses_);
            self.answer_ = self.addresses_.empty() ? dns_answer::no_address : dns_answer::found;
            if (!done) self.answer_ = dns_answer::out_of_memory;
        }
        ::ares_freeaddrinfo(found);
    }

    static void on_socket(void* owner, ares_socket_t socket, int readable, int writable) {
        auto& self = *static_cast<dns_question*>(owner);
        try {
            self.watch(socket, readable != 0, writable != 0);
        } catch (...) {  // nothing may pass through C
            self.unwatched_ = true;
        }
    }
};

inline dns_question::dns_question(environment& env, executor ex, std::function<void()> answered)
    : ex_(std::move(ex)), answered_(std::move(answered)), timer_(env.make_timer(ex_)) {}

// First of all, for c-ares calls the hooks when its end comes.
KCONTROL_DECL dns_question::~dns_question() { channel_.reset(); }

KCONTROL_DECL std::shared_ptr<dns_question> dns_question::ask(environment& env, executor ex,
                                                              const dns_search::question& what,
                                                              std::function<void()> answered) {
    auto made = std::make_shared<dns_question>(env, std::move(ex), std::move(answered));
    made->begin(what);
    if (made->over_) return made;
    made->timer_->async_wait(env.now() + what.timeout, [weak = std::weak_ptr(made)](bool expired) {
        if (const auto self = weak.lock(); self && expired) self->expired();
    });
    return made;
}

inline void dns_question::begin(const dns_search::question& what) {
    ipv6_ = what.server.address().is_v6();
    channel_ = std::make_unique<cares_channel>();
    if (!channel_->open("b", what.timeout, &hooks::on_socket, this) || !channel_->use(what.server)) {
        return give_up(dns_answer::out_of_memory);
    }
    channel_->look_up(what.name, 0, &hooks::on_addresses, this);
    if (unwatched_ && !over_) give_up(dns_answer::out_of_memory);
}

inline void dns_question::give_up(dns_answer answer) {
    over_ = true;
    answer_ = answer;
}

inline void dns_question::process(int readable, int writable) {
    const auto keep_alive = shared_from_this();
    const bool is_lost = readable != ARES_SOCKET_BAD && take_icmp_error(readable);
    channel_->process(readable, writable);
    if (is_lost && !over_) give_up(dns_answer::unreachable);
    if (unwatched_ && !over_) give_up(dns_answer::out_of_memory);
    if (over_) answered_();
}

// c-ares' own time is up, too, so that it gives what has come. It may think otherwise, where time is not the machine's
// or the question has gone on over TCP; then nothing has come.
inline void dns_question::expired() {
    if (over_) return;
    const auto keep_alive = shared_from_this();
    channel_->process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    over_ = true;
    answered_();
}

inline void dns_question::watch(int socket, bool readable, bool writable) {
    const auto known = std::find_if(watches_.begin(), watches_.end(),
                                    [socket](const auto& w) { return w->descriptor.native_handle() == socket; });
    if (!readable && !writable) {
        if (known == watches_.end()) return;
        (*known)->descriptor.release();  // c-ares closes it
        watches_.erase(known);
        return;
    }
    auto w = known != watches_.end() ? *known : std::make_shared<socket_watch>(ex_);
    if (known == watches_.end()) {
        error_code failure;
        w->descriptor.assign(socket, failure);
        if (failure) {
            unwatched_ = true;
            return;
        }
        keep_icmp_errors(socket, ipv6_);
        watches_.push_back(w);
    }
    w->readable = readable;
    w->writable = writable;
    wait_readable(w);
    wait_writable(w);
}

inline void dns_question::wait_readable(const std::shared_ptr<socket_watch>& w) {
    if (!w->readable || w->reading) return;
    w->reading = true;
    w->descriptor.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                             [weak = weak_from_this(), watched = std::weak_ptr(w)](const error_code& failure) {
                                 const auto self = weak.lock();
                                 const auto one = watched.lock();
                                 if (failure || !self || !one || self->over_) return;
                                 one->reading = false;
                                 if (one->readable) self->process(one->descriptor.native_handle(), ARES_SOCKET_BAD);
                                 if (!self->over_ && one->descriptor.is_open()) self->wait_readable(one);
                             });
}

inline void dns_question::wait_writable(const std::shared_ptr<socket_watch>& w) {
    if (!w->writable || w->writing) return;
    w->writing = true;
    w->descriptor.async_wait(boost::asio::posix::stream_descriptor::wait_write,
                             [weak = weak_from_this(), watched = std::weak_ptr(w)](const error_code& failure) {
                                 const auto self = weak.lock();
                                 const auto one = watched.lock();
                                 if (failure || !self || !one || self->over_) return;
                                 one->writing = false;
                                 if (one->writable) self->process(ARES_SOCKET_BAD, one->descriptor.native_handle());
                                 if (!self->over_ && one->descriptor.is_open()) self->wait_writable(one);
                             });
}

KCONTROL_DECL host_addresses read_hosts_file(environment& env, const std::string& host) {
    struct reader {
        static void on_addresses(void* out, int status, int, ares_addrinfo* found) {
            if (status == ARES_SUCCESS && found != nullptr)
                append_addresses(*found, *static_cast<host_addresses*>(out));
            ::ares_freeaddrinfo(found);
        }
    };
    host_addresses out;
    cares_channel files;
    if (files.open("f", std::chrono::seconds(1), nullptr, nullptr)) {
        // Later versions find nothing with that flag where the variable is not set.
        const int flags = env.variable("CARES_HOSTS") ? ARES_AI_ENVHOSTS : 0;
        files.look_up(host, flags, &reader::on_addresses, &out);
    }
    return out;
}

}  // namespace kcontrol::http::detail

#endif
