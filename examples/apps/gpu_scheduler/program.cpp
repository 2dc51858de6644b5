#include "program.hpp"

#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/scheduling/run_scheduler.hpp>

#include "control/audit.hpp"
#include "control/tenant_status.hpp"
#include "guarded_serving/guarded_listen.hpp"
#include "plugins/registry.hpp"
#include "web/feed.hpp"
#include "web/live_view.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpu_scheduler {

namespace core = kcontrol::api::core::v1;
namespace scheduling = kcontrol::scheduling;
using kcontrol::awaitable;
using kcontrol::manager;

namespace {

result<void> take_tenants(program_options& to, std::string_view value) {
    if (value != "on" && value != "off") return bad_value("one of on, off is expected");
    to.has_tenants = value == "on";
    return {};
}

// For a change that decides who may take whose place: pods are tried again that plugin Gpu refused; and, as if nodes
// with pods came, those that any other plugin refused there. Plugins that look closer at nodes are asked about each.
void wake_pods(const scheduling::scheduler& by) {
    static const scheduling::interned_name tenants(gpu_plugin::tenant_resource), node("Node");
    std::vector<scheduling::cluster_event> all{{{tenants, scheduling::event_actions::all}, {}, {}}};
    by.look_at([&](const scheduling::snapshot& nodes) {
        for (const auto* on : nodes.nodes()) {
            if (on->pods().empty()) continue;
            all.push_back({{node, scheduling::event_actions::add}, {}, kcontrol::any_object(on->shared_node())});
        }
    });
    for (const auto& each : all) by.notify(each);
}

// Wakes pods that wait for a tenant's minRuntimeSeconds to end.
awaitable<result<void>> wake_after_runtimes(manager& m, std::shared_ptr<board> known,
                                            std::shared_ptr<scheduling::scheduler> by,
                                            std::shared_ptr<status_news> news, std::stop_token stop) {
    auto since = m.env().wall_now();
    while (!stop.stop_requested()) {
        const auto now = m.env().wall_now();
        by->look_at([&](const scheduling::snapshot& nodes) { known->refresh(nodes); });
        const auto ends = known->runtimes_between(since, now);
        since = now;
        if (ends.any) wake_pods(*by);
        co_await kcontrol::sleep_for(m.env(), std::chrono::seconds(1), stop);
        const auto rest = ends.next ? *ends.next - m.env().wall_now() : std::chrono::minutes(5);
        co_await news->event.wait(m.env(), stop, m.env().now() + std::max<kcontrol::duration>(rest, {}));
    }
    co_return result<void>();
}

awaitable<result<void>> keep_feed(manager& m, std::shared_ptr<feed> to, std::shared_ptr<status_news> news,
                                  std::stop_token stop) {
    while (!stop.stop_requested()) {
        news->any = false;
        to->look(m.env().wall_now());
        co_await kcontrol::sleep_for(m.env(), std::chrono::seconds(1), stop);
        if (!news->any) co_await news->event.wait(m.env(), stop, m.env().now() + std::chrono::seconds(30));
    }
    co_return result<void>();
}

result<void> take_protocol(program_options& to, std::string_view value) {
    if (value != "none" && value != "hami") return bad_value("one of none, hami is expected");
    to.tells_hami = value == "hami";
    return {};
}

}  // namespace

