// kc get: tables as the server prints them, or the objects themselves.
#include <kcontrol/client/object_pager.hpp>
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/documents/yaml.hpp>

#include "json_text.hpp"
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

// `single`: it is one object that was named.
void print_objects(const std::string& format, const asked& what, std::vector<json::value> all, bool single) {
    if (format == "name") {
        for (const auto& one : all) {
            std::cout << name_of(what.kind, json::get_string(one, {"metadata", "name"})) << "\n";
        }
        return;
    }
    json::value whole;
    if (single) {
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
        std::cout << indented_json(whole) << "\n";
    }
}

/// What the server has of the names, and why not of the others: these are printed all the same.
struct gathered {
    object_table table;
    std::vector<json::value> objects;
    std::vector<error> failures;
};

gathered gather(session& s, asked what, const std::vector<namespaced_name>& keys, bool as_objects) {
    gathered out;
    for (const auto& key : keys) {
        what.name = key.name;
        try {
            if (as_objects) {
                for (auto& one : objects(s, what)) out.objects.push_back(std::move(one));
            } else {
                auto more = fetch(s, what);
                more.rows.insert(more.rows.begin(), out.table.rows.begin(), out.table.rows.end());
                out.table = std::move(more);
            }
        } catch (const exception& e) {
            if (e.cause().status() == nullptr) throw;
            out.failures.push_back(e.cause());
        }
    }
    return out;
}

}  // namespace

int get(session& s) {
    auto target = s.targets();
    const bool follows = s.said.has("--watch"), named = !target.keys.empty();
    if (follows && target.keys.size() > 1) refuse("-w: one name, or none");
    if (!named) target.keys.emplace_back();  // all of them
    asked what{target.kind, s.said.has("--all-namespaces") ? std::string() : s.home(target.kind), {}};
    const std::string& format = s.said.text("--output");
    const bool as_objects = format == "json" || format == "yaml" || format == "name";
    if (!as_objects && !format.empty() && format != "wide") refuse("-o " + format + ": json, yaml, name or wide");
    auto found = gather(s, what, target.keys, as_objects);
    if (as_objects && (!named || !found.objects.empty())) {
        print_objects(format, what, std::move(found.objects), named && target.keys.size() == 1);
    }
    if (!found.table.rows.empty()) {
        print(s, what, found.table, true);
    } else if (!as_objects && !named && !follows) {
        std::cerr << "No resources found" << (what.ns.empty() ? "" : " in " + what.ns + " namespace.") << "\n";
    }
    for (const auto& why : found.failures) report(why);
    if (!found.failures.empty()) return 1;
    if (named) what.name = target.keys.front().name;
    if (follows) follow(s, what, found.table.resource_version);
    return 0;
}

}  // namespace kc
