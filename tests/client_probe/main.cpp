// For tests/e2e/test_client.py: the client's verbs at a real API server, as a program without a loop calls them.
//     client_probe KUBECONFIG WHAT     subresources, running, collections, parts, patches, waits, discovery
// Prints one fact a line; a failure that nobody expects ends it with 1.
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/api/authentication/v1.hpp>
#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/policy/v1.hpp>
#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/client/api_discovery.hpp>
#include <kcontrol/client/blocking_client.hpp>
#include <kcontrol/client/object_pager.hpp>
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/client/subresource.hpp>
#include <kcontrol/client/wait_until.hpp>
#include <kcontrol/model/shard_selector.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "support/probe_options.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

using namespace kcontrol;

namespace {

using api::apps::v1::deployment;
using api::autoscaling::v1::scale;
using api::core::v1::config_map;
using api::core::v1::pod;

const namespaced_name web{"default", "web"};

template <class Result>
std::string tell(const Result& outcome) {
    return outcome ? "yes" : "no: " + outcome.error().code().message();
}

deployment make_deployment() {
    deployment out;
    out.metadata.name = web.name;
    out.metadata.namespace_ = web.namespace_;
    out.spec.replicas = 1;
    out.spec.selector.edit().match_labels["app"] = "web";
    out.spec.template_.metadata.labels["app"] = "web";
    api::core::v1::container main;
    main.name = "main";
    main.image = "example.com/main:1";
    out.spec.template_.spec.containers.push_back(main);
    return out;
}

pod make_pod(const std::string& name) {
    pod out;
    out.metadata.name = name;
    out.metadata.namespace_ = "default";
    api::core::v1::container main;
    main.name = "main";
    main.image = "example.com/main:1";
    out.spec.containers.push_back(main);
    return out;
}

void subresources(blocking_client& b) {
    std::cout << "created " << tell(b.create(make_deployment())) << "\n";
    const auto scales = [](client& c) { return c.subresource<deployment>("scale"); };
    auto now = b.run([&](client& c) { return scales(c).get<scale>(web); });
    std::cout << "scale " << now.value().spec.replicas.value_or(-1) << "\n";
    scale wanted;
    wanted.spec.replicas = 4;
    const auto updated = b.run([&](client& c) { return scales(c).update(web, wanted); }).value();
    std::cout << "scale " << updated.spec.replicas.value_or(-1) << "\n";
    scale edited = updated;
    edited.spec.replicas = 5;
    const auto patched = b.run([&](client& c) { return scales(c).patch(updated, edited); }).value();
    std::cout << "scale " << patched.spec.replicas.value_or(-1) << "\n";
    std::cout << "stale " << tell(b.run([&](client& c) { return scales(c).patch(updated, edited); })) << "\n";

    for (const char* name : {"bound", "evicted"}) (void)b.create(make_pod(name)).value();
    api::core::v1::binding binding;
    binding.target.kind = "Node";
    binding.target.name = "n1";
    const auto bind = [&](client& c) { return c.subresource<pod>("binding").create({"default", "bound"}, binding); };
    std::cout << "bound " << tell(b.run(bind)) << " " << std::string(b.get<pod>({"default", "bound"})->spec.node_name)
              << "\n";
    std::cout << "again " << tell(b.run(bind)) << "\n";
    const auto evict = [](client& c) {
        return c.subresource<pod>("eviction").create({"default", "evicted"}, api::policy::v1::eviction());
    };
    std::cout << "evicted " << tell(b.run(evict)) << "\n";
    std::cout << "gone " << tell(b.get<pod>({"default", "evicted"})) << "\n";
    std::cout << "again " << tell(b.run(evict)) << "\n";

    api::core::v1::service_account robot;
    robot.metadata.name = "robot";
    robot.metadata.namespace_ = "default";
    (void)b.create(robot).value();
    api::authentication::v1::token_request asked;
    asked.spec.expiration_seconds = 600;
    const auto token = b.run([&](client& c) {
        return c.subresource<api::core::v1::service_account>("token").create({"default", "robot"}, asked);
    });
    const std::string text = token ? std::string(token->status.token) : std::string();
    const bool has_token = std::count(text.begin(), text.end(), '.') == 2;
    std::cout << "token " << (has_token ? "yes" : "no") << "\n";
}

// What a pod may be given while it runs.
void running(blocking_client& b) {
    const auto cpu = [](const pod& of) { return of.spec.containers[0].resources.requests.find("cpu")->second.str(); };
    pod first = make_pod("running");
    first.spec.containers[0].resources.requests["cpu"] = "100m";
    const pod made = b.create(first).value();
    pod larger = made;
    larger.spec.containers[0].resources.requests["cpu"] = "200m";
    std::cout << "plain " << tell(b.patch(made, larger)) << "\n";
    const auto resize = write_options().subresource("resize");
    const auto patched = b.patch(made, larger, resize);
    std::cout << "resize " << tell(patched) << " " << cpu(*patched) << "\n";
    pod largest = *patched;
    largest.spec.containers[0].resources.requests["cpu"] = "300m";
    const auto updated = b.update(largest, resize);
    std::cout << "resize " << tell(updated) << " " << cpu(*updated) << "\n";
    std::cout << "stale " << tell(b.update(largest, resize)) << "\n";

    pod inspected = *updated;
    api::core::v1::ephemeral_container shell;
    shell.name = "shell";
    shell.image = "example.com/shell:1";
    shell.target_container_name = "main";
    inspected.spec.ephemeral_containers.push_back(shell);
    std::cout << "plain " << tell(b.update(inspected)) << "\n";
    const auto with_shell = b.patch(*updated, inspected, write_options().subresource("ephemeralcontainers"));
    std::cout << "ephemeral " << tell(with_shell) << " " << with_shell->spec.ephemeral_containers.size() << "\n";
    std::cout << "stays " << tell(b.update(*updated, write_options().subresource("ephemeralcontainers"))) << "\n";
}

// The names of the ConfigMaps in each of three parts, by uid and by namespace; the selector stands before them.
void parts(blocking_client& b) {
    for (const auto by : {shard_selector::by::uid, shard_selector::by::namespace_}) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string part = shard_selector::part(by, i, 3).value().to_string();
            std::cout << part << ":";
            const auto listed = b.list<config_map>(list_options().shard_selector(part).limit(0)).value();
            for (const auto& one : listed) {
                std::cout << " " << one->metadata.namespace_ << "/" << one->metadata.name;
            }
            std::cout << "\n";
        }
    }
}