result<void> add_parts(manager& m, const program_options& options, const std::shared_ptr<board>& known,
                       const std::shared_ptr<scheduling::scheduler>& by, kcontrol::http::router& routes) {
    // Of the tenants' status, of the interface, and of minRuntimeSeconds.
    const std::shared_ptr<status_news> news[] = {std::make_shared<status_news>(), std::make_shared<status_news>(),
                                                 std::make_shared<status_news>()};
    const auto tell = [all = std::to_array({news[0], news[1], news[2]})] {
        for (const auto& each : all) each->tell();
    };
    const auto kept = std::make_shared<std::vector<kcontrol::subscription>>();
    const auto given = std::make_shared<overcommit_check>();
    const auto gangs = std::make_shared<gang_waits>();
    const auto waited = m.metrics().histogram("gpu_scheduler_gang_wait_seconds",
                                              "From the creation of a gang's first pod until none of it waits",
                                              {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536});
    kept->push_back(m.get_informer<core::pod>()->subscribe([=, &m](const kcontrol::any_event& any) {
        const kcontrol::event<core::pod> happened(any);
        const auto& pod = happened.object();
        const bool is_deleted = happened.type == kcontrol::event_type::deleted;
        if (by->schedules(pod)) {
            const auto* on = known->find(pod.spec.node_name);
            given->set(pod, is_deleted, on == nullptr ? nullptr : &on->ledger);
            const auto time = gangs->set(pod, is_deleted, m.env().wall_now());
            if (time) waited.observe(std::chrono::duration<double>(*time).count());
        }
        if (is_deleted) {
            known->remove_waiting(pod.metadata.uid);
        } else {
            known->set_waiting(pod);
        }
        tell();
    }));
    if (options.claims != nullptr) {
        options.claims->on_change([tell, weak = std::weak_ptr(given), of = std::weak_ptr(known)](const auto* name) {
            const auto check = weak.lock();
            const auto board_still = of.lock();
            if (check == nullptr || board_still == nullptr) return;
            tell();
            if (name == nullptr) return;
            const auto claim = board_still->claims()->find(*name);
            auto held = claim == nullptr ? gpu_claims::holding() : board_still->claims()->held_by(claim);
            const auto* on = board_still->find(held.node);
            check->set(*name, claim.get(), held.node, std::move(held.devices), on == nullptr ? nullptr : &on->ledger);
        });
    }
    kept->push_back(m.get_informer<core::node>()->subscribe([tell](const kcontrol::any_event&) { tell(); }));
    if (options.has_tenants) {
        kept->push_back(m.get_informer<tenant>()->subscribe([=, &m](const kcontrol::any_event& any) {
            std::vector<tenant> all;
            for (const auto& each : m.get_informer<tenant>()->list()) all.push_back(*each);
            known->set_tenants(std::move(all));
            tell();
            const kcontrol::event<tenant> happened(any);  // its status decides nothing
            const bool has_rules =
                !happened.old_object || !happened.new_object || happened.old_object->spec != happened.new_object->spec;
            if (has_rules) wake_pods(*by);
        }));
        kept->push_back(m.get_informer<core::namespace_>()->subscribe([=](const kcontrol::any_event& any) {
            if (!known->forget_namespace(any.object().meta().name)) return;
            tell();
            wake_pods(*by);
        }));
        known->set_tenants({});
        auto added = m.add(kcontrol::runnable("tenants", [&m, known, by, mine = news[0]](std::stop_token stop) {
            return keep_tenant_status(m, known, by, mine, std::move(stop));
        }));
        if (added) {
            added = m.add(kcontrol::runnable("runtimes", [&m, known, by, mine = news[1]](std::stop_token stop) {
                return wake_after_runtimes(m, known, by, mine, std::move(stop));
            }));
        }
        if (!added) return added;
    }
    if (const auto hami = options.hami) {
        kept->push_back(
            m.get_informer<core::node>()->subscribe([hami](const kcontrol::any_event&) { hami->notify(); }));
        auto added = m.add(
            kcontrol::runnable("node locks", [hami](std::stop_token stop) { return hami->run(std::move(stop)); }));
        if (!added) return added;
    }
    const auto says = std::make_shared<answers>(std::make_shared<live_view>(m, by), known);
    const auto to = std::make_shared<feed>(m.env(), says, known, m.log());
    feed::add_routes(to, routes);
    // Not held there: the scheduler holds metrics.
    m.metrics().collect([weak = std::weak_ptr(says), given](kcontrol::metrics_writer& out) {
        if (const auto known_still = weak.lock()) known_still->collect(out);
        out.counter("gpu_scheduler_overcommit_total", "How often a GPU was given more pods than it has room for", {},
                    static_cast<double>(given->total()));
    });
    return m.add(kcontrol::runnable("interface", [&m, to, kept, mine = news[2]](std::stop_token stop) {
        return keep_feed(m, to, mine, std::move(stop));
    }));
}

