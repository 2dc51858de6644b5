#pragma once

#include <kcontrol/http/fetch.hpp>
#include <kcontrol/http/impl/url_text.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL result<document_url> parse_document_url(std::string_view text) {
    text = text.substr(0, text.find('#'));
    const auto colon = text.find("://");
    const auto host = colon == std::string_view::npos ? text.size() : colon + 3;
    const auto end = std::min(text.find_first_of("/?", host), text.size());
    const auto where = parse_base_url(text.substr(0, end));
    if (!where) return where.error();
    std::string target(text.substr(end));
    if (!target.starts_with('/')) target.insert(0, "/");
    if (!is_valid_target(target)) return detail::url_error("URL with a path or query that is not percent-encoded");
    return document_url(where->endpoint, std::move(target));
}

KCONTROL_DECL result<std::string> redirect_target(const endpoint& server, std::string_view target,
                                                  std::string_view location) {
    if (location.empty()) return detail::url_error("a redirect without a Location");
    std::string url(location);
    const auto path = split_target(target).first;
    if (url.starts_with("//")) {
        url.insert(0, server.scheme + ":");
    } else if (url.find("://") == std::string::npos || url.find("://") > url.find_first_of("/?#")) {
        std::string before = to_string(server);
        if (url.starts_with('?')) before += path;
        if (!url.starts_with('/') && !url.starts_with('?')) before += path.substr(0, path.rfind('/') + 1);
        url.insert(0, before);
    }
    auto to = parse_document_url(url);
    if (!to) return to.error().with_context("a redirect");
    if (!(to->endpoint == server)) {
        return error(errc::invalid_argument, "a redirect from " + to_string(server) + " to " + to_string(to->endpoint) +
                                                 " is not followed; name the server that has the document");
    }
    return std::move(to->target);
}

namespace detail {

inline bool is_redirect(int status) noexcept {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace detail

KCONTROL_DECL awaitable<result<response>> get_following(std::shared_ptr<transport> connection, endpoint server,
                                                        std::string target, exchange_options options, int most) {
    for (int followed = 0; followed <= most; ++followed) {
        request req("GET", target);
        auto answer = co_await connection->round_trip(std::move(req), options);
        if (!answer || !detail::is_redirect(answer->status)) co_return answer;
        auto next = redirect_target(server, target, answer->headers.get("Location"));
        if (!next) co_return next.error();
        target = std::move(*next);
    }
    co_return error(errc::protocol_error, to_string(server) + " redirects without end");
}

struct document_reader::impl {
    transport_factory connect;
    executor ex;
    std::string url;
    exchange_options options;
    std::shared_ptr<transport> connection;
};

KCONTROL_DECL document_reader::document_reader(transport_factory connect, executor ex, std::string url,
                                               exchange_options options)
    : impl_(std::make_shared<impl>(
          impl{std::move(connect), std::move(ex), std::move(url), std::move(options), nullptr})) {}

KCONTROL_DECL awaitable<result<response>> document_reader::read(std::stop_token stop) const {
    const auto self = impl_;
    const auto where = parse_document_url(self->url);
    if (!where) co_return where.error();
    if (!self->connection) {
        auto made = self->connect(self->ex, where->endpoint, tls_options());
        if (!made) co_return made.error();
        self->connection = std::move(*made);
    }
    exchange_options how = self->options;
    how.stop(std::move(stop));
    auto answer = co_await get_following(self->connection, where->endpoint, where->target, how);
    co_return answer;
}

}  // namespace kcontrol::http
