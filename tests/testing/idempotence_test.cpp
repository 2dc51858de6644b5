// expect_idempotent() holds what a good controller does, and finds what bad ones do.
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/testing/idempotence.hpp>

#include "support/print.hpp"
#include "testing/site_controller.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::test;
using testing::call_fault;
using testing::expect_idempotent;
using testing::idempotence_options;

namespace {

part part_of(const site& s) {
    part out;
    out.spec.image = s.spec.image;
    return out;
}

site a_site() {
    site out = named<site>("web");
    out.spec.image = "i";
    return out;
}

idempotence_options with_parts() {
    idempotence_options options;
    return options.register_resource<part>();
}

bool tells(const testing::idempotence_report& report, std::string_view text) {
    return report.text().find(text) != std::string::npos;
}

awaitable<result<void>> set_phase(client c, const site& s, text phase) {
    site wanted = s;
    wanted.status.phase = std::move(phase);
    const auto written = co_await c.patch(s, wanted, write_options().subresource("status"));
    if (!written) co_return written.error();
    co_return result<void>();
}

awaitable<result<void>> apply_a_part(client c, reconcile_context, site_ptr s) {
    part wanted = part_of(*s);
    const auto applied = co_await apply_owned(c, *s, wanted, apply_options("sites").force());
    if (!applied) co_return applied.error();
    const auto done = co_await set_phase(c, *s, "Ready");
    co_return done;
}

}  // namespace

TEST_CASE("a controller that applies what it wants gets there whatever fails") {
    const auto report = expect_idempotent(site_controller(apply_a_part), a_site(), with_parts());
    CHECK_MESSAGE(report, report.text());
    CHECK(report.calls.size() >= 4);  // two lists, an apply, a patch
    CHECK(report.runs > report.calls.size() * 2);
    CHECK(report.idle_writes == 3);  // the apply, in each round
    CHECK(tells(report, "the same end"));
    const auto strict =
        expect_idempotent(site_controller(apply_a_part), a_site(), with_parts().refuse_idle_writes(true).faults({}));
    CHECK(!strict);
    CHECK(tells(strict, "round 1 at rest wrote, without a change: PATCH /apis/test.kcontrol.dev/v1/"));
}

TEST_CASE("a sample: each fault happens to some of the calls, each to others") {
    const auto all = expect_idempotent(site_controller(apply_a_part), a_site(), with_parts());
    const auto some = expect_idempotent(site_controller(apply_a_part), a_site(), with_parts().every(2));
    CHECK_MESSAGE(some, some.text());
    CHECK(some.calls == all.calls);
    CHECK(some.runs > all.runs / 3);
    CHECK(some.runs < all.runs * 2 / 3);
}

TEST_CASE("a controller that writes at rest is found") {
    int starts = 0;
    const auto restless = expect_idempotent(
        [&starts](manager& m) {
            const int number = ++starts;
            return controller_builder(m, "sites")
                .for_<site>()
                .complete(
                    [number, c = m.get_client()](reconcile_context, site_ptr s) mutable -> awaitable<result<void>> {
                        const auto done = co_await set_phase(c, *s, text(std::to_string(number)));
                        co_return done;
                    });
        },
        a_site(), with_parts().faults({}));
    CHECK(!restless);
    CHECK(
        tells(restless, "round 1 at rest wrote: PATCH /apis/test.kcontrol.dev/v1/namespaces/default/sites/web/status"));
    CHECK(tells(restless, R"(Site default/web: /status/phase is "2", not "1")"));
}

TEST_CASE("a controller that is never at rest is found") {
    const auto report =
        expect_idempotent(site_controller([](client c, reconcile_context, site_ptr s) -> awaitable<result<void>> {
                              const text next = s->status.phase == "on" ? "off" : "on";
                              const auto done = co_await set_phase(c, *s, next);
                              co_return done;
                          }),
                          a_site(), with_parts().limit(std::chrono::seconds(3)).idle_time(std::chrono::seconds(1)));
    CHECK(!report);
    CHECK(tells(report, "without a fault: "));
    CHECK(tells(report, "no rest within 3 s; the last writes: PATCH "));
}

TEST_CASE("a part that is made twice when the answer is lost is found") {
    const auto report =
        expect_idempotent(site_controller([](client c, reconcile_context, site_ptr s) -> awaitable<result<void>> {
                              if (!s->status.phase.empty()) co_return result<void>();
                              part wanted = part_of(*s);
                              wanted.metadata.generate_name = "web-";
                              wanted.metadata.namespace_ = "default";
                              const auto made = co_await c.create(wanted);
                              if (!made) co_return made.error();
                              const auto done = co_await set_phase(c, *s, "Made");
                              co_return done;
                          }),
                          a_site(), with_parts());
    CHECK(!report);
    CHECK(tells(report, "with a lost answer at call"));
    CHECK(tells(report, "Part default/web-* is there 2 times, not 1"));
}

