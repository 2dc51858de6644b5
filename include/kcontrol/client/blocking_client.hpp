// A client for programs without a loop: each call blocks until its answer is there.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/client_options.hpp>
#include <kcontrol/client/detail/blocking_loop.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The client's verbs as functions that return the result itself. The work is done on the thread that calls: it runs a
/// loop until its answer is there, and no thread is started. Between calls nothing runs, so it is not for watches, nor
/// for programs that have a loop: these await client's own verbs.
///
/// Errors: those of the verbs; invalid_argument for a call from within a call on the same client (a coroutine or a
/// callback that its loop runs), which would wait for itself: await underlying() there; unavailable for what waits
/// without anything that could end the wait.
///
/// Thread-safety: shared objects safe; any number of threads may call at once, and one of them runs the loop for all.
/// Copies share the loop. Object lifetime: `env` outlives all copies, and no call is in flight when the last one goes.
class blocking_client {
public:
    /// Makes a client that treats its server as `options` say; nothing is sent yet. Errors: those of client::connect().
    static KCONTROL_DECL result<blocking_client> connect(environment& env, const auth::cluster_config& config,
                                                         const http::transport_factory& make_transport, logger log = {},
                                                         const client_options& options = {});

    /// A copy of the object, see client::get(). Errors, besides: not_found.
    template <resource T>
    result<T> get(namespaced_name key, get_options options = {}) const {
        return run([&](client& c) { return c.get<T>(std::move(key), std::move(options)); });
    }
    /// What does not decode is left out and logged. One page if the options have a limit, else all.
    template <resource T>
    result<std::vector<std::shared_ptr<const T>>> list(list_options options = {}) const {
        return run([&](client& c) { return c.list<T>(std::move(options)); });
    }
    /// The same with the list's version, the token of the next page, and what did not decode.
    template <resource T>
    result<object_page<T>> list_page(list_options options = {}) const {
        return run([&](client& c) { return c.list_page<T>(std::move(options)); });
    }
    /// Gives what the server stored, see client::create(). Errors, besides: already_exists.
    template <resource T>
    result<T> create(const T& object, write_options options = {}) const {
        return run([&](client& c) { return c.create(object, std::move(options)); });
    }
    /// Replaces the object, see client::update(). A non-empty metadata.resource_version is a precondition.
    template <resource T>
    result<T> update(const T& object, write_options options = {}) const {
        return run([&](client& c) { return c.update(object, std::move(options)); });
    }
    /// Sends what differs between the two, see client::patch(): Conflict if somebody wrote in between.
    template <resource T>
    result<T> patch(const T& snapshot, const T& edited, write_options options = {}) const {
        return run([&](client& c) { return c.patch(snapshot, edited, std::move(options)); });
    }
    /// Server-side apply; what is sent, and which errors there are, says client::apply().
    template <resource T>
    result<T> apply(const T& object, apply_options options) const {
        return run([&](client& c) { return c.apply(object, std::move(options)); });
    }
    /// Returns when the server has accepted it; finalizers may hold the object for longer.
    template <resource T>
    result<void> delete_(namespaced_name key, delete_options options = {}) const {
        return run([&](client& c) { return c.delete_<T>(std::move(key), std::move(options)); });
    }
    /// Deletes all that `which` selects, in one request; what it returns says client::delete_collection().
    template <resource T>
    result<any_list> delete_collection(list_options which, delete_options how = {}) const {
        return run([&](client& c) { return c.delete_collection<T>(std::move(which), std::move(how)); });
    }

    /// Any other call: `call` gets the client and returns the awaitable of a result, of wait_until() for one:
    ///     b.run([&](client& c) { return wait_until<pod>(c, key, is_ready); });
    /// It is called, and its coroutine runs, on the thread that runs the loop, which may be another one that calls at
    /// the same time; what it refers to is safe to use until run() returns.
    template <class Call>
    auto run(Call&& call) const -> typename std::invoke_result_t<Call, client&>::value_type {
        using outcome = typename std::invoke_result_t<Call, client&>::value_type;
        return loop_->run<outcome>([this, &call] { return call(*underlying_); });
    }

    /// The underlying client, whose calls are awaited in what run() runs. Its executor is the loop's.
    client& underlying() const noexcept { return *underlying_; }

private:
    blocking_client() = default;
    // The order counts: the client goes first.
    std::shared_ptr<detail::blocking_loop> loop_;
    std::shared_ptr<client> underlying_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/blocking_client.ipp>
#endif
