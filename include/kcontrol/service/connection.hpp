// A client, and a loop that it runs on: for programs that have no Asio loop of their own.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1::service {

/// Which cluster, and who runs the loop.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class connection_options {
public:
    connection_options() = default;

    /// A kubeconfig file that must be there. Empty, the default: kubectl's search, which is $KUBECONFIG, then
    /// ~/.kube/config, then the pod's own service account.
    connection_options& kubeconfig(std::string file) { return kubeconfig_ = std::move(file), *this; }
    /// A context of the kubeconfig, by its name. Empty, the default: its current one.
    connection_options& context(std::string name) { return context_ = std::move(name), *this; }
    /// A cluster that the program knows already. Nothing is searched for then.
    connection_options& cluster(auth::cluster_config config) { return cluster_ = std::move(config), *this; }
    /// True, the default: a thread of the connection runs the loop. False: no thread is started; the program polls
    /// connection::fd() and calls connection::dispatch().
    connection_options& thread(bool own) { return thread_ = own, *this; }
    /// What the server's audit log calls this program. Default: "kcontrol/VERSION".
    connection_options& user_agent(std::string name) { return user_agent_ = std::move(name), *this; }
    /// Where records go; the sink is called on the thread that runs the loop. Default: nowhere.
    connection_options& log(logger l) { return log_ = std::move(l), *this; }

    const std::string& kubeconfig() const noexcept { return kubeconfig_; }
    const std::string& context() const noexcept { return context_; }
    const std::optional<auth::cluster_config>& cluster() const noexcept { return cluster_; }
    bool thread() const noexcept { return thread_; }
    const std::string& user_agent() const noexcept { return user_agent_; }
    const logger& log() const noexcept { return log_; }

private:
    std::string kubeconfig_, context_, user_agent_;
    std::optional<auth::cluster_config> cluster_;
    bool thread_ = true;
    logger log_;
};

namespace detail {
class loop;
class loop_part;
}  // namespace detail

template <class Part>
class hosted;

/// One cluster's client on an event loop of its own. The loop runs on one thread at a time: on the connection's own, or
/// where the program calls dispatch(), run() or start(). Callbacks of parts are called there, so they don't wait for
/// anything that the loop would bring.
///
///     auto c = service::connection::open();
///     auto leading = c->start<service::lead>(service::lead_options({"default", "master"}), callbacks);
///
/// Neither signal handlers nor the locale are changed. The own thread has all signals blocked.
///
/// Thread-safety: shared objects safe, but for moving and destroying. fork(): a child must not use it; stop it before.
/// Object lifetime: stop() and destruction end all parts that start() made, in reverse order, then the client, then the
/// thread. Destroy it outside of its callbacks.
class connection {
public:
    /// Finds the cluster and makes a client; nothing is sent yet. Reads the kubeconfig, and blocks for that.
    /// Errors: those of auth::find_config() and client::connect(); unavailable if there is no memory or no descriptor
    /// for the loop or its thread.
    static KCONTROL_DECL result<connection> open(connection_options options = {});

    KCONTROL_DECL connection(connection&&) noexcept;
    KCONTROL_DECL connection& operator=(connection&&) noexcept;  ///< stops the one that was there
    KCONTROL_DECL ~connection();

    // For parts and coroutines of the program's own, which run on the loop.
    KCONTROL_DECL environment& env() const noexcept;       ///< clocks and files of this machine
    KCONTROL_DECL executor get_executor() const noexcept;  ///< the loop's; work may be posted from any thread
    KCONTROL_DECL kcontrol::client client() const;         ///< a copy of the client; see there for its threads
    KCONTROL_DECL const logger& log() const noexcept;      ///< that of the options

    /// A descriptor that polls as readable (POLLIN) when dispatch() has something to do, timers included. It stays the
    /// same, belongs to the connection, and is only for poll, select, epoll and their like. It may be readable once
    /// too often.
    /// Errors: invalid_argument with a thread of its own; unavailable on systems without epoll.
    KCONTROL_DECL result<int> fd() const;

    /// Runs what is ready, and waits for that at most so long: zero: not at all; nothing: without an end. It returns
    /// as soon as something has run and nothing more is ready, with how many steps of the loop that were. While
    /// another thread runs the loop, it waits for that one to return. Exceptions of callbacks don't get out.
    /// Errors: invalid_argument with a thread of its own, for a negative time, and from within the loop; stopped after
    /// stop().
    KCONTROL_DECL result<std::size_t> dispatch(std::optional<duration> timeout = duration::zero());

    /// Whether the caller is inside the loop: in a callback or a coroutine of a part.
    KCONTROL_DECL bool in_loop() const noexcept;