void collections(blocking_client& b) {
    api::core::v1::namespace_ own;
    own.metadata.name = "pages";
    (void)b.create(own).value();
    for (int i = 0; i < 7; ++i) {
        config_map map;
        map.metadata.name = "m" + std::to_string(i);
        map.metadata.namespace_ = "pages";
        map.metadata.labels["odd"] = i % 2 == 1 ? "yes" : "no";
        (void)b.create(map).value();
    }
    object_pager<config_map> pages(b.underlying(), list_options().in_namespace("pages").limit(3));
    for (;;) {
        const auto page = b.run([&](client&) { return pages.next(); }).value();
        if (!page) break;
        std::cout << "page " << page->items.size() << " "
                  << (page->remaining ? std::to_string(*page->remaining) : "none") << "\n";
    }
    const auto odd = list_options().in_namespace("pages").label_selector("odd=yes");
    const auto dry = b.delete_collection<config_map>(odd, delete_options().dry_run());
    std::cout << "dry " << dry.value().items.size() << "\n";
    const auto gone = b.delete_collection<config_map>(odd).value();
    std::cout << "deleted";
    for (const auto& item : gone.items) std::cout << " " << std::string(item.meta().name);
    std::cout << "\n";
    // What kube-controller-manager keeps there is not ours.
    const auto left = b.list<config_map>(list_options().in_namespace("pages").label_selector("odd")).value();
    std::cout << "left " << left.size() << "\n";
    const auto namespaced = b.underlying().namespaced("pages");
    const auto all =
        b.run([&](client&) { return client(namespaced).list<config_map>(list_options().label_selector("odd")); });
    std::cout << "namespaced " << all.value().size() << "\n";
}

void patches(blocking_client& b) {
    const auto& info = resource_of<deployment>();
    const auto patch = [&](const char* type, const char* text, write_options options = {}) {
        return b.run([&](client& c) { return c.patch(info, web, type, text, options); });
    };
    const char* second =
        R"({"spec":{"template":{"spec":{"containers":[{"name":"second","image":"example.com/2:1"}]}}}})";
    const auto dry = patch(strategic_merge_patch_type, second, write_options().dry_run());
    std::cout << "dry " << dry.value().get<deployment>().spec.template_.spec.containers.size() << "\n";
    std::cout << "containers " << b.get<deployment>(web)->spec.template_.spec.containers.size() << "\n";
    std::cout
        << "strategic "
        << patch(strategic_merge_patch_type, second).value().get<deployment>().spec.template_.spec.containers.size()
        << "\n";
    const char* unknown = R"({"spec":{"nobodyKnows":1}})";
    std::cout << "strict "
              << tell(patch(merge_patch_type, unknown, write_options().field_validation(field_validation::strict)))
              << "\n";
    std::cout << "ignore "
              << tell(patch(merge_patch_type, unknown, write_options().field_validation(field_validation::ignore)))
              << "\n";
    const auto wrapped =
        b.underlying().dry_running().with_field_owner("probe").with_field_validation(field_validation::strict);
    const auto refused =
        b.run([&](client&) { return client(wrapped).patch(info, web, merge_patch_type, unknown, {}); });
    std::cout << "wrapped " << tell(refused) << "\n";
    const auto applied =
        b.run([&](client&) { return client(wrapped).apply(make_deployment(), apply_options("").force()); });
    std::cout << "dry apply " << tell(applied) << "\n";
    std::cout << "containers " << b.get<deployment>(web)->spec.template_.spec.containers.size() << "\n";
}

