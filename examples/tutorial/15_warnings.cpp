// Why pods do not run: each pod that waits or has failed, and each about which there is a new warning, with its
// warnings. These are Events, of which there may be a million: a function watches them, and none is kept.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/cluster/function_source.hpp>
#include <kcontrol/manager/run.hpp>

#include "pod.hpp"

#include <iostream>

using namespace kcontrol;
using warning = api::core::v1::event;

// Says of which pods there are warnings from now on. If it returns an error, that is logged, and it is called again.
awaitable<result<void>> follow_warnings(client c, event_sink to, std::stop_token stop) {
    const auto one = list_options().limit(1).stop(stop);
    const auto now = co_await c.list_page<warning>(one);
    if (!now) co_return now.error();
    to.set_synced();  // what happens after this version will be told
    auto all = watch_options().field_selector("involvedObject.kind=Pod,type=Warning");
    all.resource_version(now->resource_version);
    retry_watcher warnings(c, resource_of<warning>(), all);
    while (true) {
        const auto next = co_await warnings.next(stop);
        if (!next) co_return next.error();
        if (next->type == watch_event_type::deleted || !next->object) continue;
        const auto& about = next->object.get<warning>().involved_object;
        to.emit(namespaced_name(about.namespace_, about.name));
    }
}

awaitable<result<void>> tell(reconcile_context ctx, std::shared_ptr<const pod> p) {
    auto its_own = list_options().in_namespace(p->metadata.namespace_).stop(ctx.stop());
    its_own.field_selector("type=Warning,involvedObject.uid=" + p->metadata.uid.str());
    const auto warnings = co_await ctx.get_client().list<warning>(its_own);
    if (!warnings) co_return warnings.error();
    std::cout << to_string(key_of(p->metadata)) << " " << p->status.phase << std::endl;
    for (const auto& each : *warnings) std::cout << "  " << each->reason << ": " << each->message << std::endl;
    co_return result<void>();
}

int main(int argc, char** argv) {
    return run(argc, argv, [](manager& m) {
        const auto follow = [c = m.get_client()](event_sink to, std::stop_token stop) {
            return follow_warnings(c, std::move(to), std::move(stop));
        };
        const auto warnings = std::make_shared<function_source>(
            m.env(), m.get_executor(), follow, function_options().name("warnings").log(m.log()).reports_synced(true));
        const auto does_not_run = [](const pod& p) {
            return p.status.phase == "Pending" || p.status.phase == "Failed";
        };
        return controller_builder(m, "warnings")
            .for_<pod>(does_not_run)
            .watches_source(warnings, enqueue_for_object)
            .complete(tell);
    });
}
