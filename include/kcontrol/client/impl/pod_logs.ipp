#pragma once

#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/client/detail/pod_path.hpp>
#include <kcontrol/client/pod_logs.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/values/time.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string log_query(const log_options& options, const std::string& path) {
    http::query_builder query;
    const auto number = [&](const char* name, const auto& value) {
        if (value) query.append(name, std::to_string(*value));
    };
    const auto flag = [&](const char* name, bool on) {
        if (on) query.append(name, "true");
    };
    if (!options.container().empty()) query.append("container", options.container());
    flag("follow", options.follow());
    flag("previous", options.previous());
    if (options.since()) query.append("sinceSeconds", std::to_string(options.since()->count()));
    if (options.since_time()) query.append("sinceTime", format_time(*options.since_time()));
    number("tailLines", options.tail());
    flag("timestamps", options.timestamps());
    number("limitBytes", options.limit_bytes());
    return query.after(path);
}

inline awaitable<result<log_stream>> log_call(client c, http::request req, log_options options) {
    http::exchange_options bounds;
    bounds.deadline(options.deadline()).stop(options.stop());
    auto opened = co_await c.raw_stream(std::move(req), std::move(bounds));
    if (!opened) co_return opened.error();
    co_return log_stream(std::move(opened->body), options);
}

}  // namespace detail

KCONTROL_DECL awaitable<result<std::optional<pod_log_line>>> log_stream::next_line(std::stop_token stop) {
    using outcome = result<std::optional<pod_log_line>>;
    for (;;) {
        if (const auto line = lines_.next()) co_return outcome(line);
        if (ended_) co_return outcome(lines_.finish());
        const std::span<char> room = lines_.room();
        const auto count = co_await detail::read_some_guarded(*body_, room, idle_, stop);
        if (!count) co_return count.error();
        lines_.filled(*count);
        ended_ = *count == 0;
    }
}

KCONTROL_DECL awaitable<result<log_stream>> open_logs(client c, namespaced_name pod, log_options options) {
    const auto path = detail::pod_path(c, std::move(pod), "log");
    if (!path) return make_ready<result<log_stream>>(path.error());
    http::request req("GET", detail::log_query(options, *path));
    // Its errors are JSON, and itself it is plain text.
    req.headers.set("Accept", "application/json, */*");
    return detail::log_call(std::move(c), std::move(req), std::move(options));
}

}  // namespace kcontrol
