// The coroutine and executor vocabulary that the library's asynchronous parts share.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kcontrol::inline v0_1 {

namespace asio = boost::asio;

/// Any Asio executor. Objects of the library run their work on the one they are given and start no thread.
using executor = boost::asio::any_io_executor;

/// What the library's coroutines return.
template <class T>
using awaitable = boost::asio::awaitable<T>;

}  // namespace kcontrol
