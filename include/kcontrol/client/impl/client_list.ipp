#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/client_cache.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/client_defaults.hpp>
#include <kcontrol/client/detail/client_state.hpp>
#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/client/detail/list_reader.hpp>
#include <kcontrol/client/detail/negotiation.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/client/detail/verbs.hpp>
#include <kcontrol/client/list_meter.hpp>
#include <kcontrol/codec/share_pool.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/model/shard_selector.hpp>

#include <iterator>

namespace kcontrol::inline v0_1 {
namespace detail {

inline void append_page(any_list& all, any_list page, bool first) {
    all.bytes += page.bytes;
    all.continue_token = std::move(page.continue_token);
    all.remaining = page.remaining;
    if (first) {
        // Of the first page: a watch from there sees what changed while the others were fetched.
        all.resource_version = std::move(page.resource_version);
        all.items = std::move(page.items);
        all.invalid = std::move(page.invalid);
        return;
    }
    const auto move_to = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    move_to(all.items, page.items);
    move_to(all.invalid, page.invalid);
}

// The server may have sent the others as well. How many follow counts those, too.
inline void keep_part(any_list& page, const shard_selector& part) {
    if (part.empty()) return;
    std::erase_if(page.items, [&](const any_object& one) { return !part.selects(one.meta()); });
    std::erase_if(page.invalid, [&](const invalid_object& one) { return !part.selects(one.metadata); });
    page.remaining.reset();
}

// Lists and watches select in the same way. `part` is what the options' shard selector says.
template <class Options>
void append_selection(http::query_builder& query, const Options& options, const shard_selector& part) {
    if (!options.label_selector().empty()) query.append("labelSelector", options.label_selector());
    if (!options.field_selector().empty()) query.append("fieldSelector", options.field_selector());
    if (!part.empty() && part.is_known_to_servers()) query.append("shardSelector", options.shard_selector());
}

inline std::string list_target(const std::string& path, const list_options& options, const shard_selector& part,
                               const std::string& page_token) {
    http::query_builder query;
    append_selection(query, options, part);
    if (options.limit() > 0) query.append("limit", std::to_string(options.limit()));
    if (!page_token.empty()) {
        // The token holds the version; a server refuses both together.
        query.append("continue", page_token);
    } else if (!options.resource_version().empty()) {
        query.append("resourceVersion", options.resource_version());
    }
    return query.after(path);
}

inline error page_too_slow(std::uint64_t bytes, const list_options& options) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options.deadline());
    return error(errc::too_large, "the list did not arrive within " + std::to_string(seconds.count()) +
                                      " s: " + std::to_string(bytes) + " bytes came");
}

// A stream of objects, asked for in the encoding of the kind, which is null where it comes as JSON.
class opened_objects {
public:
    http::opened_exchange answer;
    std::shared_ptr<const kind_encoding> as;
};

// The body of an answer that is in JSON has what JSON must have by its head.
inline awaitable<result<opened_objects>> open_objects(shared_client_state state, const resource_info* info,
                                                      http::request req, std::string_view metadata_as,
                                                      http::exchange_options bounds, refusals how) {
    opened_objects out;
    out.as = state->agreed->ask(*info, req, metadata_as);
    bounds.form(http::exchange_form::streamed);
    auto opened = co_await exchange(state, req, bounds, how);
    if (!opened && out.as && refuses_encoding(opened.error())) {
        state->agreed->answered_otherwise(*info, opened.error().message());
        req.headers.erase("Accept");
        out.as = state->agreed->ask(*info, req, metadata_as);
        opened = co_await exchange(state, std::move(req), std::move(bounds), how);
    }
    if (!opened) co_return opened.error();
    out.answer = std::move(*opened);
    if (!out.as || !state->agreed->is_encoded(out.answer)) {
        if (auto refused = refuse_head(out.answer)) co_return std::move(*refused);
        if (out.as) state->agreed->answered_otherwise(*info, out.answer.headers.get("Content-Type"));
        out.as.reset();
    }
    co_return result<opened_objects>(std::move(out));
}

