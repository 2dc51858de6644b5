// A ConfigMap kept in sync: each one labelled mirror=yes has a copy, NAME-mirror, which follows it, is put right when
// somebody else changes or deletes it, and goes when the label or the ConfigMap goes.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/controller/selector_predicate.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/manager/run.hpp>

using namespace kcontrol;
using kcontrol::api::core::v1::config_map;

struct mirror {
    client c;
    label_selector wanted;
    apply_options by = apply_options("mirror").force();

    awaitable<result<void>> operator()(reconcile_context ctx, std::shared_ptr<const config_map> original) {
        config_map copy;
        copy.metadata.namespace_ = original->metadata.namespace_;
        copy.metadata.name = original->metadata.name.str() + "-mirror";
        if (!wanted.selects(original->metadata)) {
            co_return co_await c.delete_<config_map>(key_of(copy.metadata), delete_options().ignore_not_found());
        }
        copy.data = original->data;
        // The copy belongs to the original, so the API server deletes it with that. Nothing that is right already is
        // written.
        const auto stored = co_await apply_owned(c, *original, copy, by);
        if (!stored) co_return stored.error();
        ctx.log().info("in sync", {{"version", stored->metadata.resource_version}});
        co_return result<void>();
    }
};

int main(int argc, char** argv) {
    return run(argc, argv, [](manager& m) {
        const auto wanted = *label_selector::parse("mirror=yes");
        return controller_builder(m, "mirror")
            .for_<config_map>(labels_match(wanted))
            .owns<config_map>()
            .complete(mirror{m.get_client(), wanted});
    });
}