scheduling::scheduler_options scheduler_of(const std::shared_ptr<board>& known,
                                           const std::shared_ptr<program_options>& options) {
    scheduling::scheduler_options how("gpu-scheduler");
    if (options->claims == nullptr) options->claims = make_claims();
    if (known->claims() == nullptr) known->follow(options->claims);
    how.claims(options->claims);
    how.plugins([known, options](scheduling::plugin_registry& to) {
           if (options->tells_hami && options->hami == nullptr) {
               known->tell_hami();
               const std::weak_ptr<program_options> of = options;
               options->hami = std::make_shared<hami_protocol>([of]() -> std::optional<kcontrol::client> {
                   const auto known_still = of.lock();
                   if (known_still == nullptr || known_still->m == nullptr) return {};
                   return known_still->m->get_client();
               });
           }
           add_gpu_plugins(to, known, options->nodes, options->hami);
       })
        .may_evict([known](const auto& preemptor, const auto& victim) { return known->may_evict(preemptor, victim); })
        .keeps_places_from_all(true)
        .evicted([known, options](const scheduling::pod_info& victim, const scheduling::pod_info* preemptor) {
            if (options->m == nullptr) return;
            const std::string reason(preemptor == nullptr ? "gang" : known->reason_to_evict(*preemptor, victim));
            options->m->metrics()
                .counter("gpu_scheduler_preempted_pods_total", "Pods that were evicted", {{"reason", reason}})
                .increment();
        })
        .further_keys(settings::keys(), [known](const scheduling::configuration_part& file) -> result<void> {
            auto read = read_settings(file);
            if (!read) return read.error();
            known->set(std::move(*read));
            return {};
        });
    return how;
}

std::shared_ptr<board> board_of(const std::shared_ptr<program_options>& options) {
    return std::make_shared<board>(
        [options] { return options->m == nullptr ? kcontrol::wall_time() : options->m->env().wall_now(); },
        [options](std::string_view name) {
            if (options->m == nullptr) return kcontrol::dict<text>();
            const auto found = options->m->get_informer<core::namespace_>()->get({"", std::string(name)});
            return found == nullptr ? kcontrol::dict<text>() : found->metadata.labels;
        });
}

int run_gpu_scheduler(int argc, char** argv) {
    const auto options = std::make_shared<program_options>();
    bool installs = false;
    kcontrol::run_options program;
    program
        .flag("--node-selector", "SELECTOR", "place pods on nodes with these labels only, such as gpu=true",
              [options](std::string_view value) -> result<void> {
                  auto read = kcontrol::label_selector::parse(value);
                  if (!read) return read.error();
                  options->nodes = std::move(*read);
                  return {};
              })
        .flag("--tenants", "on|off", "quotas and fair shares of Tenants count (default on)",
              [options](std::string_view value) { return take_tenants(*options, value); })
        .flag("--device-protocol", "none|hami", "hami: HAMi's device plugin gives what is decided here (default none)",
              [options](std::string_view value) { return take_protocol(*options, value); })
        .flag("--install-crds", "first installs the CustomResourceDefinition of Tenants", installs)
        .log_as(kcontrol::log_format::json);
    const auto known = board_of(options);
    guarded_serving::guarded_listen listen("gpu_scheduler");
    listen.add_to(program);
    scheduling::scheduler_set_up more;
    more.before([&](manager& m, std::stop_token stop) -> awaitable<result<void>> {
            options->m = &m;
            if (!installs) co_return result<void>();
            kcontrol::install_options how;
            how.stop(std::move(stop));
            auto done = co_await kcontrol::install_crds<tenant>(m.get_unfenced_client(), how);
            co_return done;
        })
        .after([&](manager& m, const std::shared_ptr<scheduling::scheduler>& by) {
            return add_parts(m, *options, known, by, listen.routes());
        });
    const int status =
        scheduling::run_scheduler(argc, argv, scheduler_of(known, options), std::move(program), std::move(more));
    options->m = nullptr;
    return status;
}

}  // namespace gpu_scheduler
