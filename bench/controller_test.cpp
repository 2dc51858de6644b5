// What a test of a controller costs its user: the wall time of a whole one, in a world of its own each time.
//
// usage: controller_test [TESTS [SEEDS]]       200 and 200
// Rows of "phase TAB value TAB unit": from a new cluster to a site that is ready and a program that has stopped; the
// same with every call failing once (expect_idempotent); ten minutes of faults by seeds (simulate).
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/idempotence.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/testing/simulation.hpp>

#include "measure.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol_bench;
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

const testing::group_resource websites("example.com", "websites");

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

result<std::shared_ptr<controller>> add_controllers(manager& m) {
    return controller_builder(m, "websites")
        .for_<website>()
        .owns<deployment>()
        .complete([c = m.get_client()](reconcile_context, std::shared_ptr<const website> site) {
            return reconcile(c, std::move(site));
        });
}

website a_shop() {
    website shop;
    shop.metadata.name = "shop";
    shop.spec.image = "shop:1";
    shop.spec.replicas = 2;
    return shop;
}

json::value a_site() {
    return json::parse(R"({"apiVersion":"example.com/v1","kind":"Website","metadata":{"name":"shop"},)"
                       R"("spec":{"image":"shop:1","replicas":2}})")
        .value();
}

testing::api_server_options as_a_cluster() {
    testing::api_server_options out;
    out.default_and_validate(true).collect_garbage(true);
    return out;
}

void one_test(std::uint64_t seed) {
    testing::sim_world world(seed);
    world.register_resource(testing::resource_type_of(resource_of<website>()));
    auto& cluster = world.add_server("cluster", as_a_cluster());
    testing::fake_cluster fakes(world, cluster);
    manager m(world.env(), world.get_executor(), world.connect(cluster));
    add_controllers(m).value();
    m.start();
    cluster.api().create(a_site()).value();
    const bool ready = world.run_until([&] {
        const auto site = cluster.api().get(websites, {"default", "shop"});
        return site && json::get_string(*site, {"status", "phase"}) == "Ready";
    });
    world.run(m.stop());
    if (!ready) throw std::runtime_error("the site did not become ready");
}

double ms_since(const environment& env, time_point start) {
    return std::chrono::duration<double, std::milli>(env.now() - start).count();
}

void tests(int count) {
    const system_environment env;
    std::vector<double> took;
    const double cpu = cpu_us();
    for (int i = 0; i < count; ++i) {
        const auto start = env.now();
        one_test(static_cast<std::uint64_t>(i) + 1);
        took.push_back(ms_since(env, start));
    }
    print("a test", (cpu_us() - cpu) / 1000 / count, "ms CPU, mean");
    print("the first test", took.front(), "ms");
    std::sort(took.begin(), took.end());
    print("a test", took[took.size() / 2], "ms, median");
    print("a test", took[took.size() * 99 / 100], "ms, of 99 in 100 at most");
}

void every_call_fails() {
    const system_environment env;
    testing::idempotence_options options;
    options.server(as_a_cluster()).fakes(testing::fake_cluster_options());
    const auto start = env.now();
    const auto report = testing::expect_idempotent(add_controllers, a_shop(), options);
    if (!report) throw std::runtime_error(report.text());
    print("expect_idempotent", ms_since(env, start), "ms");
}

void lives(int seeds) {
    const system_environment env;
    testing::idempotence_options world;
    world.register_resource<website>().server(as_a_cluster()).fakes(testing::fake_cluster_options());
    testing::scenario life;
    life.world(world).step("a site is made", [](testing::api_server& api) { api.create(a_site()).value(); });
    const auto start = env.now();
    for (int seed = 1; seed <= seeds; ++seed) {
        const auto report = testing::simulate(static_cast<std::uint64_t>(seed), add_controllers, life);
        if (!report) throw std::runtime_error(report.text());
    }
    print("simulate", 60'000.0 * seeds / ms_since(env, start), "seeds a minute");
}

}  // namespace

int main(int count, char** words) {
    try {
        tests(std::max(1, count > 1 ? std::stoi(words[1]) : 200));
        every_call_fails();
        lives(count > 2 ? std::stoi(words[2]) : 200);
    } catch (const std::exception& failed) {
        std::fprintf(stderr, "controller_test: %s\n", failed.what());
        return 1;
    }
    return 0;
}
