// A controller that counts the entries of each ConfigMap, in a simulated cluster: what the package is for.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/version.hpp>

#include <cstdio>
#include <memory>
#include <string>

using kcontrol::api::core::v1::config_map;

namespace {

constexpr const char* counted = "example.com/entries";

kcontrol::reconciliation count_entries(kcontrol::reconcile_context ctx, std::shared_ptr<const config_map> found) {
    config_map edited = *found;
    edited.metadata.annotations[counted] = std::to_string(found->data.size());
    if (edited.metadata.annotations == found->metadata.annotations) co_return kcontrol::reconcile_result::done();
    kcontrol::client c = ctx.get_client();
    const auto written = co_await c.patch(*found, edited);
    if (!written) co_return written.error();
    co_return kcontrol::reconcile_result::done();
}

}  // namespace

int main() {
    kcontrol::testing::sim_world world;
    auto& cluster = world.add_server("cluster");
    kcontrol::manager m(world.env(), world.get_executor(), world.connect(cluster));
    if (!kcontrol::controller_builder(m, "entries").for_<config_map>().complete(count_entries)) return 1;
    const auto configs = m.get_informer<config_map>();
    m.start();
    const auto made = cluster.api().create({{"apiVersion", "v1"},
                                            {"kind", "ConfigMap"},
                                            {"metadata", {{"name", "colours"}}},
                                            {"data", {{"red", "#f00"}}}});
    const bool done = made && world.run_until([configs] {
        const auto found = configs->get({"default", "colours"});
        return found && found->metadata.annotations.contains(counted);
    });
    world.run(m.stop());
    std::printf("kcontrol %s: the controller %s\n", KCONTROL_VERSION_STRING, done ? "has counted" : "did not count");
    return done ? 0 : 1;
}
