// What is asked before a write goes out: whether this process may write at all, and until when.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/websocket.hpp>
#include <kcontrol/runtime/time.hpp>

#include <functional>
#include <memory>

namespace kcontrol::inline v0_1 {

/// How long from now a write may take, or why there may be none. Called on the client's executor; it may outlive who
/// made it, and must not throw.
using write_guard = std::function<result<duration>()>;

namespace detail {

/// How long a write may take. Errors: the guard's, callback_failed.
KCONTROL_DECL result<duration> ask_guard(const write_guard& guard);

}  // namespace detail

/// A WebSocket around another one, each of whose messages is asked about before it goes out. `guard` bounds its time.
/// Errors, besides: the guard's, and callback_failed if it threw.
KCONTROL_DECL std::unique_ptr<http::websocket> guard_websocket(std::unique_ptr<http::websocket> below,
                                                               write_guard guard);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/write_guard.ipp>
#endif
