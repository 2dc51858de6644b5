// /api/v1/acknowledgements: who may say what, and where it is shown.
#include "web/acknowledge_answer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace training_monitor;
using kcontrol::wall_time;
namespace http = kcontrol::http;

namespace {

wall_time at(std::int64_t seconds) { return wall_time(std::chrono::seconds(1'700'000'000 + seconds)); }

observed_job job(job_state state, std::string version) {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = "u";
    out.view.name = "bert";
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    out.resource_version = std::move(version);
    return out;
}

struct care_world {
    job_table table;
    history past;
    acknowledgements care;
    wall_time now = at(0);
    http::router routes;

    care_world() {
        add_attention_routes(routes, past, table, [this] { return now; }, {}, {"", std::nullopt, &care});
        add_acknowledge_routes(routes, past, care, [this] { return now; }, {});
        past.observe(table.add(job(job_state::running, "1")), now);
    }
    void fail() { past.observe(table.update(job(job_state::failed, "2")), now); }
    http::response ask(std::string method, std::string body, std::string type = "application/json",
                       std::string subject = "", std::string name = "bert") {
        http::server_request request(
            http::request(std::move(method), "/api/v1/acknowledgements/a/ml/job/" + std::move(name)));
        request.body = std::move(body);
        request.headers.set("Content-Type", std::move(type));
        request.client_subject = std::move(subject);
        return *routes.answer(std::move(request));
    }
    std::string attention() {
        now += std::chrono::seconds(2);  // an answer is kept for a second
        return routes.answer(http::server_request(http::request("GET", "/api/v1/attention")))->body;
    }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("acknowledge: it stands with the job that needs somebody, until it is withdrawn or the job fails anew") {
    care_world w;
    CHECK(w.ask("PUT", R"({"by":"ana"})").status == 404);
    w.fail();
    CHECK_FALSE(has(w.attention(), "acknowledged"));
    CHECK(w.ask("PUT", R"({"by":"ana","note":"node is drained"})").status == 204);
    CHECK(has(w.attention(), R"("acknowledged":{"by":"ana","at":"2023-11-14T22:13:22Z","note":"node is drained"})"));
    CHECK(w.ask("PUT", R"({"by":"bo"})", "application/json; charset=utf-8").status == 204);
    CHECK(has(w.attention(), R"("by":"bo")"));
    CHECK(w.ask("DELETE", "").status == 204);
    CHECK(w.ask("DELETE", "").status == 404);
    CHECK_FALSE(has(w.attention(), "acknowledged"));
    CHECK(w.ask("PUT", R"({"by":"ana"})").status == 204);
    w.past.observe(w.table.update(job(job_state::running, "3")), w.now);
    w.now += std::chrono::seconds(1);
    w.past.observe(w.table.update(job(job_state::failed, "4")), w.now);
    CHECK_FALSE(has(w.attention(), "acknowledged"));
}

TEST_CASE("acknowledge: the subject of a certificate is believed rather than the words") {
    care_world w;
    w.fail();
    CHECK(w.ask("PUT", R"({"by":"ana"})", "application/json", "bo@corp").status == 204);
    CHECK(has(w.attention(), R"("by":"bo@corp")"));
    CHECK(w.ask("PUT", "{}", "application/json", "cy").status == 204);
    CHECK(has(w.attention(), R"("by":"cy")"));
}

TEST_CASE("acknowledge: what is refused") {
    care_world w;
    w.fail();
    const std::string long_note = R"({"by":"ana","note":")" + std::string(501, 'n') + R"("})";
    for (const auto& each : {std::pair<std::string, std::string>{"", "the body must be"},
                             {"[]", "the body must be"},
                             {"{}", "by: it is missing"},
                             {R"({"by":7})", "by: a text"},
                             {R"({"by":"ana\nbo"})", "by: one line"},
                             {R"({"by":")" + std::string(101, 'b') + R"("})", "at most 100 bytes"},
                             {long_note, "at most 500 bytes"}}) {
        const auto& [body, words] = each;
        const auto answer = w.ask("PUT", body);
        CAPTURE(each.first);
        CHECK(answer.status == 400);
        CHECK(has(answer.body, words));
    }
    CHECK(w.ask("PUT", R"({"by":"ana"})", "text/plain").status == 415);  // as a form of another site would
    CHECK(w.ask("PUT", R"({"by":"ana"})", "application/json", "", "gpt").status == 404);
    CHECK(w.ask("DELETE", "", "", "", "gpt").status == 404);
    CHECK(w.ask("POST", R"({"by":"ana"})").status == 405);
    CHECK(w.care.size() == 0);
}
