#pragma once

#include <kcontrol/base/display_width.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/client/detail/verbs.hpp>
#include <kcontrol/client/impl/client_list.ipp>
#include <kcontrol/client/list_meter.hpp>
#include <kcontrol/client/object_table.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/shard_selector.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string cell_text(const json::value& cell) {
    if (cell.is_null()) return {};
    if (!cell.is_string()) return json::serialize(cell);
    const std::string text(cell.get_string());
    const auto line = text.find_first_of("\r\n");
    return line == std::string::npos ? text : text.substr(0, line) + "...";
}

inline const json::array* array_in(const json::value& of, std::string_view name) {
    const auto* const found = json::find(of, {name});
    return found != nullptr && found->is_array() ? &found->get_array() : nullptr;
}

inline error no_table(const std::string& what) { return error(errc::decode_failed, "the server's table: " + what); }

// The server may have sent rows of the other parts as well.
inline bool is_in_part(const json::value& row, const shard_selector& part) {
    object_meta meta;
    meta.uid = json::get_string(row, {"object", "metadata", "uid"});
    meta.namespace_ = json::get_string(row, {"object", "metadata", "namespace"});
    return part.selects(meta);
}

// The rows of one page that are in the part; the columns are those of the first page.
inline result<void> append_table(object_table& to, const json::value& page, const shard_selector& part) {
    const auto* const columns = array_in(page, "columnDefinitions");
    if (json::get_string(page, {"kind"}) != "Table" || columns == nullptr) return no_table("it is none");
    const bool first = to.columns.empty();
    for (const auto& one : first ? *columns : json::array()) {
        const auto* const priority = json::find(one, {"priority"});
        to.columns.emplace_back();
        to.columns.back().name = json::get_string(one, {"name"});
        to.columns.back().wide = priority != nullptr && *priority != 0;
    }
    const auto* const rows = array_in(page, "rows");
    for (const auto& one : rows != nullptr ? *rows : json::array()) {
        const auto* const cells = array_in(one, "cells");
        if (cells == nullptr || cells->size() != to.columns.size()) return no_table("a row does not fit its columns");
        if (!part.empty() && !is_in_part(one, part)) continue;
        object_table::row& row = to.rows.emplace_back();
        row.key.namespace_ = json::get_string(one, {"object", "metadata", "namespace"});
        row.key.name = json::get_string(one, {"object", "metadata", "name"});
        for (const auto& cell : *cells) row.cells.push_back(cell_text(cell));
    }
    if (first) to.resource_version = json::get_string(page, {"metadata", "resourceVersion"});
    return {};
}

// What a page is for the bounds of a list, which count the rows of all parts, as those of lists do.
inline any_list measured(const http::response& answer, const json::value& page) {
    any_list out;
    if (const auto* const rows = array_in(page, "rows")) out.items.resize(rows->size());
    out.bytes = answer.body.size();
    out.continue_token = json::get_string(page, {"metadata", "continue"});
    return out;
}

inline awaitable<result<object_table>> table_call(client c, std::string path, list_options which, shard_selector part) {
    const http::exchange_options bounds = exchange_options_of(which);
    object_table out;
    list_meter meter(list_bounds().max_items(which.max_items()), c.env().now());
    for (std::string token = which.continue_token();;) {
        http::request req("GET", list_target(path, which, part, token));
        req.headers.set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
        const auto answer = co_await c.raw(std::move(req), bounds);
        if (!answer) co_return answer.error();
        const auto page = json::parse(answer->body);
        if (!page) co_return page.error().with_context("the server's table");
        const auto appended = append_table(out, *page, part);
        if (!appended) co_return appended.error();
        any_list known = measured(*answer, *page);
        if (auto over = meter.add(known, c.env().now())) co_return std::move(*over);
        if (known.continue_token.empty()) co_return out;
        token = std::move(known.continue_token);
    }
}

}  // namespace detail

KCONTROL_DECL awaitable<result<object_table>> list_table(client c, const resource_info& info, list_options which) {
    constexpr std::int64_t usual_page = 500;
    const auto ns = c.placed_namespace(info, std::as_const(which).in_namespace());
    if (!ns) return make_ready<result<object_table>>(ns.error());
    auto path = detail::collection_path(info, *ns);
    if (!path) return make_ready<result<object_table>>(path.error());
    auto part = shard_selector::parse(std::as_const(which).shard_selector());
    if (!part) return make_ready<result<object_table>>(part.error());
    if (std::as_const(which).limit() <= 0) which.limit(usual_page);
    // The default is for lists that are decoded as they arrive, and a page is held whole here.
    if (std::as_const(which).max_body() == list_options().max_body()) {
        which.max_body(http::exchange_options::default_max_body);
    }
    return detail::table_call(std::move(c), std::move(*path), std::move(which), std::move(*part));
}

KCONTROL_DECL awaitable<result<object_table>> get_table(client c, const resource_info& info, namespaced_name key,
                                                        get_options options) {
    const auto placed = c.placed(info, std::move(key));
    if (!placed) return make_ready<result<object_table>>(placed.error());
    auto path = detail::object_path(info, *placed);
    if (!path) return make_ready<result<object_table>>(path.error());
    const get_options& said = options;
    list_options which;
    which.deadline(said.deadline()).max_body(said.max_body()).stop(said.stop());
    which.resource_version(said.resource_version());
    return detail::table_call(std::move(c), std::move(*path), std::move(which), {});
}

KCONTROL_DECL std::string object_table::text(const shape& how) const {
    std::vector<std::vector<std::string>> lines(rows.size() + 1);
    if (how.namespaces) lines[0].emplace_back("NAMESPACE");
    for (std::size_t r = 0; how.namespaces && r < rows.size(); ++r) lines[r + 1].push_back(rows[r].key.namespace_);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].wide && !how.wide) continue;
        std::string& name = lines[0].emplace_back(columns[i].name);
        for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        for (std::size_t r = 0; r < rows.size(); ++r) lines[r + 1].push_back(rows[r].cells[i]);
    }
    if (!how.header) lines.erase(lines.begin());
    return aligned_columns(lines);
}

KCONTROL_DECL std::string aligned_columns(const std::vector<std::vector<std::string>>& rows) {
    constexpr std::size_t least = 6, padding = 3;
    std::vector<std::size_t> widths;
    std::vector<std::vector<std::string>> shown(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        widths.resize(std::max(widths.size(), rows[r].size()), least);
        for (const auto& cell : rows[r]) shown[r].push_back(escape_control(cell));
        for (std::size_t i = 0; i < shown[r].size(); ++i) {
            widths[i] = std::max(widths[i], display_width(shown[r][i]) + padding);
        }
    }
    std::string out;
    for (const auto& row : shown) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            out += row[i];
            if (i + 1 < row.size()) out.append(widths[i] - display_width(row[i]), ' ');
        }
        out += '\n';
    }
    return out;
}

}  // namespace kcontrol
