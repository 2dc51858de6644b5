// kc get: tables as the server prints them, or the objects themselves.
#include <kcontrol/client/object_pager.hpp>
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/http/url.hpp>

#include "session.hpp"

#include <iostream>

namespace kc {

namespace {

/// What `get` is about.
struct asked {
    api_resource kind;
    std::string ns;    // empty: all of them
    std::string name;  // empty: all of them
};

std::string cell_text(const json::value& cell) {
    if (cell.is_null()) return {};
    if (!cell.is_string()) return json::serialize(cell);
    const std::string text(cell.get_string());
    const auto line = text.find_first_of("\r\n");
    return line == std::string::npos ? text : text.substr(0, line) + "...";
}

/// The server's table, its header first.
struct table {
    std::vector<std::vector<std::string>> rows;
    std::vector<bool> shown;  // which columns
    std::string resource_version;
};

json::value ask_table(session& s, const asked& what, const std::string& token) {
    std::string path = what.kind.gvk.group.empty() ? "/api/" : "/apis/" + what.kind.gvk.group + "/";
    path += what.kind.gvk.version;
    if (!what.ns.empty()) path += "/namespaces/" + http::encode_path_segment(what.ns).value();
    path += "/" + what.kind.plural;
    if (!what.name.empty()) path += "/" + http::encode_path_segment(what.name).value();
    http::query_builder query;
    if (what.name.empty()) query.append("limit", "500");
    if (s.said.has("--selector")) query.append("labelSelector", s.said.text("--selector"));
    if (!token.empty()) query.append("continue", token);
    http::request req("GET", query.after(path));
    req.headers.set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
    const auto bounds = s.timed(http::exchange_options());
    const auto answer = s.client.run([&](client& c) { return c.raw(req, bounds); }).value();
    return json::parse(answer.body).value();
}

void add_header(session& s, const asked& what, const json::value& columns, table& to) {
    auto& names = to.rows.emplace_back();
    if (s.said.has("--all-namespaces") && what.kind.namespaced) names.emplace_back("NAMESPACE");
    for (const auto& column : columns.as_array()) {
        const auto* const priority = json::find(column, {"priority"});
        to.shown.push_back(s.said.text("--output") == "wide" || priority == nullptr || *priority == 0);
        std::string name(json::get_string(column, {"name"}));
        for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        if (to.shown.back()) names.push_back(std::move(name));
    }
}

table fetch(session& s, const asked& what) {
    table out;
    std::string token;
    do {
        const json::value page = ask_table(s, what, token);
        if (out.rows.empty()) add_header(s, what, page.at("columnDefinitions"), out);
        const auto* const rows = json::find(page, {"rows"});
        for (const auto& row : rows != nullptr && rows->is_array() ? rows->get_array() : json::array()) {
            auto& cells = out.rows.emplace_back();
            if (s.said.has("--all-namespaces") && what.kind.namespaced) {
                cells.emplace_back(json::get_string(row, {"object", "metadata", "namespace"}));
            }
            const auto& values = row.at("cells").as_array();
            for (std::size_t i = 0; i < values.size() && i < out.shown.size(); ++i) {
                if (out.shown[i]) cells.push_back(cell_text(values[i]));
            }
        }
        out.resource_version = json::get_string(page, {"metadata", "resourceVersion"});
        token = json::get_string(page, {"metadata", "continue"});
    } while (!token.empty());
    return out;
}

// A line for each change after that version, until the program is ended.
void follow(session& s, const asked& what, std::string version) {
    const auto info = metadata_resource(what.kind.gvk, what.kind.plural, what.kind.scope());
    watch_options from;
    from.in_namespace(what.ns).label_selector(s.said.text("--selector")).resource_version(std::move(version));
    if (!what.name.empty()) from.field_selector("metadata.name=" + what.name);
    retry_watcher changes(s.client.below(), info, std::move(from));
    for (;;) {
        const auto event = s.client.run([&](client&) { return changes.next({}); }).value();
        if (!event.object) continue;
        const auto& meta = event.object.meta();
        table now;
        try {
            now = fetch(s, {what.kind, std::string(meta.namespace_), std::string(meta.name)});
            now.rows.erase(now.rows.begin());
        } catch (const exception& e) {
            if (e.cause() != condition::not_found) throw;
            now.rows = {{std::string(meta.name), "deleted"}};
        }
        print_columns(now.rows);
        std::cout << std::flush;
    }
}

std::vector<json::value> objects(session& s, const asked& what) {
    const auto& info = s.info(what.kind);
    std::vector<json::value> out;
    const auto keep = [&](const any_object& object) {
        json::value tree = object.get<dynamic_object>().content.tree();
        auto& members = tree.get_object();
        members["apiVersion"] = what.kind.gvk.api_version();
        members["kind"] = what.kind.gvk.kind;
        out.push_back(std::move(tree));
    };
    if (!what.name.empty()) {
        const namespaced_name key(what.ns, what.name);
        keep(s.client.run([&](client& c) { return c.get(info, key, s.timed(get_options())); }).value());
        return out;
    }
    list_options which = s.timed(list_options());
    which.in_namespace(what.ns).label_selector(s.said.text("--selector"));
    list_pager pages(s.client.below(), info, std::move(which));
    const auto all = s.client.run([&](client&) { return pages.all(); }).value();
    for (const auto& object : all.items) keep(object);
    return out;
}

void print_objects(const std::string& format, const asked& what, std::vector<json::value> all) {
    if (format == "name") {
        for (const auto& one : all) {
            std::cout << name_of(what.kind, json::get_string(one, {"metadata", "name"})) << "\n";
        }
        return;
    }
    json::value whole;
    if (!what.name.empty()) {
        whole = std::move(all.front());
    } else {
        json::array items;
        for (auto& one : all) items.push_back(std::move(one));
        whole = {{"apiVersion", "v1"},
                 {"items", std::move(items)},
                 {"kind", "List"},
                 {"metadata", {{"resourceVersion", ""}}}};
    }
    if (format == "yaml") {
        std::cout << json::to_yaml(whole);
    } else {
        std::cout << json::serialize(whole) << "\n";
    }
}

}  // namespace

int get(session& s) {
    auto target = s.targets();
    if (target.keys.size() > 1) refuse("one name, or none");
    const std::string name = target.keys.empty() ? std::string() : target.keys.front().name;
    const asked what{target.kind, s.said.has("--all-namespaces") ? std::string() : s.home(target.kind), name};
    const std::string& format = s.said.text("--output");
    if (format == "json" || format == "yaml" || format == "name") {
        print_objects(format, what, objects(s, what));
        return 0;
    }
    if (!format.empty() && format != "wide") refuse("-o " + format + ": json, yaml, name or wide");
    const table shown = fetch(s, what);
    if (shown.rows.size() > 1) {
        print_columns(shown.rows);
    } else if (!s.said.has("--watch")) {
        std::cerr << "No resources found" << (what.ns.empty() ? "" : " in " + what.ns + " namespace") << ".\n";
    }
    std::cout << std::flush;
    if (s.said.has("--watch")) follow(s, what, shown.resource_version);
    return 0;
}

}  // namespace kc
