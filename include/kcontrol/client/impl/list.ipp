#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/client_state.hpp>
#include <kcontrol/client/detail/read_list.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/client/detail/verbs.hpp>
#include <kcontrol/codec/share_pool.hpp>
#include <kcontrol/http/url.hpp>

#include <iterator>

namespace kcontrol {
namespace detail {

// Lists and watches select in the same way.
template <class Options>
void append_selection(http::query_builder& query, const Options& options) {
    if (!options.label_selector().empty()) query.append("labelSelector", options.label_selector());
    if (!options.field_selector().empty()) query.append("fieldSelector", options.field_selector());
}

inline std::string list_target(const std::string& path, const list_options& options, const std::string& page_token) {
    http::query_builder query;
    append_selection(query, options);
    if (options.limit() > 0) query.append("limit", std::to_string(options.limit()));
    if (!page_token.empty()) {
        // The token holds the version; a server refuses both together.
        query.append("continue", page_token);
    } else if (!options.resource_version().empty()) {
        query.append("resourceVersion", options.resource_version());
    }
    return query.after(path);
}

inline awaitable<result<any_list>> list_call(shared_client_state state, const resource_info* info, std::string path,
                                             list_options options) {
    const time_point deadline = state->env->now() + options.deadline();
    any_list all;
    std::string page_token = options.continue_token();
    const auto pool = options.pool() != nullptr ? options.pool() : std::make_shared<share_pool>();
    for (bool first = true;; first = false) {
        http::request req("GET", list_target(path, options, page_token));
        ask_for_metadata(*info, req, "PartialObjectMetadataList");
        http::exchange_options bounds;
        bounds.deadline(deadline - state->env->now()).max_body(options.max_body()).stop(options.stop());
        auto answer = co_await exchange(state, std::move(req), std::move(bounds));
        if (!answer) co_return answer.error();
        auto page = read_list(*answer, *info, *pool, state->log);
        if (!page) co_return page.error();
        if (first) {
            // Of the first page: a watch from there sees what changed while the others were fetched.
            all.resource_version = std::move(page->resource_version);
            all.items = std::move(page->items);
        } else {
            all.items.insert(all.items.end(), std::make_move_iterator(page->items.begin()),
                             std::make_move_iterator(page->items.end()));
        }
        all.skipped += page->skipped;
        if (options.limit() > 0) {
            all.continue_token = std::move(page->continue_token);
            co_return all;
        }
        if (page->continue_token.empty()) co_return all;
        if (page->continue_token == page_token) {
            co_return error(errc::protocol_error, "the server answers with the same page of a list again and again");
        }
        page_token = std::move(page->continue_token);
    }
}

inline awaitable<result<std::unique_ptr<watch_stream>>> watch_call(shared_client_state state, const resource_info* info,
                                                                   http::request req, watch_options options) {
    http::exchange_options bounds;
    bounds.deadline(options.deadline()).stop(options.stop());
    auto opened = co_await open_exchange(state, std::move(req), std::move(bounds));
    if (!opened) co_return opened.error();
    if (auto refused = refuse_content_type(opened->head)) co_return *refused;
    co_return std::make_unique<watch_stream>(*info, std::move(opened->body), options.idle(), options.pool(),
                                             state->log);
}

}  // namespace detail

KCONTROL_DECL awaitable<result<any_list>> client::list_page(const resource_info& info, list_options options) {
    const auto path = detail::collection_path(info, options.in_namespace());
    if (!path) return detail::refused<any_list>(path.error());
    return detail::list_call(state_, &info, state_->base_path + *path, std::move(options));
}

KCONTROL_DECL awaitable<result<std::unique_ptr<watch_stream>>> client::watch(const resource_info& info,
                                                                             watch_options options) {
    const auto path = detail::collection_path(info, options.in_namespace());
    if (!path) return detail::refused<std::unique_ptr<watch_stream>>(path.error());
    http::query_builder query;
    query.append("watch", "true");
    if (!options.resource_version().empty()) query.append("resourceVersion", options.resource_version());
    if (options.bookmarks()) query.append("allowWatchBookmarks", "true");
    if (options.timeout().count() > 0) query.append("timeoutSeconds", std::to_string(options.timeout().count()));
    detail::append_selection(query, options);
    http::request req("GET", query.after(state_->base_path + *path));
    detail::ask_for_metadata(info, req, "PartialObjectMetadata");
    return detail::watch_call(state_, &info, std::move(req), std::move(options));
}

}  // namespace kcontrol
