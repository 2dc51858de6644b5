// Spans as OTLP's JSON, held against the mapping's rules and its published example.
#include <kcontrol/json/reader.hpp>
#include <kcontrol/tracing/otlp_json.hpp>
#include <kcontrol/version.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

trace_span span_of(std::string_view name) {
    trace_span out(name, wall_time(1'544'712'660'000'000'000ns), 1'234'567ns);
    out.context = parse_traceparent("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01").value();
    return out;
}

}  // namespace

TEST_CASE("each member as the JSON mapping of OTLP has it") {
    trace_span root = span_of("reconcile");
    trace_span with_parent = span_of("queue");
    with_parent.under = parse_traceparent("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b173-01").value();
    trace_span request = span_of("request");
    request.fields = {{"method", "PATCH"}, {"path", "/api/v1/pods"}, {"host", "10.0.0.1:443"}, {"code", "409"}};
    request.error = "HTTP 409";
    trace_span fields = span_of("reconcile");
    fields.fields = {{"controller", "websites"}, {"code", "x"}, {"name", "a\"\xff"}};
    fields.context.sampled = false;
    const std::string ids = R"({"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174")";
    const std::string times = R"("startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712660001234567")";
    struct row {
        const char* what;
        const trace_span* span;
        std::string text;
    };
    const row rows[] = {
        {"a root has no parent's id", &root,
         ids + R"(,"flags":1,"name":"reconcile","kind":1,)" + times + R"(,"attributes":[]})"},
        {"another has", &with_parent,
         ids + R"(,"parentSpanId":"eee19b7ec3c1b173","flags":1,"name":"queue","kind":1,)" + times +
             R"(,"attributes":[]})"},
        {"a request: a client's, by the names of the conventions, 64-bit numbers as strings; enums are numbers",
         &request,
         ids + R"(,"flags":1,"name":"request","kind":3,)" + times +
             R"(,"attributes":[{"key":"http.request.method","value":{"stringValue":"PATCH"}},)"
             R"({"key":"url.path","value":{"stringValue":"/api/v1/pods"}},)"
             R"({"key":"server.address","value":{"stringValue":"10.0.0.1:443"}},)"
             R"({"key":"http.response.status_code","value":{"intValue":"409"}}],)"
             R"("status":{"code":2,"message":"HTTP 409"}})"},
        {"fields of others as they are, and no byte that is not UTF-8", &fields,
         ids + R"(,"flags":0,"name":"reconcile","kind":1,)" + times +
             R"(,"attributes":[{"key":"controller","value":{"stringValue":"websites"}},)"
             R"({"key":"code","value":{"stringValue":"x"}},{"key":"name","value":{"stringValue":"a\")"
             "\xef\xbf\xbd"
             R"("}}]})"},
    };
    for (const row& one : rows) {
        CAPTURE(std::string(one.what));
        CHECK(otlp_span(*one.span) == one.text);
    }
}

TEST_CASE("spans of one resource go together") {
    const std::vector<std::pair<std::string, std::string>> resource{{"service.name", "websites"}, {"a", "b"}};
    const std::vector<std::string> spans{"{\"spanId\":\"1\"}", "{\"spanId\":\"2\"}"};
    CHECK(otlp_request(resource, spans) ==
          R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"websites"}},)"
          R"({"key":"a","value":{"stringValue":"b"}}]},"scopeSpans":[{"scope":{"name":"kcontrol","version":")" +
              std::string(library_version) + R"("},"spans":[{"spanId":"1"},{"spanId":"2"}]}]}]})");
}

TEST_CASE("what a collector says that it did not take") {
    struct row {
        const char* body;
        std::uint64_t rejected;
        const char* message;
    };
    const row rows[] = {
        {"", 0, ""},
        {"{}", 0, ""},
        {"ok", 0, ""},
        {"[]", 0, ""},
        {R"({"partialSuccess":{}})", 0, ""},
        {R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})", 3, "too old"},
        {R"({"partialSuccess":{"rejectedSpans":3}})", 3, ""},
        {R"({"partialSuccess":{"rejectedSpans":"-3","errorMessage":7}})", 0, ""},
        {R"({"partialSuccess":{"errorMessage":"a warning"}})", 0, "a warning"},
    };
    for (const row& one : rows) {
        CAPTURE(std::string(one.body));
        const auto read = read_otlp_answer(one.body);
        CHECK(read.rejected == one.rejected);
        CHECK(read.message == one.message);
    }
}