// One page, decoded as it arrives; by a list_reader or a list_decoder.
template <class Reader>
awaitable<result<any_list>> read_list(shared_client_state state, std::unique_ptr<http::body_stream> body,
                                      std::unique_ptr<Reader> reader, list_options options, time_point deadline) {
    std::uint64_t bytes = 0;
    for (time_point last = state->env->now();; last = state->env->now()) {
        const std::span<char> into = reader->room();
        const auto count = co_await read_some_guarded(*body, into, deadline - state->env->now(), options.stop());
        if (!count) {
            // A server that has not fallen silent, and does not come to an end, was asked for too much.
            const bool slow =
                count.error() == errc::timeout && bytes > 0 && state->env->now() - last < options.deadline() / 4;
            co_return slow ? page_too_slow(bytes, options) : count.error();
        }
        if (*count == 0) {
            state->requests->count_response_size("GET", bytes);
            co_return reader->finish();
        }
        bytes += *count;
        if (bytes > options.max_body()) co_return explain_budget(body_too_large(options.max_body()));
        auto read = reader->filled(*count);
        if (!read) co_return read.error();
        // Here as well as after each page: a server may ignore the limit, and one page may be without end.
        if (reader->held() > options.max_items()) {
            co_return list_without_end("max_items", std::to_string(options.max_items()));
        }
    }
}

inline awaitable<result<any_list>> list_page_call(shared_client_state state, const resource_info* info,
                                                  http::request req, list_options options, time_point deadline) {
    http::exchange_options bounds;
    bounds.deadline(deadline - state->env->now()).stop(options.stop());
    // A list with a function that says what is held already is that of an informer, which backs off by itself.
    const auto how = options.reuse() ? refusals::handed_on : refusals::repeated;
    auto opened =
        co_await open_objects(state, info, std::move(req), "PartialObjectMetadataList", std::move(bounds), how);
    if (!opened) co_return opened.error();
    auto body = std::move(opened->answer.stream);
    if (opened->as) {
        auto decoder = opened->as->decode_list(*options.pool(), options.reuse());
        auto page =
            co_await read_list(std::move(state), std::move(body), std::move(decoder), std::move(options), deadline);
        co_return page;
    }
    auto reader = std::make_unique<list_reader>(std::move(opened->answer), *info, *options.pool());
    reader->reuse(options.reuse());
    auto page = co_await read_list(std::move(state), std::move(body), std::move(reader), std::move(options), deadline);
    co_return page;
}

// The bound of bytes has another name among the options of a call.
inline error name_option(const error& over) {
    const bool bytes = over == errc::limit_exceeded && over.message().find("max_bytes") != std::string::npos;
    return bytes ? over.with_context("list_options::max_body") : over;
}

inline awaitable<result<any_list>> list_call(shared_client_state state, const resource_info* info, std::string path,
                                             list_options options, shard_selector part) {
    const time_point deadline = state->env->now() + options.deadline();
    any_list all;
    std::string page_token = options.continue_token();
    if (options.pool() == nullptr) options.pool(std::make_shared<share_pool>());
    const list_bounds bounds = list_bounds().max_items(options.max_items()).max_bytes(options.max_body());
    list_meter meter(bounds, state->env->now());
    for (bool first = true;; first = false) {
        http::request req("GET", list_target(path, options, part, page_token));
        auto page = co_await list_page_call(state, info, std::move(req), options, deadline);
        if (!page) co_return page.error();
        if (const auto over = meter.add(*page, state->env->now())) co_return name_option(*over);
        page_token = page->continue_token;
        keep_part(*page, part);
        append_page(all, std::move(*page), first);
        if (options.limit() > 0 || page_token.empty()) co_return all;
        all.continue_token.clear();
    }
}

