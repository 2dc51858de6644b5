// Each query of the dashboard names metrics that /metrics serves.
#include "operator_world.hpp"
#include "support/folders.hpp"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

void collect_queries(const json::value& from, std::vector<std::string>& into) {
    if (from.is_array()) {
        for (const auto& each : from.get_array()) collect_queries(each, into);
    }
    if (!from.is_object()) return;
    for (const auto& [name, value] : from.get_object()) {
        if (name == "expr") into.emplace_back(value.get_string());
        collect_queries(value, into);
    }
}

// The names in a query: words that are followed by a selector, a range or the end of an argument, and are no
// function's, label's or keyword's.
std::set<std::string> metrics_in(std::string query) {
    query = std::regex_replace(query, std::regex(R"(\b(by|without)\s*\([^)]*\))"), " ");
    query = std::regex_replace(query, std::regex(R"(\{[^}]*\}|\[[^\]]*\])"), "");
    std::set<std::string> out;
    const std::regex word(R"(\b([a-z_][a-z0-9_]*)\b(?!\s*\())");
    for (std::sregex_iterator at(query.begin(), query.end(), word), end; at != end; ++at) {
        if ((*at)[1] != "sum" && (*at)[1] != "max") out.insert((*at)[1]);
    }
    return out;
}

}  // namespace

TEST_CASE("the names in a query") {
    CHECK(metrics_in("histogram_quantile(0.5, sum by (phase, le) (rate(a_bucket{kind=\"x\"}[1h])))") ==
          std::set<std::string>{"a_bucket"});
    CHECK(metrics_in("max by (phase) (a) / b_total") == std::set<std::string>{"a", "b_total"});
}

TEST_CASE_FIXTURE(operator_world, "each query of the dashboard names metrics that are served") {
    std::stringstream text;
    text << std::ifstream(
                kcontrol::test::source_file("examples/apps/training_operator/deploy/grafana/training-jobs.json"))
                .rdbuf();
    const auto board = json::parse(text.str());
    REQUIRE(board.has_value());
    std::vector<std::string> queries;
    collect_queries(*board, queries);
    CHECK(queries.size() >= 8);
    add_job();
    run_all();
    const std::string served = "\n" + m->answer(http::request("GET", "/metrics")).body;
    for (const auto& query : queries) {
        CAPTURE(query);
        const auto names = metrics_in(query);
        CHECK_FALSE(names.empty());
        for (const auto& name : names) {
            CAPTURE(name);
            const bool is_served = served.find("\n" + name + "{") != std::string::npos ||
                                   served.find("\n" + name + " ") != std::string::npos;
            CHECK(is_served);
        }
        // Its kind and its controller are these.
        CHECK(query.find("kind=\"") == query.find("kind=\"TrainingJob\""));
        CHECK(query.find("{controller=\"") == query.find("{controller=\"trainingjob\""));
    }
}
