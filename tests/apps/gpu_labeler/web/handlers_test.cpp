#include "web/handlers.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;
using namespace gpu_labeler::tests;

TEST_CASE("gpus: before the first sample") {
    const web_handlers site("node-1");
    CHECK(get(site, "/api/v1/gpus").body ==
          "{\"node\":\"node-1\",\"state\":\"starting\",\"message\":\"\",\"time\":null,\"driverVersion\":null,"
          "\"cudaVersion\":null,\"items\":[]}\n");
}

TEST_CASE("gpus: what is told, and null for what is not") {
    web_handlers site("node-1");
    site.take(node(noon, {a100(0)}));
    const auto answer = get(site, "/api/v1/gpus");
    CHECK(answer.status == 200);
    CHECK(answer.headers.get("Content-Type") == "application/json");
    CHECK(
        answer.body ==
        R"({"node":"node-1","state":"ok","message":"","time":"2026-11-21T12:00:00Z","driverVersion":"550.107.02",)"
        R"("cudaVersion":"12.4","items":[{"index":0,"uuid":"GPU-0","name":"NVIDIA A100-SXM4-80GB",)"
        R"("busId":"00000000:00:00.0","health":"ok","reason":"","temperatureC":41,"memoryTemperatureC":null,)"
        R"("powerW":71.3,"powerLimitW":null,"energyJ":null,)"
        R"("utilization":{"gpu":97,"memory":null,"encoder":null,"decoder":null},)"
        R"("memory":{"totalBytes":null,"usedBytes":85899345920,"freeBytes":null,"reservedBytes":null},)"
        R"("clocks":{"smMHz":null,"memoryMHz":null},"nvlink":null,"pcieReplays":null,)"
        R"("ecc":{"correctedVolatile":null,"correctedAggregate":null,"uncorrectedVolatile":null,)"
        R"("uncorrectedAggregate":null},"rows":{"remappedCorrected":null,"remappedUncorrected":null,"pending":null,)"
        R"("failed":null},"pagesPending":null,"recoveryAction":null,"xid":null,"migEnabled":null,"migs":[],"users":[]}]})"
        "\n");
}

TEST_CASE("gpus: errors, users, slices") {
    web_handlers site("n");
    auto one = a100(3);
    one.health = gpu_health::degraded;
    one.reason = "rows wait to be remapped";
    one.ecc_uncorrected_aggregate = 18'446'744'073'709'551'615ULL;
    one.row_remap_pending = true;
    one.row_remap_failed = false;
    one.recovery_action = 1;
    one.xid = xid_report{79, at(noon), {{48, 2}, {79, 1}}};
    one.users = {{"ml", "train-0", "pytorch", ""}, {"ml", "\"<b>\n", "c", "MIG-1"}};
    one.migs.resize(1);
    one.migs[0].uuid = "MIG-1";
    one.migs[0].profile = "1g.5gb+me";
    one.migs[0].memory_total_bytes = 5'100'273'664;
    site.take(node(noon + 10, {one}));
    inventory found;
    found.gpus.resize(1);
    found.gpus[0].uuid = "GPU-3";
    found.gpus[0].mig_enabled = true;
    site.take(found);
    const auto body = get(site, "/api/v1/gpus").body;
    for (const char* part : {R"("health":"degraded","reason":"rows wait to be remapped")",
                             R"("uncorrectedAggregate":18446744073709551615)", R"("pending":true,"failed":false)",
                             R"("recoveryAction":"gpu-reset")",
                             R"("xid":{"last":79,"time":"2026-11-21T12:00:00Z","counts":{"48":2,"79":1}})",
                             R"("migEnabled":true,"migs":[{"uuid":"MIG-1","profile":"1g.5gb+me",)"
                             R"("memory":{"totalBytes":5100273664,"usedBytes":null,"freeBytes":null}}])",
                             R"("users":[{"namespace":"ml","pod":"train-0","container":"pytorch","migUuid":null},)"
                             R"({"namespace":"ml","pod":"\"<b>\n","container":"c","migUuid":"MIG-1"}])"}) {
        CAPTURE(part);
        CHECK_MESSAGE(body.find(part) != std::string::npos, body);
    }
}

TEST_CASE("gpus: each state of the driver, with its message") {
    const std::pair<reader_state, const char*> rows[] = {
        {reader_state::starting, "starting"},   {reader_state::ok, "ok"},
        {reader_state::no_driver, "no-driver"}, {reader_state::no_device, "no-device"},
        {reader_state::hanging, "hanging"},     {reader_state::failing, "failing"}};
    for (const auto& [state, name] : rows) {
        web_handlers site("n");
        auto sample = node(noon, {});
        sample.state = state;
        sample.message = "why";
        site.take(sample);
        const auto expected = std::string(R"("state":")") + name + R"(","message":"why","time":"2026-11-21T12:00:00Z")";
        CHECK(get(site, "/api/v1/gpus").body.find(expected) != std::string::npos);
    }
}

TEST_CASE("paths of others are left to them, writing is refused, and every answer is protected") {
    const web_handlers site("n");
    for (const char* target :
         {"/metrics", "/healthz", "/api/v1/gpus/", "/api/v1", "//", "/index.html", "/?x", "/%2f"}) {
        CAPTURE(target);
        const bool ours = std::string(target) == "/?x";
        CHECK((get(site, target).status != 404) == ours);
    }
    for (const char* target : {"/", "/api/v1/gpus", "/api/v1/history"}) {
        for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", ""}) {
            CAPTURE(method);
            const auto refused = get(site, target, method);
            CHECK(refused.status == 405);
            CHECK(refused.headers.get("Allow") == "GET, HEAD");
        }
        const auto answer = get(site, target, "HEAD");
        CHECK(answer.status == (std::string_view(target) == "/api/v1/history" ? 400 : 200));
        CHECK(answer.headers.get("X-Content-Type-Options") == "nosniff");
        CHECK(answer.headers.get("Content-Security-Policy").find("default-src 'none'") != std::string_view::npos);
        CHECK_FALSE(answer.headers.contains("Access-Control-Allow-Origin"));
    }
    const auto refused = get(site, "/api/v1/gpus?watch=1");
    CHECK(refused.status == 400);
    CHECK(refused.body == "{\"error\":\"unknown parameter \\\"watch\\\"; /api/v1/gpus has none\"}\n");
}

TEST_CASE("the page lets exactly its own script and style run and reaches nothing else") {
    const web_handlers site("n");
    const auto page = get(site, "/");
    CHECK(page.headers.get("Content-Type") == "text/html; charset=utf-8");
    const auto policy = page.headers.get("Content-Security-Policy");
    CHECK(policy.find("script-src 'sha256-") != std::string_view::npos);
    CHECK(policy.find("connect-src 'self'") != std::string_view::npos);
    CHECK(policy.find("unsafe") == std::string_view::npos);
    for (const char* outside : {"http://", "https://", "//cdn", "@import", "innerHTML", "eval("}) {
        CAPTURE(outside);
        CHECK(page.body.find(outside) == std::string_view::npos);
    }
}
