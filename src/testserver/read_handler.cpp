#include "testserver/read_handler.hpp"

#include "testserver/resource_version.hpp"
#include "testserver/responses.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {

awaitable<outcome<http::response>> read_handler::list(const parsed_request& asked, object_store::table_ptr table) {
    const request_info& info = asked.info;
    const auto query = list_query::of_request(info, table->type());
    if (!query) co_return query.error();
    auto page = read_page(*table, *query, replicas_.view_of(asked.replica));
    if (!page) co_return page.error();
    if (table->type().conversion != nullptr) {
        std::vector<object_ptr> objects;
        for (const auto& [key, object] : page->items) objects.push_back(object);
        auto shown = co_await converter_.shown_from_cache(table, std::move(objects), info.version);
        if (!shown) co_return shown.error();
        for (std::size_t i = 0; i < shown->size(); ++i) page->items[i].second = std::move((*shown)[i]);
    }
    const renderer out(table->type(), info, asked.form, env_.wall_now());
    co_return http::response(200, json_media_type, out.list(*page));
}

awaitable<outcome<http::response>> read_handler::get(const parsed_request& asked, object_store::table_ptr table) {
    const request_info& info = asked.info;
    const read_view view = replicas_.view_of(asked.replica);
    const std::string_view version_asked = info.parameter("resourceVersion");
    const auto version = parse_version(version_asked).value_or(0);
    if (version > view.cache) co_return failure::too_large_version(version, view.cache);
    // With a resourceVersion the cache answers, without one the truth does.
    const std::uint64_t at = std::max(version_asked.empty() ? view.truth : view.cache, table->oldest());
    object_ptr object = table->get_at({info.namespace_, info.name}, at);
    if (object == nullptr) co_return failure::not_found(table->type().id(), info.name);
    const auto shown = co_await converter_.shown_in(table, std::move(object), info.version);
    if (!shown) co_return shown.error();
    const renderer out(table->type(), info, asked.form, env_.wall_now());
    co_return http::response(200, json_media_type, out.object(**shown));
}

}  // namespace kcontrol::testing::detail
