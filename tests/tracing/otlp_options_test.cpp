// What OpenTelemetry's variables say, and its samplers.
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/tracing/otlp_options.hpp>
#include <kcontrol/tracing/sampler.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace kcontrol;
using namespace std::chrono_literals;
using kcontrol::testing::manual_environment;

namespace {

using variables = std::map<std::string, std::string>;

result<std::optional<otlp_options>> read(manual_environment& env, const variables& set) {
    env.variables.clear();
    for (const auto& [name, value] : set) env.variables["OTEL_" + name] = value;
    return otlp_options::from_environment(env);
}

std::string where(const otlp_options& o) { return http::to_string(o.url().endpoint) + " " + o.target(); }

trace_context context_of(const char* text) { return parse_traceparent(text).value(); }

}  // namespace

TEST_CASE("where spans go") {
    manual_environment env;
    struct row {
        variables set;
        const char* where;
    };
    const row rows[] = {
        {{{"EXPORTER_OTLP_ENDPOINT", "http://collector:4318"}}, "http://collector:4318 /v1/traces"},
        {{{"EXPORTER_OTLP_ENDPOINT", "https://c.example/tenant/"}}, "https://c.example /tenant/v1/traces"},
        {{{"EXPORTER_OTLP_ENDPOINT", "http://a:1"}, {"EXPORTER_OTLP_TRACES_ENDPOINT", "http://b:2/x"}},
         "http://b:2 /x"},
        {{{"EXPORTER_OTLP_TRACES_ENDPOINT", "http://b:2"}}, "http://b:2 /"},
        {{}, "nowhere"},
        {{{"EXPORTER_OTLP_ENDPOINT", ""}}, "nowhere"},
        {{{"EXPORTER_OTLP_ENDPOINT", "http://a:1"}, {"SDK_DISABLED", "true"}}, "nowhere"},
        {{{"EXPORTER_OTLP_ENDPOINT", "http://a:1"}, {"SDK_DISABLED", "True"}}, "nowhere"},
        {{{"EXPORTER_OTLP_ENDPOINT", "http://a:1"}, {"TRACES_EXPORTER", "none"}}, "nowhere"},
    };
    for (const row& one : rows) {
        const auto got = read(env, one.set);
        REQUIRE_MESSAGE(got, got.error().what());
        CHECK((*got ? where(**got) : "nowhere") == std::string(one.where));
    }
}

TEST_CASE("everything else that the variables say") {
    manual_environment env;
    env.files["/ca.pem"] = "the authorities";
    const auto got = read(env, {{"EXPORTER_OTLP_ENDPOINT", "http://c:4318"},
                                {"EXPORTER_OTLP_HEADERS", "api-key=s%3Dcret, x-team = a b ,"},
                                {"EXPORTER_OTLP_TIMEOUT", "2500"},
                                {"EXPORTER_OTLP_CERTIFICATE", "/ca.pem"},
                                {"EXPORTER_OTLP_PROTOCOL", "http/protobuf"},
                                {"RESOURCE_ATTRIBUTES", "service.name=other,k8s.cluster.name=a%2Cb"},
                                {"SERVICE_NAME", "websites"},
                                {"BSP_SCHEDULE_DELAY", "100"},
                                {"BSP_MAX_QUEUE_SIZE", "10"},
                                {"BSP_MAX_EXPORT_BATCH_SIZE", "5"}});
    REQUIRE(got);
    const otlp_options& o = **got;
    REQUIRE(o.headers().size() == 2);
    CHECK(o.headers()[0].first == "api-key");
    CHECK(o.headers()[0].second == secret_string("s=cret"));
    CHECK(o.headers()[1].first == "x-team");
    CHECK(o.headers()[1].second == secret_string("a b"));
    CHECK(o.timeout() == 2500ms);
    CHECK(o.tls().ca_pem() == "the authorities");
    CHECK(o.schedule_delay() == 100ms);
    CHECK(o.max_queue() == 10);
    CHECK(o.max_batch() == 5);
    CHECK(o.resource_attributes() ==
          std::vector<otlp_options::attribute>{{"k8s.cluster.name", "a,b"}, {"service.name", "websites"}});
    // OpenTelemetry's defaults.
    const auto plain = otlp_options::to("http://c:4318/v1/traces");
    REQUIRE(plain);
    CHECK(plain->timeout() == 10s);
    CHECK(plain->schedule_delay() == 5s);
    CHECK(plain->max_queue() == 2048);
    CHECK(plain->max_batch() == 512);
    CHECK(plain->resource_attributes().front().second == "unknown_service");
    // A program's own name is for where nobody has said one.
    auto named = *plain;
    CHECK(named.default_service_name("websites").resource_attributes().front().second == "websites");
    CHECK(named.default_service_name("other").resource_attributes().front().second == "websites");
}

