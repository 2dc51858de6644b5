// An operator with a kind of its own: a Website becomes a Deployment and a Service, and has a record of its host in the
// namespace "dns", unless another one has it. Nothing there can belong to a Website, so a finalizer cleans up.
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/controllerutil/create_or.hpp>
#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/controllerutil/status_machine.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/record/event_recorder.hpp>

using namespace kcontrol;
using namespace kcontrol::api;

struct website {
    struct wanted {
        text image, host;
        std::int32_t replicas = 1;
        static constexpr auto kcontrol_fields() {
            return fields(field("image", &wanted::image), field("host", &wanted::host),
                          field("replicas", &wanted::replicas));
        }
    };
    struct now {
        text phase;
        std::int32_t ready = 0;
        list<status_condition> conditions;
        static constexpr auto kcontrol_fields() {
            return fields(field("phase", &now::phase), field("readyReplicas", &now::ready),
                          field("conditions", &now::conditions));
        }
    };
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Website", "websites"};
    object_meta metadata;
    wanted spec;
    now status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &website::spec), field("status", &website::status));
    }
    static constexpr auto kcontrol_crd() { return crd().status(); }
};

constexpr phase_table phases(phase("Pending").to("Ready").lacks("Available"),
                             phase("Ready").to("Pending").holds("Available"));

apps::v1::deployment deployment_of(const website& site) {
    apps::v1::deployment out;
    out.spec.replicas = site.spec.replicas;
    out.spec.selector.edit().match_labels["website"] = site.metadata.name;
    out.spec.template_.metadata.labels["website"] = site.metadata.name;
    auto& server = out.spec.template_.spec.containers.emplace_back();
    server.name = "web";
    server.image = site.spec.image;
    return out;
}

// The host's record is deleted if it is the site's.
awaitable<result<void>> release(client c, namespaced_name host, std::string site) {
    const auto found = co_await c.get<core::v1::config_map>(host);
    if (!found && found.error() == api_errc::not_found) co_return result<void>();
    if (!found) co_return found.error();
    const text* holder = found->data.get("website");
    if (holder == nullptr || *holder != site) co_return result<void>();
    co_return co_await delete_by_uid<core::v1::config_map>(c, host, found->metadata.uid, delete_options());
}

struct website_operator {
    client c;
    std::shared_ptr<event_recorder> events;
    apply_options by = apply_options("website-operator").force();

    // value() throws what is an error; the controller logs and counts it and tries again.
    awaitable<result<void>> operator()(reconcile_context ctx, std::shared_ptr<const website> found) {
        const std::string name = to_string(key_of(found->metadata));
        core::v1::config_map record;
        record.metadata.namespace_ = "dns";
        record.metadata.name = found->spec.host;
        if (is_being_deleted(found->metadata)) {
            const auto clean_up = [&](const website&) { return release(c, key_of(record.metadata), name); };
            co_return co_await finalize(c, *found, "example.com/dns", clean_up, ctx.stop());
        }
        const website site = (co_await ensure_finalizer(c, *found, "example.com/dns", ctx.stop())).value();
        // The host is free, or the site's, or another one's. Of two that take it at once, one gets a conflict, and is
        // told to look again.
        const auto claim = [&](core::v1::config_map& there) -> result<void> {
            text& holder = there.data["website"];
            if (holder.empty()) holder = name;
            if (holder == name) return {};
            return error(errc::invalid_argument, "spec.host: " + site.spec.host.str() + " belongs to " + holder.str());
        };
        (co_await create_or_update(c, record, claim)).value();
        core::v1::service service;
        service.spec.selector["website"] = site.metadata.name;
        service.spec.ports.emplace_back().port = 80;
        (co_await apply_owned(c, site, service, by)).value();
        const auto pods = (co_await apply_owned(c, site, deployment_of(site), by)).value();
        const std::int32_t ready = pods.status.ready_replicas.value_or(0);
        const auto phase = ready < site.spec.replicas ? phase_of<phases>("Pending") : phase_of<phases>("Ready");
        const auto count = [&](website& s) { s.status.ready = ready; };
        const website now = (co_await ensure_phase(c, site, phase, count)).value();
        const bool moved = now.status.phase != site.status.phase;
        if (moved) events->normal(now, now.status.phase.str(), std::to_string(ready) + " replicas are ready");
        co_return result<void>();
    }
};

int main(int argc, char** argv) {
    return run(argc, argv, [](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        (co_await install_crds<website>(m.get_unfenced_client(), install_options().stop(stop))).value();
        const website_operator reconcile{m.get_client(), m.get_event_recorder("example.com/website")};
        auto builder = controller_builder(m, "website").for_<website>();
        builder.owns<apps::v1::deployment>().owns<core::v1::service>().complete(reconcile).value();
        co_return result<void>();
    });
}
