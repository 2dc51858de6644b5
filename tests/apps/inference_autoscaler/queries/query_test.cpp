// What is sent to Prometheus, and what each answer means: tables.
#include "queries/query.hpp"

#include <kcontrol/http/url.hpp>

#include <doctest/doctest.h>

using namespace inference_autoscaler;
namespace http = kcontrol::http;

namespace {

std::string shown(const known_or_missing& value) {
    if (const auto* known = std::get_if<double>(&value)) return std::to_string(*known);
    const auto& missing = std::get<missing_reading>(value);
    return std::string(to_string(missing.reason)) + ": " + missing.words;
}

std::string vector_of(const std::string& samples) {
    return R"({"status":"success","data":{"resultType":"vector","result":[)" + samples + "]}}";
}
std::string sample(const std::string& value) { return R"({"metric":{},"value":[1764428400.1,)" + value + "]}"; }

}  // namespace

TEST_CASE("each answer of Prometheus is one number, or missing for one reason") {
    struct row {
        int status;
        std::string body, expected;
    };
    const std::string two = sample("\"1\"") + "," + sample("\"2\"");
    const row rows[] = {
        {200, vector_of(sample("\"0.921\"")), "0.921000"},
        {200, vector_of(sample("\"-3\"")), "-3.000000"},
        {200, vector_of(sample("\"1e+3\"")), "1000.000000"},
        {200, R"({"status":"success","data":{"resultType":"scalar","result":[1,"5"]}})", "5.000000"},
        {200, R"({"status":"success","warnings":["slow"],"data":{"resultType":"scalar","result":[1,"5"]}})",
         "5.000000"},
        {200, vector_of(""), "Empty: the query selects nothing"},
        {200, vector_of(two), "ManySeries: the query gives 2 series; it must give one, as sum(), max() or avg() do"},
        {200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})",
         "ManySeries: the query gives a matrix; it must give one number, as an instant vector"},
        {200, vector_of(sample("\"NaN\"")), "NotANumber: the value is NaN"},
        {200, vector_of(sample("\"+Inf\"")), "NotANumber: the value is Inf"},
        {200, vector_of(sample("\"-Inf\"")), "NotANumber: the value is -Inf"},
        {200, vector_of(sample("\"\"")), R"(NotANumber: the answer has no number: "[1764428400.1,""]")"},
        {200, vector_of(sample("\"1 \"")), R"(NotANumber: the answer has no number: "[1764428400.1,"1 "]")"},
        {200, vector_of(sample("7")), R"(NotANumber: the answer has no number: "[1764428400.1,7]")"},
        {200, vector_of(R"({"metric":{},"value":["7"]})"), R"(NotANumber: the answer has no number: "["7"]")"},
        {200, vector_of(R"({"metric":{},"histogram":[1,{"count":"3"}]})"),
         R"(NotANumber: the answer has no number: "null")"},
        {200, vector_of("7"), R"(NotANumber: the answer has no number: "null")"},
        {200, "<html>", R"(NoAnswer: the answer is no JSON object: "<html>")"},
        {200, "", R"(NoAnswer: the answer is no JSON object: "")"},
        {200, "[]", R"(NoAnswer: the answer is no JSON object: "[]")"},
        {200, vector_of(sample("\"1\"")).substr(0, 60),
         "NoAnswer: the answer is no JSON object: "
         R"("{"status":"success","data":{"resultType":"vector","result":[")"},
        {200, R"({"status":"success"})", R"(NoAnswer: the answer is none to an instant query: "{"status":"success"}")"},
        {200, R"({"status":"error","error":"no"})", R"(Refused: the server answered 200: "no")"},
        {400, R"({"status":"error","errorType":"bad_data","error":"1:3: parse error"})",
         R"(Refused: the server answered 400: "1:3: parse error")"},
        {401, "Unauthorized", R"(Refused: the server answered 401: "Unauthorized")"},
        {503, "", "Refused: the server answered 503"},
        {302, "",
         R"(Refused: the server answered 302, a redirect to "http://169.254.169.254/", which is not followed)"},
        {204, vector_of(sample("\"1\"")), ""},
    };
    for (const auto& each : rows) {
        CAPTURE(each.body);
        http::response answer(each.status, "application/json", each.body);
        answer.headers.set("Location", "http://169.254.169.254/");
        const auto value = read_instant(answer);
        if (each.expected.empty()) {
            CHECK(std::get<missing_reading>(value).reason == missing_reason::refused);
        } else {
            CHECK(shown(value) == each.expected);
        }
    }
}

TEST_CASE("the words of a long answer are cut") {
    const http::response answer(500, "text/plain", std::string(100000, 'x'));
    CHECK(shown(read_instant(answer)).size() < 300);
}

TEST_CASE("the words of a query are replaced once, and pods are a pattern that no string escapes") {
    query_words words{"ml", "llama", {"llama-5f.x-1", "llama-2"}};
    CHECK(fill_query(R"(sum(x{namespace="{namespace}",pod=~"{pods}",app="{name}"}))", words) ==
          R"(sum(x{namespace="ml",pod=~"llama-5f[.]x-1|llama-2",app="llama"}))");
    words.name = "{pods}";
    CHECK(fill_query("{name}{other}{", words) == "{pods}{other}{");
    words.pods.clear();
    CHECK(fill_query("{pods}", words) == "-");
    words.pods = {"a\"}) or vector(0) #", "b\\"};
    CHECK(fill_query("{pods}", words) == "a....or.vector.0...|b.");
}

TEST_CASE("a query goes with its age; a long one is a form") {
    const auto small = instant_query("/prom", "a > 1", std::chrono::seconds(90));
    CHECK(small.method == "GET");
    CHECK(small.target == "/prom/api/v1/query?query=a%20%3E%201&lookback_delta=90s");
    const auto large = instant_query("", std::string(5000, 'a'), std::chrono::seconds(60));
    CHECK(large.method == "POST");
    CHECK(large.target == "/api/v1/query");
    CHECK(large.headers.get("Content-Type") == "application/x-www-form-urlencoded");
    const auto form = http::parse_query(large.body);
    REQUIRE(form.size() == 2);
    CHECK(form[0].second.size() == 5000);
    CHECK(form[1].second == "60s");
}

TEST_CASE("which metrics a query selects") {
    struct row {
        std::string query;
        std::vector<std::string> names;
    };
    const row rows[] = {
        {"up", {"up"}},
        {"avg(DCGM_FI_DEV_FB_USED{pod=~\"a|b\"} / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE))",
         {"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"}},
        {"histogram_quantile(0.95, sum by (le, pod) (rate(x_bucket[5m] offset 1m)))", {"x_bucket"}},
        {"sum(a) without (instance) and on(node) group_left (zone) b or vector(0)", {"a", "b"}},
        {"vllm:num_requests_waiting{a='}\\'',b=`\\`} > bool 1e5", {"vllm:num_requests_waiting"}},
        {"\"up\"", {}},
        {"{__name__=\"up\"}", {}},
        {"a{b=\"c", {"a"}},
        {"rate(", {}},
    };
    for (const auto& each : rows) {
        CAPTURE(each.query);
        CHECK(metric_names(each.query) == each.names);
    }
}

TEST_CASE("the list of names") {
    CHECK(read_names(http::response(200, "", R"({"status":"success","data":["a","b"]})")).value() ==
          std::vector<std::string>{"a", "b"});
    CHECK_FALSE(read_names(http::response(200, "", R"({"data":7})")));
    CHECK_FALSE(read_names(http::response(500, "", R"({"data":["a"]})")));
    CHECK(names_query("/p").target == "/p/api/v1/label/__name__/values?limit=20000");
}