    /// Calls `call()` on the loop, a function that returns awaitable<result<T>>, waits for the end and returns that
    /// result. Without a thread of its own, the loop runs here meanwhile.
    /// Errors: those of the call; invalid_argument from within the loop, where the call would wait for itself: await
    /// the same there; stopped after stop(); unavailable with the text of an exception.
    template <class Call>
    auto run(Call&& call) const -> typename std::invoke_result_t<Call&>::value_type {
        using outcome = typename std::invoke_result_t<Call&>::value_type;
        std::optional<outcome> out;
        const auto step = [&]() -> awaitable<void> {
            auto pending = call();
            out.emplace(co_await std::move(pending));
        };
        if (auto ran = run_step(step); !ran) return outcome(ran.error());
        return std::move(*out);
    }

    /// Makes a part and calls its start(), both on the loop. A part is a class with a constructor
    /// `Part(environment&, executor, client, Args…, logger)`, `result<void> start()`, and a stop() that returns
    /// awaitable<void>, awaitable<bool> or awaitable<result<void>>.
    /// Errors: those of the part's start(); stopped after stop(); unavailable with the text of an exception.
    template <class Part, class... Args>
    result<hosted<Part>> start(Args... args);

    /// Ends all parts in reverse order of their start, closes the client, and ends the loop. A leader gives the Lease
    /// up. What waits in run() ends with stopped. Idempotent. From within the loop it does nothing.
    KCONTROL_DECL void stop();

private:
    template <class Part>
    friend class hosted;

    explicit connection(std::shared_ptr<detail::loop> l) : loop_(std::move(l)) {}
    KCONTROL_DECL result<void> run_step(const std::function<awaitable<void>()>& step) const;
    KCONTROL_DECL result<void> start_part(const std::shared_ptr<detail::loop_part>& part) const;

    std::shared_ptr<detail::loop> loop_;  // null only after a move
};

namespace detail {

/// A part as its connection knows it. All but the constructor runs on the loop, or after its end.
class loop_part {
public:
    virtual ~loop_part() = default;
    virtual result<void> start() = 0;  // makes it, too
    virtual awaitable<void> stop() = 0;
    virtual void destroy() noexcept = 0;

    bool ending = false, ended = false;  // of its stop(), for the loop
};

/// Ends one part and waits for that; from within the loop it does not wait.
KCONTROL_DECL void stop_part(const std::shared_ptr<loop>& on, const std::shared_ptr<loop_part>& part, bool destroy);

// No coroutine is compiled in a user's file.
inline awaitable<void> without_result(awaitable<void> ending) { return ending; }
KCONTROL_DECL awaitable<void> without_result(awaitable<bool> ending);
KCONTROL_DECL awaitable<void> without_result(awaitable<result<void>> ending);

template <class Part>
class loop_part_of final : public loop_part {
public:
    explicit loop_part_of(std::function<std::unique_ptr<Part>()> make) : make_(std::move(make)) {}
    result<void> start() override {
        part = std::exchange(make_, nullptr)();
        return part->start();
    }
    awaitable<void> stop() override { return without_result(part->stop()); }
    void destroy() noexcept override { part.reset(); }

    std::unique_ptr<Part> part;

private:
    std::function<std::unique_ptr<Part>()> make_;
};

}  // namespace detail

/// Owns a part of a connection. Of the part itself, use from other threads what its class says may be used there; the
/// rest belongs into connection::run().
///
/// Thread-safety: distinct objects safe; shared objects safe for const access. Object lifetime: destruction stops the
/// part, waits for that, and destroys it on the loop; from within the loop it does not wait, and the part ends soon
/// after. It may outlive the connection, which has stopped the part then.
template <class Part>
class hosted {
public:
    hosted() = default;  ///< none
    hosted(hosted&& other) noexcept = default;
    hosted& operator=(hosted&& other) noexcept {
        hosted old(std::move(*this));
        loop_ = std::move(other.loop_);
        part_ = std::move(other.part_);
        return *this;
    }
    ~hosted() {
        if (part_) detail::stop_part(loop_, part_, true);
    }

    explicit operator bool() const noexcept { return part_ != nullptr; }
    Part& operator*() const noexcept { return *part_->part; }        ///< there must be one
    Part* operator->() const noexcept { return part_->part.get(); }  ///< there must be one

    /// Stops the part, and waits for that as the destructor does. What may be read of it from any thread may be read
    /// on. Idempotent.
    void stop() const {
        if (part_) detail::stop_part(loop_, part_, false);
    }

private:
    friend class connection;
    hosted(std::shared_ptr<detail::loop> on, std::shared_ptr<detail::loop_part_of<Part>> part)
        : loop_(std::move(on)), part_(std::move(part)) {}

    std::shared_ptr<detail::loop> loop_;
    std::shared_ptr<detail::loop_part_of<Part>> part_;
};

template <class Part, class... Args>
result<hosted<Part>> connection::start(Args... args) {
    auto make = [&]() -> std::unique_ptr<Part> {
        return std::make_unique<Part>(env(), get_executor(), client(), std::move(args)..., log());
    };
    const auto part = std::make_shared<detail::loop_part_of<Part>>(std::move(make));
    if (auto started = start_part(part); !started) return started.error();
    return hosted<Part>(loop_, part);
}

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/connection.ipp>
#endif
