// The policy webhook before an API server: quota of what is there and of what was just let in, dry run, warnings,
// audit, and rules that change.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/record/event_recorder.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "service/policy_service.hpp"
#include "support/print.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace policy_webhook;

constexpr const char* rules_yaml = "gpus: {multipleOf: 1}\nquota: {default: 8}\nmodes: {privileged: warn}\n";

struct fixture {
    fixture() : cluster(world.add_server("cluster")), m(world.env(), world.get_executor(), world.connect(cluster)) {
        world.env().write_file("/rules/rules.yaml", rules_yaml);
        REQUIRE(file.load());
        service.emplace(m, file, std::chrono::minutes(5));
        REQUIRE(service->set_up());
        m.start();
        REQUIRE(world.run_until([this] { return m.informers_synced().check().has_value(); }));
    }
    ~fixture() { world.run(m.stop()); }

    static json::value pod_json(const std::string& name, int gpus, bool privileged = false) {
        return {{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", {{"name", name}, {"namespace", "default"}}},
                {"spec",
                 {{"containers",
                   {{{"name", "c"},
                     {"image", "i"},
                     {"securityContext", {{"privileged", privileged}}},
                     {"resources", {{"limits", {{"nvidia.com/gpu", std::to_string(gpus)}}}}}}}}}}};
    }
    admission_verdict judge(const std::string& name, int gpus, bool privileged = false, bool dry_run = false) {
        auto request = std::make_shared<admission_request>();
        request->namespace_ = "default";
        request->dry_run = dry_run;
        auto read = std::make_shared<pod>(from_json<pod>(json::serialize(pod_json(name, gpus, privileged))).value());
        return service->judge(admission_of<pod>(read, nullptr), admission_context(request));
    }

    testing::sim_world world;
    testing::sim_server& cluster;
    manager m;
    rules_file file{world.env(), "/rules/rules.yaml", logger()};
    std::optional<policy_service> service;
};

TEST_CASE("the quota counts pods that are there and those that were just let in; a dry run takes no room") {
    fixture f;
    REQUIRE(f.cluster.api().create(f.pod_json("there", 4)));
    REQUIRE(f.world.run_until([&] { return f.m.get_informers<pod>().size() == 1; }));
    CHECK(f.judge("dry", 4, false, true).allowed());
    CHECK(f.judge("first", 4).allowed());
    const auto refused = f.judge("second", 1);
    REQUIRE_FALSE(refused.allowed());
    CHECK(refused.errors()[0].message.find("uses 8 of 8") != std::string::npos);
    f.world.run_for(std::chrono::seconds(3));
    CHECK(f.judge("third", 4).allowed());  // nobody made the first one
}

TEST_CASE("pods that were let in are forgotten, whether or not somebody asks for them") {
    recent_pods recent;
    const time_point begin{};
    for (int i = 0; i < 100; ++i) recent.add("ns", "", 1, begin + i * recent_pods::kept);
    CHECK(recent.size() == 1);
    recent.add("ns", "", 0, begin);
    CHECK(recent.gpus_in("ns", begin, [](const std::string&) { return false; }) == 1);
}

TEST_CASE("a rule that warns lets through with a warning; metrics count by rule") {
    fixture f;
    const auto warned = f.judge("p", 0, true);
    CHECK(warned.allowed());
    REQUIRE(warned.warnings().size() == 1);
    CHECK(warned.warnings()[0].find("privileged: spec.containers[0].securityContext.privileged: ") == 0);
    CHECK_FALSE(f.judge("q", 9).allowed());
    const auto text = f.m.metrics().text();
    CHECK(text.find("policy_webhook_warned_total{rule=\"privileged\"} 1") != std::string::npos);
    CHECK(text.find("policy_webhook_refused_total{rule=\"gpu-quota\"} 1") != std::string::npos);
}

TEST_CASE("the audit counts pods that are against the rules, and tells each once") {
    fixture f;
    REQUIRE(f.cluster.api().create(f.pod_json("bad", 0, true)));
    REQUIRE(f.cluster.api().create(f.pod_json("good", 1)));
    REQUIRE(f.world.run_until([&] { return f.m.get_informers<pod>().size() == 2; }));
    f.service->audit();
    f.service->audit();
    CHECK(f.service->audited().at("privileged") == 1);
    const auto events = [&f] { return f.m.get_event_recorder(std::string(program_name))->stats().recorded; };
    CHECK(events() == 1);
}

TEST_CASE("rules that change hold at once; what can't be read changes nothing") {
    fixture f;
    f.world.env().write_file("/rules/rules.yaml", "quota: {default: many}");
    f.world.run_for(std::chrono::seconds(11));
    CHECK(f.file.errors() > 0);
    CHECK_FALSE(f.judge("p", 9).allowed());
    f.world.env().write_file("/rules/rules.yaml", "quota: {default: 16}");
    f.world.run_for(std::chrono::seconds(11));
    CHECK(f.file.reloads() == 1);
    CHECK(f.judge("p", 9).allowed());
}

}  // namespace
