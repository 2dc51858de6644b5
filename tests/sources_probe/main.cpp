// For tests/e2e/test_sources.py: what controllers look at, at a real API server. A program of run() with a controller
// for each predicate and each source, over the kinds of tests/controllerutil/site.hpp, which it installs. Each
// reconcile is a line: the controller, the request, and what caused it. `plain` has no predicate, so it tells what
// there was to be seen.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/cluster/channel_source.hpp>
#include <kcontrol/cluster/function_source.hpp>
#include <kcontrol/cluster/timer_source.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/controller/changed.hpp>
#include <kcontrol/controller/dynamic_predicate.hpp>
#include <kcontrol/controller/selector_predicate.hpp>
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/model/label_selector.hpp>

#include "controllerutil/site.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using api::core::v1::config_map;

namespace {

void print(const std::string& name, const request& req, const reconcile_context& ctx, const std::string& more = {}) {
    std::cout << name << " " << to_string(req) << " " << to_string(ctx.causes()) << (more.empty() ? "" : " | ") << more
              << std::endl;
}

// A reconciler that says so.
auto say(std::string name) {
    return [name](reconcile_context ctx, request req) -> reconcile_result {
        print(name, req, ctx);
        return reconcile_result::done();
    };
}

result<void> add_predicates(manager& m) {
    const auto of = [&m](const char* name) { return controller_builder(m, name); };
    const auto scaled_up = [](const event<site>& e) {
        return e.type == event_type::updated && e.old_object->spec.replicas < e.new_object->spec.replicas;
    };
    const auto is_web = [](const site& s) { return s.spec.image == "web"; };
    const auto selected = label_selector::parse("tier=front");
    if (!selected) return selected.error();
    const bool added =
        of("plain").for_<site>().complete(say("plain")) &&
        of("replicas").for_<site>(changed(&site_spec::replicas)).complete(say("replicas")) &&
        of("status").for_<site>(status_changed).complete(say("status")) &&
        of("gone").for_<site>(deletion).complete(say("gone")) &&
        of("selected").for_<site>(labels_match(*selected)).complete(say("selected")) &&
        of("web").for_<site>(is_web).complete(say("web")) &&
        of("scaled-up").for_<site>(scaled_up).complete(say("scaled-up")) &&
        of("not-status").for_<site>(and_(not_(status_changed), not_(deletion))).complete(say("not-status"));
    if (!added) return error(errc::invalid_argument, "a controller of the predicates is refused");
    return {};
}

result<void> add_kinds(manager& m) {
    const auto of = [&m](const char* name) { return controller_builder(m, name); };
    static const resource_info parts = dynamic_resource({"test.kcontrol.dev", "v1", "Part"}, "parts");
    const auto by_metadata = [](reconcile_context ctx, std::shared_ptr<const metadata_object> o) -> reconcile_result {
        const auto team = o->metadata.annotations.find("team");
        print("metadata", request(key_of(o->metadata)), ctx,
              team == o->metadata.annotations.end() ? "" : std::string(team->second));
        return reconcile_result::done();
    };
    // The settings of a site are in a ConfigMap of its name; the old object and the new one say what has changed.
    const auto settings = [](const event<config_map>& e, request_sink<request>& to) {
        if (e.type != event_type::updated || e.old_object->data == e.new_object->data) return;
        to.add_after(request(key_of(e.new_object->metadata)), 200ms);
    };
    const bool added =
        of("metadata").for_<site>(metadata_only).complete(by_metadata) &&
        of("owner").for_<site>(deletion).owns<part>(metadata_only).complete(say("owner")) &&
        of("run-time").for_<dynamic_object>(parts, content_changed({"spec", "image"})).complete(say("run-time")) &&
        of("settings").for_<site>(deletion).watches<config_map>(settings).complete(say("settings"));
    if (!added) return error(errc::invalid_argument, "a controller of the kinds is refused");
    return {};
}

// Tells the names in the data of the ConfigMap "bus", each once; without it, it fails, and is called again.
awaitable<result<void>> follow_bus(client cl, environment& env, event_sink to, std::stop_token stop) {
    std::string told;
    while (!stop.stop_requested()) {
        const namespaced_name key("default", "bus");
        const auto bus = co_await cl.get<config_map>(key);
        if (!bus) co_return bus.error();
        const auto named = bus->data.find("site");
        if (named != bus->data.end() && named->second != told) {
            told = std::string(named->second);
            to.emit(namespaced_name("default", told));
        }
        co_await sleep_for(env, 100ms, stop);
    }
    co_return result<void>();
}

result<void> add_sources(manager& m) {
    const auto webhook = std::make_shared<channel_source>(m.env(), m.get_executor(), channel_options().name("webhook"));
    const auto tick = std::make_shared<timer_source>(m.env(), m.get_executor(), namespaced_name("default", "clock"),
                                                     timer_options(500ms).name("tick"));
    const auto bus = std::make_shared<function_source>(
        m.env(), m.get_executor(),
        [cl = m.get_client().live(), &m](event_sink to, std::stop_token stop) {
            return follow_bus(cl, m.env(), std::move(to), std::move(stop));
        },
        function_options().name("bus").restart(backoff_policy().initial(100ms).cap(200ms)));
    // What somebody else would send: the name of each site that is annotated so.
    const auto send = [webhook](reconcile_context, std::shared_ptr<const site> s) -> result<reconcile_result> {
        if (s->metadata.annotations.contains("send")) {
            const auto sent = webhook->send(namespaced_name("default", s->metadata.name));
            if (!sent) return sent.error();
        }
        return reconcile_result::done();
    };
    const bool added = controller_builder(m, "sender").for_<site>(annotation_changed).complete(send) &&
                       controller_builder(m, "signalled")
                           .for_<site>(deletion)
                           .watches_source(webhook, enqueue_for_object)
                           .watches_source(bus, enqueue_for_object)
                           .complete(say("signalled")) &&
                       controller_builder(m, "tick")
                           .for_<site>(deletion)
                           .watches_source(tick, enqueue_for_object)
                           .complete(say("tick"));
    if (!added) return error(errc::invalid_argument, "a controller of the sources is refused");
    return {};
}

awaitable<result<void>> set_up(manager& m, std::stop_token stop) {
    const auto options = install_options().stop(stop);
    auto installed = co_await install_crds<site, part>(m.get_client(), options);
    if (!installed) co_return installed;
    for (const auto& added : {add_predicates(m), add_kinds(m), add_sources(m)}) {
        if (!added) co_return added;
    }
    co_return result<void>();
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, set_up); }
