// Kinds known at run time: watches whatever kind the command line names, a custom one too, and tells when the condition
// Ready of an object changes.
// usage: 5_any_kind --kind GROUP/VERSION/KIND [FLAG...]      for instance --kind apps/v1/Deployment, --kind v1/Node
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/controller/dynamic_predicate.hpp>
#include <kcontrol/manager/run.hpp>

#include <iostream>

using namespace kcontrol;

// "apps/v1/Deployment", and "v1/Node" of the group without a name.
result<group_version_kind> parse_kind(const std::string& words) {
    const auto last = words.rfind('/');
    const auto before = last == std::string::npos || last == 0 ? std::string::npos : words.rfind('/', last - 1);
    if (last == std::string::npos || last + 1 == words.size()) {
        return error(errc::invalid_argument, "--kind " + words + ": want GROUP/VERSION/KIND, or VERSION/KIND");
    }
    const std::size_t version = before == std::string::npos ? 0 : before + 1;
    return group_version_kind{words.substr(0, before == std::string::npos ? 0 : before),
                              words.substr(version, last - version), words.substr(last + 1)};
}

// What the server calls the kind in its paths, and whether its objects are in namespaces.
awaitable<result<resource_info>> find_kind(client c, group_version_kind wanted, std::stop_token stop) {
    const auto served = co_await c.discover(wanted.group, wanted.version, get_options().stop(stop));
    if (!served) co_return served.error();
    for (const auto& each : *served) {
        if (each.gvk.kind != wanted.kind) continue;
        co_return dynamic_resource(each.gvk, each.plural,
                                   each.namespaced ? resource_scope::namespaced : resource_scope::cluster);
    }
    co_return error(errc::invalid_argument, "the server has no kind " + wanted.kind + " in " + wanted.version);
}

std::string ready_of(const dynamic_object& object) {
    const auto conditions = object.content.get({"status", "conditions"});
    if (!conditions.is_array()) return "no conditions";
    for (const auto& each : conditions.get_array()) {
        const auto* about = each.is_object() ? each.get_object().if_contains("type") : nullptr;
        if (about == nullptr || (*about != "Ready" && *about != "Available")) continue;
        return std::string(about->get_string()) + "=" + each.at("status").as_string().c_str();
    }
    return "neither Ready nor Available";
}

int main(int argc, char** argv) {
    std::string words;
    std::optional<resource_info> kind;  // outlives the manager
    run_options options;
    options.flag("--kind", "GROUP/VERSION/KIND", "what to watch", [&](std::string_view value) -> result<void> {
        words = value;
        const auto parsed = parse_kind(words);
        return parsed ? result<void>() : parsed.error();
    });
    const auto set_up = [&](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        auto wanted = parse_kind(words);
        if (!wanted) co_return wanted.error();
        auto found = co_await find_kind(m.get_client(), *wanted, stop);
        if (!found) co_return found.error();
        kind = std::move(*found);
        const auto tell = [](reconcile_context, std::shared_ptr<const dynamic_object> o) -> reconciliation {
            std::cout << to_string(key_of(o->metadata)) << " " << ready_of(*o) << std::endl;
            co_return reconcile_result::done();
        };
        const auto built = controller_builder(m, "any-kind")
                               .for_<dynamic_object>(*kind, content_changed({"status", "conditions"}))
                               .complete(tell);
        co_return built ? result<void>() : built.error();
    };
    return run(argc, argv, set_up, options);
}