TEST_CASE("a conflict that is taken for success is found, and by nothing else") {
    const auto careless = [](client c, reconcile_context, site_ptr s) -> awaitable<result<void>> {
        if (!s->status.phase.empty()) co_return result<void>();
        const auto done = co_await set_phase(c, *s, "Ready");
        if (!done && done.error() == api_errc::conflict) co_return result<void>();
        co_return done;
    };
    CHECK(!expect_idempotent(site_controller(careless), a_site(), with_parts().faults({call_fault::conflict})));
    const auto otherwise =
        with_parts().faults({call_fault::server_error, call_fault::dropped_response, call_fault::restart});
    const auto report = expect_idempotent(site_controller(careless), a_site(), otherwise);
    CHECK_MESSAGE(report, report.text());
}

TEST_CASE("what a controller only remembers is lost when its program dies, which is found") {
    const auto forgetful = [](manager& m) {
        auto made = std::make_shared<bool>(false);
        return controller_builder(m, "sites")
            .for_<site>()
            .complete([made, c = m.get_client()](reconcile_context, site_ptr s) mutable -> awaitable<result<void>> {
                if (!s->status.phase.empty()) co_return result<void>();
                if (!*made) {
                    site wanted = *s;
                    wanted.metadata.labels["begun"] = "yes";
                    const auto labelled = co_await c.patch(*s, wanted);
                    if (!labelled) co_return labelled.error();
                    *made = true;
                    co_return result<void>();
                }
                const auto done = co_await set_phase(c, *s, "Made in one life");
                co_return done;
            });
    };
    // The label is there, its answer is lost, and then there is nothing to write that would call the controller again.
    const auto report = expect_idempotent(forgetful, a_site(), with_parts());
    CHECK(!report);
    CHECK(tells(report, "with a lost answer at call 2, PATCH "));
    CHECK(tells(report, "with a restart at call 2, PATCH "));
    CHECK(tells(report, R"(Site default/web: /status is absent, not {"phase":"Made in one life"})"));
    const auto counting = [](manager& m) {
        auto seen = std::make_shared<int>(0);
        return controller_builder(m, "sites")
            .for_<site>()
            .complete([seen, c = m.get_client()](reconcile_context, site_ptr s) mutable -> awaitable<result<void>> {
                if (++*seen < 2 || !s->status.phase.empty()) {
                    site wanted = *s;
                    wanted.spec.replicas = s->spec.replicas.value_or(0) + (s->status.phase.empty() ? 1 : 0);
                    const auto counted = co_await c.patch(*s, wanted);
                    if (!counted) co_return counted.error();
                    co_return result<void>();
                }
                const auto done = co_await set_phase(c, *s, "Counted");
                co_return done;
            });
    };
    const auto found = expect_idempotent(counting, a_site(), with_parts().faults({call_fault::restart}));
    CHECK(!found);
    CHECK(tells(found, "with a restart at call"));
    CHECK(tells(found, "/spec/replicas is 2, not 1"));
}

TEST_CASE("a set-up that fails is tried again, as a program is") {
    const auto installing = [](manager& m) -> awaitable<result<void>> {
        site config = named<site>("config");
        const auto options = apply_options("setup");
        const auto applied = co_await m.get_client().apply(config, options);
        if (!applied) co_return applied.error();
        co_return result<void>();
    };
    const auto report = expect_idempotent(installing, a_site(), with_parts());
    CHECK_MESSAGE(report, report.text());
    CHECK(report.calls.size() == 1);
    const auto never = [](manager&) { return result<void>(error(errc::invalid_config, "no")); };
    const auto refused = expect_idempotent(never, a_site());
    CHECK_MESSAGE(tells(refused, "without a fault: "), refused.text());
}

TEST_CASE("a controller of Deployments, with pods that run") {
    const auto deploy = [](client c, reconcile_context, site_ptr s) -> awaitable<result<void>> {
        api::apps::v1::deployment wanted;
        wanted.spec.replicas = 2;
        wanted.spec.selector.edit().match_labels["site"] = s->metadata.name;
        wanted.spec.template_.metadata.labels["site"] = s->metadata.name;
        auto& server = wanted.spec.template_.spec.containers.emplace_back();
        server.name = "web";
        server.image = s->spec.image;
        const auto there = co_await apply_owned(c, *s, wanted, apply_options("sites").force());
        if (!there) co_return there.error();
        const auto ready = there->status.ready_replicas.value_or(0);
        const text phase = ready == 2 ? "Ready" : "Waiting";
        const auto done = co_await set_phase(c, *s, phase);
        co_return done;
    };
    const auto setup = [deploy](manager& m) {
        auto builder = controller_builder(m, "sites").for_<site>();
        return builder.owns<api::apps::v1::deployment>().complete(
            [deploy, c = m.get_client()](reconcile_context ctx, site_ptr s) { return deploy(c, ctx, s); });
    };
    testing::api_server_options server;
    server.default_and_validate(true).collect_garbage(true);
    idempotence_options options;
    options.server(server).fakes(testing::fake_cluster_options());
    const auto report = expect_idempotent(setup, a_site(), options);
    CHECK_MESSAGE(report, report.text());
    CHECK(report.runs > 10);
}
