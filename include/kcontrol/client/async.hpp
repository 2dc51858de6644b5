// The client's verbs with any completion token: callbacks, futures, deferred operations. Coroutines don't need this
// header: `co_await c.get<T>(key)` does the same for less.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/async_call.hpp>

#include <boost/asio/async_result.hpp>

namespace kcontrol::inline v0_1 {

// Each function is the client's verb of that name, with a completion token at the end.
//
// Handler signature: void(result<T>), void(result<std::vector<std::shared_ptr<const T>>>) or void(result<void>).
// Executor: the call runs on the client's; the handler on its associated executor, else on the client's.
// Per-operation cancellation: every type ends the call with errc::stopped, as does the options' stop token. Emit the
// signal on the client's executor.
// Errors: the verb's. Exceptions (memory) come as errc::unavailable with their text.
// Object lifetime: arguments are copied; the client may be destroyed before the end.
// Thread-safety: may be called on any thread, and several threads may share a client. What waits runs on the client's
// executor, which is a strand or a context that one thread runs.

template <resource T, class Token>
auto async_get(client c, namespaced_name key, get_options options, Token&& token) {
    return detail::async_call<result<T>>(
        std::move(c), std::move(options),
        [key = std::move(key)](client& on, get_options o) { return on.template get<T>(key, std::move(o)); },
        std::forward<Token>(token));
}

template <resource T, class Token>
auto async_list(client c, list_options options, Token&& token) {
    return detail::async_call<result<std::vector<std::shared_ptr<const T>>>>(
        std::move(c), std::move(options), [](client& on, list_options o) { return on.template list<T>(std::move(o)); },
        std::forward<Token>(token));
}

template <resource T, class Token>
auto async_create(client c, const T& object, write_options options, Token&& token) {
    return detail::async_call<result<T>>(
        std::move(c), std::move(options),
        [object](client& on, write_options o) { return on.create(object, std::move(o)); }, std::forward<Token>(token));
}

template <resource T, class Token>
auto async_update(client c, const T& object, write_options options, Token&& token) {
    return detail::async_call<result<T>>(
        std::move(c), std::move(options),
        [object](client& on, write_options o) { return on.update(object, std::move(o)); }, std::forward<Token>(token));
}

template <resource T, class Token>
auto async_patch(client c, const T& snapshot, const T& edited, write_options options, Token&& token) {
    return detail::async_call<result<T>>(
        std::move(c), std::move(options),
        [snapshot, edited](client& on, write_options o) { return on.patch(snapshot, edited, std::move(o)); },
        std::forward<Token>(token));
}

template <resource T, class Token>
auto async_apply(client c, const T& object, apply_options options, Token&& token) {
    return detail::async_call<result<T>>(
        std::move(c), std::move(options),
        [object](client& on, apply_options o) { return on.apply(object, std::move(o)); }, std::forward<Token>(token));
}

template <resource T, class Token>
auto async_delete(client c, namespaced_name key, delete_options options, Token&& token) {
    return detail::async_call<result<void>>(
        std::move(c), std::move(options),
        [key = std::move(key)](client& on, delete_options o) { return on.template delete_<T>(key, std::move(o)); },
        std::forward<Token>(token));
}

}  // namespace kcontrol