void waits(blocking_client& b) {
    const auto is_done = [](const config_map* map) {
        return map != nullptr && map->data.contains("state") && map->data.at("state") == "done";
    };
    const wait_options patient = wait_options().deadline(std::chrono::seconds(60));
    const namespaced_name key{"default", "signal"};
    std::cout << "waiting" << std::endl;
    const auto met = b.run([&](client& c) { return wait_until<config_map>(c, key, is_done, patient); });
    std::cout << "met " << tell(met) << std::endl;
    // The test puts a finalizer there, and takes it away once the object is being deleted.
    const auto gone = b.run([&](client& c) { return delete_and_wait<config_map>(c, key, {}, patient); });
    std::cout << "gone " << tell(gone) << " " << tell(b.get<config_map>(key)) << std::endl;
    const auto short_wait = wait_options().deadline(std::chrono::seconds(1));  // measures: it never becomes so
    std::cout << "late " << tell(b.run([&](client& c) { return wait_until<config_map>(c, key, is_done, short_wait); }))
              << std::endl;
    retry_watcher old(b.underlying(), resource_of<config_map>(), watch_options().resource_version("1"));
    std::cout << "old " << tell(b.run([&](client&) { return old.next({}); })) << std::endl;
}

void print(const api_catalog& all) {
    std::vector<std::string> lines;
    for (const auto& one : all.resources) {
        std::string line =
            one.gvk.api_version() + " " + one.plural + " " + one.gvk.kind + (one.namespaced ? " ns" : "");
        for (const auto& name : one.short_names) line += " " + name;
        std::vector<std::string> below;
        for (const auto& sub : one.subresources)
            below.push_back(sub.name + "=" + sub.gvk.api_version() + "." + sub.gvk.kind);
        std::sort(below.begin(), below.end());
        for (const auto& sub : below) line += " /" + sub;
        lines.push_back(line);
    }
    for (const auto& line : lines) std::cout << line << "\n";
    for (const auto& one : all.failures) std::cout << "failed " << one.group_version() << "\n";
}

void discovery(blocking_client& b) {
    api_discovery modern(b.underlying());
    api_discovery legacy(b.underlying(), discovery_options().legacy(true));
    std::cout << "modern\n";
    print(*b.run([&](client&) { return modern.catalog(); }).value());
    std::cout << "legacy\n";
    print(*b.run([&](client&) { return legacy.catalog(); }).value());
    std::cout << "words\n";
    for (const char* word :
         {"po", "deploy", "hpa", "events.events.k8s.io", "horizontalpodautoscalers.v1.autoscaling", "nope"}) {
        const auto found = b.run([&](client&) { return modern.find(word); });
        std::cout << word << " " << (found ? found->gvk.api_version() + " " + found->plural : tell(found)) << "\n";
    }
    const auto broken = b.run([&](client&) { return modern.find("things.broken.example.com"); });
    std::cout << "broken " << tell(broken) << "\n";
    std::cout << "version " << b.run([&](client&) { return modern.version(); }).value().git_version << "\n";
    const auto document = b.run([&](client&) { return modern.openapi("apps", "v1"); });
    const bool whole = document && (*document)->find("io.k8s.api.apps.v1.Deployment") != std::string::npos;
    std::cout << "openapi " << tell(document) << (whole ? ", whole" : "") << "\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: client_probe KUBECONFIG WHAT\n", 2;
    system_environment env;
    const std::string what = argv[2];
    try {
        const auto config = auth::find_config(env, auth::config_search().file(argv[1])).value();
        auto b = blocking_client::connect(env, config, http::make_transport_factory(env), {}, test::probe_options(env))
                     .value();
        if (what == "subresources") subresources(b);
        if (what == "running") running(b);
        if (what == "collections") collections(b);
        if (what == "parts") parts(b);
        if (what == "patches") patches(b);
        if (what == "waits") waits(b);
        if (what == "discovery") discovery(b);
    } catch (const exception& e) {
        return std::cerr << e.what() << "\n", 1;
    }
    return 0;
}