inline awaitable<result<std::unique_ptr<watch_stream>>> watch_call(shared_client_state state, const resource_info* info,
                                                                   http::request req, watch_options options) {
    http::exchange_options bounds;
    bounds.deadline(options.deadline()).stop(options.stop());
    auto opened = co_await open_objects(state, info, std::move(req), "PartialObjectMetadata", std::move(bounds),
                                        refusals::handed_on);
    if (!opened) co_return opened.error();
    if (opened->as && options.pool() == nullptr) options.pool(std::make_shared<share_pool>());
    auto body = std::move(opened->answer.stream);
    std::shared_ptr<watch_decoder> decoder;
    if (opened->as) decoder = opened->as->decode_watch(options.pool(), state->log);
    co_return std::make_unique<watch_stream>(*state->env, *info, std::move(body), options, state->log,
                                             std::move(decoder));
}

inline awaitable<result<any_list>> log_invalid(shared_client_state state, const resource_info* info,
                                               awaitable<result<any_list>> call) {
    auto list = co_await std::move(call);
    if (!list) co_return list.error();
    for (const auto& object : list->invalid) {
        state->log.warning("an object does not decode and is left out",
                           {{"kind", info->gvk.kind}, {"object", object.describe()}, {"error", object.why.what()}});
    }
    co_return std::move(*list);
}

// `tells`, where it is not null, logs what does not decode; of a cached object its informer has done so.
inline awaitable<result<any_list>> cached_list(client from, const resource_info& info, list_options options,
                                               shared_client_state tells) {
    auto known = co_await from.cache()->list(from, info, options);
    if (known) co_return std::move(*known);
    auto ask = from.live().list_page(info, std::move(options));
    if (!tells) {
        auto answer = co_await std::move(ask);
        co_return answer;
    }
    auto answer = co_await log_invalid(std::move(tells), &info, std::move(ask));
    co_return answer;
}

}  // namespace detail

KCONTROL_DECL awaitable<result<any_list>> client::list_and_log(const resource_info& info, list_options options) {
    if (auto ok = detail::place(defaults_.get(), info, options); !ok) return make_ready<result<any_list>>(ok.error());
    if (reads_cache_) return detail::cached_list(*this, info, std::move(options), state_);
    return detail::log_invalid(state_, &info, list_page(info, std::move(options)));
}

KCONTROL_DECL awaitable<result<any_list>> client::list_page(const resource_info& info, list_options options) {
    if (auto ok = detail::place(defaults_.get(), info, options); !ok) return make_ready<result<any_list>>(ok.error());
    const auto path = detail::collection_path(info, options.in_namespace());
    if (!path) return make_ready<result<any_list>>(path.error());
    if (reads_cache_) return detail::cached_list(*this, info, std::move(options), nullptr);
    auto part = shard_selector::parse(std::as_const(options).shard_selector());
    if (!part) return make_ready<result<any_list>>(part.error());
    return detail::list_call(state_, &info, state_->base_path + *path, std::move(options), std::move(*part));
}

KCONTROL_DECL awaitable<result<std::unique_ptr<watch_stream>>> client::watch(const resource_info& info,
                                                                             watch_options options) {
    if (auto ok = detail::place(defaults_.get(), info, options); !ok) {
        return make_ready<result<std::unique_ptr<watch_stream>>>(ok.error());
    }
    const auto path = detail::collection_path(info, options.in_namespace());
    if (!path) return make_ready<result<std::unique_ptr<watch_stream>>>(path.error());
    const auto part = shard_selector::parse(std::as_const(options).shard_selector());
    if (!part) return make_ready<result<std::unique_ptr<watch_stream>>>(part.error());
    http::query_builder query;
    query.append("watch", "true");
    if (!options.resource_version().empty()) query.append("resourceVersion", options.resource_version());
    if (options.initial_events()) {
        query.append("sendInitialEvents", "true");
        query.append("resourceVersionMatch", "NotOlderThan");
    }
    if (options.bookmarks() || options.initial_events()) query.append("allowWatchBookmarks", "true");
    if (options.timeout().count() > 0) query.append("timeoutSeconds", std::to_string(options.timeout().count()));
    detail::append_selection(query, options, *part);
    http::request req("GET", query.after(state_->base_path + *path));
    return detail::watch_call(state_, &info, std::move(req), std::move(options));
}

}  // namespace kcontrol
