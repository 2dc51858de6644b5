// F47 (docs/faults.md): a controller that sees only some of the states of a life ends where one does that sees them
// all.
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/testing/simulation.hpp>

#include "support/print.hpp"
#include "testing/site_controller.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kcontrol;
using namespace kcontrol::test;
using testing::injected_fault;
using testing::scenario;
using testing::simulate;

namespace {

const testing::group_resource parts{"test.kcontrol.dev", "parts"};
const testing::group_resource sites{"test.kcontrol.dev", "sites"};

awaitable<result<void>> apply_a_part(client c, reconcile_context, site_ptr s) {
    part wanted;
    wanted.spec.image = s->spec.image;
    const auto applied = co_await apply_owned(c, *s, wanted, apply_options("sites").force());
    if (!applied) co_return applied.error();
    site seen = *s;
    seen.status.phase = s->spec.image;
    const auto told = co_await c.patch(*s, seen, write_options().subresource("status"));
    if (!told) co_return told.error();
    co_return result<void>();
}

// Believes that it sees each image once, and counts them.
awaitable<result<void>> count_images(client c, reconcile_context, site_ptr s) {
    const std::string image = s->spec.image.str(), counted = s->status.phase.str();
    if (counted.ends_with(image)) co_return result<void>();
    site seen = *s;
    seen.status.phase = counted + " " + image;
    const auto told = co_await c.patch(*s, seen, write_options().subresource("status"));
    if (!told) co_return told.error();
    co_return result<void>();
}

void give_image(testing::api_server& api, const std::string& image) {
    const std::string patch = R"({"spec":{"image":")" + image + "\"}}";
    static_cast<void>(api.patch(sites, {"default", "web"}, json::parse(patch).value()).value());
}

void make_site(testing::api_server& api) {
    const auto made = json::parse(R"({"apiVersion":"test.kcontrol.dev/v1","kind":"Site","metadata":{"name":"web"},
        "spec":{"image":"one"}})");
    static_cast<void>(api.create(made.value()).value());
}

// Somebody who does not know what he does.
void remove_parts(testing::api_server& api) {
    for (const auto& one : api.list(parts)) {
        static_cast<void>(api.remove(parts, {"default", std::string(json::get_string(one, {"metadata", "name"}))}));
    }
}

const std::vector<scenario::action> steps{make_site, [](testing::api_server& api) { give_image(api, "two"); },
                                          remove_parts, [](testing::api_server& api) { give_image(api, "three"); },
                                          [](testing::api_server& api) { give_image(api, "one"); }};

// A life in which step i + 1 comes at the same time as step i where bit i of `together` is set.
scenario life(unsigned together, std::string& end) {
    testing::idempotence_options world;
    world.register_resource<site>().register_resource<part>();
    scenario out;
    out.world(world).faults({injected_fault::restart}).count(2);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::vector<scenario::action> at_once{steps[i]};
        for (; i + 1 < steps.size() && (together >> i & 1) != 0; ++i) at_once.push_back(steps[i + 1]);
        out.step("step " + std::to_string(i), [at_once](testing::api_server& api) {
            for (const auto& one : at_once) one(api);
        });
    }
    return out.finally([&end](const testing::api_server& api) {
        end.clear();
        for (const auto& one : api.list(parts)) end += std::string(json::get_string(one, {"spec", "image"})) + ",";
        for (const auto& one : api.list(sites)) end += std::string(json::get_string(one, {"status", "phase"}));
        return std::string();
    });
}

template <class F>
std::set<std::string> ends_of(F reconcile, bool compares) {
    std::set<std::string> ends;
    for (unsigned together = 0; together < 1U << (steps.size() - 1); ++together) {
        std::string end;
        const auto report =
            simulate(together + 1, site_controller(reconcile), life(together, end).compare_ends(compares));
        CHECK_MESSAGE(report, report.text());
        ends.insert(end);
    }
    return ends;
}

}  // namespace

TEST_CASE("F47: steps that come together, or while nobody looks, lead to the same end") {
    CHECK(ends_of(apply_a_part, true) == std::set<std::string>{"one,one"});
    // The test is not idle: who counts what he sees ends elsewhere.
    CHECK(ends_of(count_images, false).size() > 1);
}
