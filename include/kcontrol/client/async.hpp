// The client's verbs with any completion token: callbacks, futures, deferred operations. Coroutines don't need this
// header: `co_await c.get<T>(key)` does the same for less.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/async_call.hpp>

#include <boost/asio/async_result.hpp>

namespace kcontrol::inline v0_1 {

// Each function is the client's verb of that name, with a completion token at the end. Of the verbs on types watch()
// has none: what it gives is read by a coroutine; informer::subscribe() takes a callback. For everything else that
// returns an awaitable (verbs on kinds given at run time, subresources, helpers) there is boost::asio::co_spawn.
//
// Handler signature: void(R), where R is the result that the verb's awaitable gives.
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
auto async_get_shared(client c, namespaced_name key, get_options options, Token&& token) {
    return detail::async_call<result<std::shared_ptr<const T>>>(
        std::move(c), std::move(options),
        [key = std::move(key)](client& on, get_options o) { return on.template get_shared<T>(key, std::move(o)); },
        std::forward<Token>(token));
}

template <resource T, class Token>
auto async_list(client c, list_options options, Token&& token) {
    return detail::async_call<result<std::vector<std::shared_ptr<const T>>>>(
        std::move(c), std::move(options), [](client& on, list_options o) { return on.template list<T>(std::move(o)); },
        std::forward<Token>(token));
}

template <resource T, class Token>
auto async_list_page(client c, list_options options, Token&& token) {
    return detail::async_call<result<object_page<T>>>(
        std::move(c), std::move(options),
        [](client& on, list_options o) { return on.template list_page<T>(std::move(o)); }, std::forward<Token>(token));
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

// The stop token that ends it is that of `how`.
template <resource T, class Token>
auto async_delete_collection(client c, list_options which, delete_options how, Token&& token) {
    return detail::async_call<result<any_list>>(
        std::move(c), std::move(how),
        [which = std::move(which)](client& on, delete_options o) {
            return on.template delete_collection<T>(which, std::move(o));
        },
        std::forward<Token>(token));
}

}  // namespace kcontrol
