// kc get: tables as the server prints them, or the objects themselves.
#include <kcontrol/client/object_pager.hpp>
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/documents/yaml.hpp>

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

object_table fetch(session& s, const asked& what) {
    const auto& info = s.info(what.kind);
    if (!what.name.empty()) {
        const auto how = s.timed(get_options());
        const namespaced_name key(what.ns, what.name);
        return s.client.run([&](client& c) { return get_table(c, info, key, how); }).value();
    }
    list_options which = s.timed(list_options());
    which.in_namespace(what.ns).label_selector(s.said.text("--selector"));
    return s.client.run([&](client& c) { return list_table(c, info, which); }).value();
}

void print(session& s, const asked& what, const object_table& all, bool header) {
    object_table::shape how{s.said.has("--all-namespaces") && what.kind.namespaced, s.said.text("--output") == "wide"};
    how.header = header;
    std::cout << all.text(how) << std::flush;
}

// A line for each change after that version, until the program is ended.
void follow(session& s, const asked& what, std::string version) {
    const auto info = metadata_resource(what.kind.gvk, what.kind.plural, what.kind.scope());
    watch_options from;
    from.in_namespace(what.ns).label_selector(s.said.text("--selector")).resource_version(std::move(version));
    if (!what.name.empty()) from.field_selector("metadata.name=" + what.name);
    retry_watcher changes(s.client.underlying(), info, std::move(from));
    for (;;) {
        const auto event = s.client.run([&](client&) { return changes.next({}); }).value();
        if (!event.object) continue;
        const auto& meta = event.object.meta();
        try {
            const asked one{what.kind, std::string(meta.namespace_), std::string(meta.name)};
            print(s, one, fetch(s, one), false);
        } catch (const exception& e) {
            if (e.cause() != condition::not_found) throw;
            std::cout << meta.name << "   deleted" << std::endl;
        }
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
    list_pager pages(s.client.underlying(), info, std::move(which));
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
    const object_table shown = fetch(s, what);
    if (!shown.rows.empty()) {
        print(s, what, shown, true);
    } else if (!s.said.has("--watch")) {
        std::cerr << "No resources found" << (what.ns.empty() ? "" : " in " + what.ns + " namespace") << ".\n";
    }
    if (s.said.has("--watch")) follow(s, what, shown.resource_version);
    return 0;
}

}  // namespace kc