TEST_CASE("what can't be used is named, and no secret repeated") {
    manual_environment env;
    struct row {
        const char *name, *value, *text;
    };
    const row rows[] = {
        {"EXPORTER_OTLP_ENDPOINT", "collector:4318", "OTEL_EXPORTER_OTLP_ENDPOINT: "},
        {"EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not spoken here"},
        {"EXPORTER_OTLP_TRACES_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: grpc"},
        {"EXPORTER_OTLP_HEADERS", "a=b,hush", "OTEL_EXPORTER_OTLP_HEADERS: entry 2 is not NAME=VALUE"},
        {"EXPORTER_OTLP_HEADERS", "=hush", "entry 1 is not NAME=VALUE"},
        {"EXPORTER_OTLP_HEADERS", "a=hush%2", "entry 1 has a broken escape"},
        {"EXPORTER_OTLP_HEADERS", "a=hush%0d%0aX:1", "header \"a\" can't be sent as it is"},
        {"EXPORTER_OTLP_TIMEOUT", "10s", "OTEL_EXPORTER_OTLP_TIMEOUT: \"10s\" is not a whole number above zero"},
        {"BSP_MAX_QUEUE_SIZE", "0", "OTEL_BSP_MAX_QUEUE_SIZE: \"0\" is not"},
        {"EXPORTER_OTLP_CERTIFICATE", "/none", "OTEL_EXPORTER_OTLP_CERTIFICATE: "},
        {"TRACES_SAMPLER", "sometimes", "OTEL_TRACES_SAMPLER: sampler of traces \"sometimes\": not one of always_on"},
        {"TRACES_SAMPLER_ARG", "half", "OTEL_TRACES_SAMPLER_ARG: \"half\" is no number"},
        {"TRACES_SAMPLER_ARG", "1.5", "from 0 to 1"},
    };
    for (const row& one : rows) {
        CAPTURE(std::string(one.name));
        variables set{{"EXPORTER_OTLP_ENDPOINT", "http://c:4318"}};
        set[one.name] = one.value;
        const auto got = read(env, set);
        REQUIRE_FALSE(got);
        CHECK_MESSAGE(got.error().message().find(one.text) != std::string::npos, got.error().message());
        CHECK(got.error().message().find("hush") == std::string::npos);
    }
}

TEST_CASE("samplers") {
    const trace_context none;
    const trace_context low = context_of("00-000000000000000000000000000000ff-00f067aa0ba902b7-01");
    const trace_context high = context_of("00-0000000000000000ffffffffffffffff-00f067aa0ba902b7-01");
    const trace_context recorded = low;
    trace_context dark = low;
    dark.sampled = false;
    struct row {
        const char* name;
        double ratio;
        bool low, high, under_recorded, under_dark;
    };
    const row rows[] = {
        {"always_on", 0.5, true, true, true, true},
        {"always_off", 0.5, false, false, false, false},
        {"traceidratio", 0.5, true, false, true, true},
        {"traceidratio", 0, false, false, false, false},
        {"traceidratio", 1, true, true, true, true},
        {"parentbased_always_on", 1, true, true, true, false},
        {"parentbased_always_off", 1, false, false, true, false},
        {"parentbased_traceidratio", 0.5, true, false, true, false},
    };
    for (const row& one : rows) {
        CAPTURE(std::string(one.name));
        const auto sampler = sampler_of(one.name, one.ratio);
        REQUIRE(sampler);
        CHECK((*sampler)(low, none) == one.low);
        CHECK((*sampler)(high, none) == one.high);
        CHECK((*sampler)(low, recorded) == one.under_recorded);
        CHECK((*sampler)(low, dark) == one.under_dark);
    }
}

TEST_CASE("a ratio of traces is about that many of them") {
    manual_environment env;
    const auto sampler = sampler_of("traceidratio", 0.1).value();
    int recorded = 0;
    for (int i = 0; i < 10'000; ++i) recorded += sampler(trace_context().child(env), {}) ? 1 : 0;
    CHECK(recorded > 800);
    CHECK(recorded < 1200);
}
