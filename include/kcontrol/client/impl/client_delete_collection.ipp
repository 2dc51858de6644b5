#pragma once

#include <kcontrol/client/impl/client.ipp>
#include <kcontrol/client/impl/client_list.ipp>
#include <kcontrol/codec/metadata_object.hpp>

#include <algorithm>
#include <cstring>

namespace kcontrol::inline v0_1 {
namespace detail {

// The list of what was deleted. Servers may answer with a Status instead.
inline result<any_list> read_deleted(http::response answer, const resource_info& info) {
    if (auto refused = refuse_answer(answer)) return std::move(*refused);
    {
        json::document document;
        const auto root = answer_json(answer, document);
        if (!root) return root.error();
        if (answer_text((*root)["kind"]) == "Status") return any_list();
    }
    share_pool pool;
    list_reader reader(answer, info, pool);
    for (std::string_view left = answer.body; !left.empty();) {
        const std::span<char> into = reader.room();
        const std::size_t count = std::min(into.size(), left.size());
        std::memcpy(into.data(), left.data(), count);
        left.remove_prefix(count);
        if (auto read = reader.filled(count); !read) return read.error();
    }
    return reader.finish();
}

inline awaitable<result<any_list>> delete_collection_call(shared_client_state state, resource_info info,
                                                          http::request req, http::exchange_options options,
                                                          bool ignore_not_found) {
    auto answer = co_await exchange(std::move(state), std::move(req), std::move(options));
    if (!answer && ignore_not_found && answer.error() == api_errc::not_found) co_return any_list();
    if (!answer) co_return answer.error();
    co_return read_deleted(std::move(*answer), info);
}

inline awaitable<result<any_list>> noted_deletions(std::shared_ptr<client_cache> cache, const resource_info& info,
                                                   namespaced_name all_of, awaitable<result<any_list>> remove) {
    const executor by = co_await boost::asio::this_coro::executor;
    auto gone = co_await std::move(remove);
    if (!gone) {
        cache->refused(info, all_of, gone.error());
        co_return gone.error();
    }
    for (const auto& item : gone->items) cache->deleted(by, info, item.meta());
    co_return std::move(*gone);
}

}  // namespace detail

KCONTROL_DECL awaitable<result<any_list>> client::delete_collection(const resource_info& info, list_options which,
                                                                    delete_options how) {
    if (auto ok = detail::place(defaults_.get(), info, which); !ok) return make_ready<result<any_list>>(ok.error());
    detail::fill_delete(defaults_.get(), how);
    const delete_options& said = how;
    if (!said.precondition_uid().empty() || !said.precondition_resource_version().empty()) {
        return make_ready<result<any_list>>(
            error(errc::invalid_argument,
                  "a precondition is about one object, and this deletes a collection: leave "
                  "it out, or delete the object by its name"));
    }
    if (!std::as_const(which).shard_selector().empty()) {
        return make_ready<result<any_list>>(
            error(errc::invalid_argument,
                  "a shard selector can't choose what is deleted: servers that do not know it would delete everything. "
                  "List the part, and delete its objects by name"));
    }
    const auto path = detail::collection_path(info, std::as_const(which).in_namespace());
    if (!path) return make_ready<result<any_list>>(path.error());
    const std::string target =
        detail::list_target(state_->base_path + *path, which, {}, std::as_const(which).continue_token());
    http::request req("DELETE", target);
    req.headers.set("Content-Type", "application/json");
    req.body = detail::delete_body(how);
    auto metadata = metadata_resource(info.gvk, info.plural, info.scope);
    detail::negotiation(nullptr, {}).ask(metadata, req, "PartialObjectMetadataList");
    auto remove = detail::delete_collection_call(state_, std::move(metadata), std::move(req),
                                                 detail::exchange_options_of(how), said.ignore_not_found());
    if (!cache_ || said.dry_run()) return remove;
    namespaced_name all_of(std::as_const(which).in_namespace(), std::string());
    return detail::noted_deletions(cache_, info, std::move(all_of), std::move(remove));
}

}  // namespace kcontrol
