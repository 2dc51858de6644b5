// A controller's whole program, tested: it gets to the same end whichever of its calls fails, and does nothing when
// there is nothing to do. Deployments get their pods from a fake cluster, in virtual time.
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/testing/idempotence.hpp>

#include <iostream>

using namespace kcontrol;
using api::apps::v1::deployment;

struct website {
    struct wanted {
        text image;
        std::int32_t replicas = 1;
        static constexpr auto kcontrol_fields() {
            return fields(field("image", &wanted::image), field("replicas", &wanted::replicas));
        }
    };
    struct now {
        text phase;
        static constexpr auto kcontrol_fields() { return fields(field("phase", &now::phase)); }
    };
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Website", "websites"};
    object_meta metadata;
    wanted spec;
    now status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &website::spec), field("status", &website::status));
    }
};

awaitable<result<void>> reconcile(client c, std::shared_ptr<const website> site) {
    deployment pods;
    pods.spec.replicas = site->spec.replicas;
    pods.spec.selector.edit().match_labels["website"] = site->metadata.name;
    pods.spec.template_.metadata.labels["website"] = site->metadata.name;
    auto& server = pods.spec.template_.spec.containers.emplace_back();
    server.name = "web";
    server.image = site->spec.image;
    const auto there = co_await apply_owned(c, *site, pods, apply_options("websites").force());
    if (!there) co_return there.error();
    website seen = *site;
    seen.status.phase = there->status.ready_replicas.value_or(0) < site->spec.replicas ? "Pending" : "Ready";
    const auto told = co_await c.patch(*site, seen, write_options().subresource("status"));
    if (!told) co_return told.error();
    co_return result<void>();
}

// What main() of the program gives to kcontrol::run().
result<std::shared_ptr<controller>> add_controllers(manager& m) {
    return controller_builder(m, "websites")
        .for_<website>()
        .owns<deployment>()
        .complete([c = m.get_client()](reconcile_context, std::shared_ptr<const website> site) {
            return reconcile(c, std::move(site));
        });
}

int main() {
    website shop;
    shop.metadata.name = "shop";
    shop.spec.image = "shop:1";
    shop.spec.replicas = 2;
    testing::api_server_options server;
    server.default_and_validate(true).collect_garbage(true);
    testing::idempotence_options options;
    options.server(server).fakes(testing::fake_cluster_options());
    const auto report = testing::expect_idempotent(add_controllers, shop, options);
    std::cout << report.text() << "\n";
    return report ? 0 : 1;
}
