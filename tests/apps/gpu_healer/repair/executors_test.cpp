// The executors of steps before servers that misbehave: each fault once, and never an effect twice.
#include "repair/executors.hpp"

#include <kcontrol/base/base64.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "repair/words.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace gpu_healer;
using namespace std::chrono_literals;
using state = step_outcome::state;
namespace json = kcontrol::json;
namespace http = kcontrol::http;

namespace {

// What a server does with a request: answers, or none of that.
enum class mishap {
    none,
    drop_before,
    drop_after,
    silent_after,
    status_500,
    status_409,
    redirect,
    huge,
    no_json,
    fails_after
};

const std::string secret_value = "s3cr3t";

/// A server that begins what it is asked to, once for each request that it carries out, and AWX beside it.
class step_world {
public:
    step_world() : server(world.add_server("cluster")) {
        for (const auto& [key, value] : {std::pair("token", secret_value + "\n"), {"ca", "PEM"}}) secrets_[key] = value;
        json::object data;
        for (const auto& [key, value] : secrets_) data[key] = kcontrol::encode_base64(std::string_view(value));
        add_secret("work", data);
        add_secret("elsewhere", data);
        for (const char* host : {"hook.example", "awx.example"}) {
            world.network().listen(
                host, world.get_executor(),
                [this, host](http::server_request r, http::responder& to) { return serve(host, std::move(r), to); });
        }
        restart();
    }
    void add_secret(const std::string& ns, const json::object& data) {
        (void)server.api().create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}}).value();
        (void)server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "Secret"},
                     {"metadata", {{"name", "s"}, {"namespace", ns}}},
                     {"data", data}})
            .value();
    }
    void restart() {
        runs = std::make_unique<step_executors>(world.connect(server), world.network().factory(), world.get_executor(),
                                                "work");
    }
    step_outcome begin(const step_request& what) { return world.run(runs->begin(what, {})); }
    step_outcome ask(const step_request& what) { return world.run(runs->ask(what, {})); }

    /// What the phases do: begins, asks, begins again where that is safe, until the end.
    step_outcome drive(const step_request& what, bool killed = false) {
        auto out = begin(what);
        for (int i = 0; i < 30; ++i) {
            said += out.words + "\n";
            if (out.is != state::running && out.is != state::absent) return out;
            if (killed) restart();
            world.run_for(out.again);
            out = out.is == state::absent ? begin(what) : ask(what);
        }
        return out;
    }

    kcontrol::testing::sim_world world;
    kcontrol::testing::sim_server& server;
    std::unique_ptr<step_executors> runs;
    std::deque<mishap> next;                 ///< of the next requests
    std::map<std::string, int> effects;      ///< by token
    std::vector<http::server_request> seen;  ///< all requests
    std::string said;                        ///< all words
    std::string answer = "{}";               ///< of a launch that is taken
    std::string is = "successful";           ///< what a status says
    bool knows_tokens = false;               ///< a token begins once only
    bool ignores_variables = false;

private:
    http::response carry_out(const std::string& host, const http::server_request& r) {
        const bool awx = host == "awx.example";
        if (r.method == "GET" && !awx) {
            const auto token = r.target.substr(r.target.rfind('/') + 1);
            if (!effects.contains(token)) return http::response(404);
            return http::response(200, "application/json", R"({"state":")" + is + "\"}");
        }
        if (r.method == "GET" && r.target.starts_with("/api/v2/jobs/?")) {
            CHECK(r.target == "/api/v2/jobs/?job_template=7&order_by=-id&page_size=50");
            json::array jobs;
            for (const auto& [token, count] : effects) {
                jobs.push_back({{"id", 5}, {"status", is}, {"extra_vars", R"({"kcontrol_token":")" + token + "\"}"}});
            }
            return http::response(200, "application/json", json::serialize({{"results", jobs}}));
        }
        if (r.method == "GET") return http::response(200, "application/json", R"({"id":5,"status":")" + is + "\"}");
        const auto token = std::string(r.headers.get("Idempotency-Key"));
        if (!knows_tokens || !effects.contains(token)) ++effects[token];
        if (!awx) return http::response(200, "application/json", answer);
        const auto read = json::parse(r.body);
        CHECK(json::get_string(*read, {"extra_vars", "kcontrol_token"}) == token);
        const std::string ignored = ignores_variables ? R"({"extra_vars":{"kcontrol_token":"t"}})" : "{}";
        return http::response(201, "application/json", R"({"id":5,"ignored_fields":)" + ignored + "}");
    }
    kcontrol::awaitable<void> serve(std::string host, http::server_request r, http::responder& to) {
        seen.push_back(r);
        const auto what = next.empty() ? mishap::none : next.front();
        if (!next.empty()) next.pop_front();
        http::response out;
        if (what == mishap::status_500) out = http::response(500);
        if (what == mishap::status_409) out = http::response(409);
        if (what == mishap::redirect) {
            out = http::response(302);
            out.headers.set("Location", "http://169.254.169.254/");
        }
        const bool acts = what == mishap::none || what == mishap::drop_after || what == mishap::silent_after ||
                          what == mishap::huge || what == mishap::no_json || what == mishap::fails_after;
        if (acts) out = carry_out(host, r);
        if (what == mishap::drop_before || what == mishap::drop_after) {
            to.abort();
            co_return;
        }
        if (what == mishap::silent_after) {
            auto quiet = kcontrol::sleep_for(world.env(), 60s, to.disconnected());
            (void)co_await std::move(quiet);
            co_return;
        }
        if (what == mishap::fails_after) out = http::response(500);
        if (what == mishap::huge) out.body = std::string(std::size_t{5} << 20, 'x');
        if (what == mishap::no_json) out.body = "<html>" + secret_value;
        auto sending = to.send(std::move(out));
        (void)co_await std::move(sending);
    }
    std::map<std::string, std::string> secrets_;
};

step_request request_of(repair_step step) {
    step_request out;
    out.step = std::move(step);
    out.step.name = "roll-back";
    out.node = "gpu 7/x";
    out.uid = "u-1";
    out.reason = "Driver\"Hangs";
    out.gpus = {"GPU-1", "GPU-2"};
    out.attempt = 3;
    out.token = "case-1-3";
    return out;
}
repair_step hook(const std::string& status_path = "", bool idempotent = false) {
    repair_step out;
    auto& step = out.webhook.emplace();
    step.url = "http://hook.example/run?node={node}";
    step.body = R"({"why":"{reason}","gpus":"{gpus}","n":{attempt}})";
    if (!status_path.empty()) step.status_url = "http://hook.example" + status_path;
    step.idempotent = idempotent;
    auto& header = step.headers_from.emplace_back();
    header.header = "X-Key";
    header.secret_key_ref.name = "s";
    header.secret_key_ref.key = "token";
    return out;
}
repair_step awx() {
    repair_step out;
    auto& step = out.awx.emplace();
    step.url = "http://awx.example/";
    step.job_template = 7;
    step.token_from.name = "s";
    step.token_from.key = "token";
    step.extra_vars = kcontrol::raw_json::parse(R"({"host":"{node}","list":["{reason}"],"n":1})").value();
    return out;
}

}  // namespace

TEST_CASE("words are replaced once, and escaped for where they stand") {
    auto of = request_of(hook());
    CHECK(fill("{node}|{uid}|{reason}|{gpus}|{attempt}|{token}|{no}", of) ==
          "gpu 7/x|u-1|Driver\"Hangs|GPU-1,GPU-2|3|case-1-3|{no}");
    CHECK(fill_url("http://h/{node}?t={token}", of) == "http://h/gpu%207%2Fx?t=case-1-3");
    CHECK(fill_json(R"({"r":"{reason}"})", of) == R"({"r":"Driver\"Hangs"})");
    of.node = "{token}";  // what is put in is no template
    CHECK(fill("{node}", of) == "{token}");
    CHECK(extra_vars(*awx().awx, request_of(awx())).value() ==
          R"({"host":"gpu 7/x","list":["Driver\"Hangs"],"n":1,"kcontrol_token":"case-1-3"})");
    auto bad = awx();
    bad.awx->extra_vars = kcontrol::raw_json::parse("[1]").value();
    CHECK_FALSE(extra_vars(*bad.awx, of));
}

TEST_CASE_FIXTURE(step_world, "a webhook: the token, the words and the Secret's header; 2xx is success") {
    const auto out = begin(request_of(hook()));
    CHECK(out.is == state::succeeded);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].method == "POST");
    CHECK(seen[0].target == "/run?node=gpu%207%2Fx");
    CHECK(seen[0].headers.get("Idempotency-Key") == "case-1-3");
    CHECK(seen[0].headers.get("X-Key") == secret_value);
    CHECK(seen[0].body == R"({"why":"Driver\"Hangs","gpus":"GPU-1,GPU-2","n":3})");
}

TEST_CASE_FIXTURE(step_world,
                  "a webhook whose answer names a statusURL there is polled every 5 s; one elsewhere is not") {
    answer = R"({"statusURL":"http://hook.example/status/case-1-3"})";
    is = "running";
    auto out = begin(request_of(hook()));
    CHECK(out.is == state::running);
    CHECK(out.again == 5s);
    CHECK(ask(request_of(hook())).is == state::running);
    next = {mishap::status_500, mishap::no_json, mishap::drop_after, mishap::redirect, mishap::huge};
    for (int i = 0; i < 5; ++i) CHECK(ask(request_of(hook())).is == state::running);
    is = "failed";
    CHECK(ask(request_of(hook())).is == state::failed);
    for (const char* other :
         {"http://evil.example/s", "http://hook.example:81/s", "https://hook.example/s", "ftp://x"}) {
        answer = R"({"statusURL":")" + std::string(other) + "\"}";
        CHECK(begin(request_of(hook())).is == state::succeeded);
    }
    CHECK(effects["case-1-3"] == 5);  // the test began it so often
}

TEST_CASE_FIXTURE(step_world, "webhooks: each fault of a request once, and each effect once a token at most") {
    struct row {
        const char* name;
        repair_step step;
        bool knows_tokens;
        std::vector<state> ends;  ///< after each mishap, in the order of the enumeration
    };
    using enum step_outcome::state;
    // none, drop_before, drop_after, silent_after, 500, 409, redirect, huge, no_json, fails_after
    const row rows[] = {
        {"with a statusURL",
         hook("/status/{token}"),
         false,
         {succeeded, succeeded, succeeded, succeeded, succeeded, succeeded, failed, succeeded, succeeded, succeeded}},
        {"idempotent",
         hook("", true),
         true,
         {succeeded, succeeded, succeeded, succeeded, succeeded, succeeded, failed, succeeded, succeeded, succeeded}},
        {"neither", hook(), false, {succeeded, lost, lost, lost, failed, failed, failed, lost, succeeded, failed}},
    };
    for (const auto& r : rows) {
        for (std::size_t i = 0; i < r.ends.size(); ++i) {
            for (const bool killed : {false, true}) {
                CAPTURE(r.name);
                CAPTURE(i);
                CAPTURE(killed);
                effects.clear();
                knows_tokens = r.knows_tokens;
                restart();
                next = {static_cast<mishap>(i)};
                const auto out = drive(request_of(r.step), killed);
                CHECK(out.is == r.ends[i]);
                CHECK(effects["case-1-3"] <= 1);
                if (out.is == succeeded) CHECK(effects["case-1-3"] == 1);
                if (out.is == lost) CHECK(out.reason == "AnswerLost");
            }
        }
    }
    CHECK(said.find(secret_value) == said.npos);
    CHECK(said.find("hook.example") == said.npos);
}

TEST_CASE_FIXTURE(step_world, "AWX: each fault of a launch and of a question once, and one job a token at most") {
    for (int question = 0; question < 2; ++question) {
        for (int i = 0; i <= static_cast<int>(mishap::fails_after); ++i) {
            for (const bool killed : {false, true}) {
                CAPTURE(question);
                CAPTURE(i);
                CAPTURE(killed);
                effects.clear();
                restart();
                next.clear();
                if (question == 1) next = {mishap::drop_after};
                next.push_back(static_cast<mishap>(i));
                const auto out = drive(request_of(awx()), killed);
                const bool refused = question == 0 && static_cast<mishap>(i) == mishap::redirect;
                CHECK(out.is == (refused ? state::failed : state::succeeded));
                CHECK(effects["case-1-3"] == (refused ? 0 : 1));
            }
        }
    }
    CHECK(seen.front().target == "/api/v2/job_templates/7/launch/");
    CHECK(seen.front().headers.get("Authorization") == "Bearer " + secret_value);
    CHECK(said.find(secret_value) == said.npos);
}

TEST_CASE_FIXTURE(step_world, "AWX: what its jobs say, and a launch that ignores the variables fails") {
    for (const auto& each : {std::pair("failed", state::failed),
                             {"error", state::failed},
                             {"canceled", state::failed},
                             {"pending", state::running},
                             {"running", state::running},
                             {"new kind", state::running}}) {
        const auto& [says, expected] = each;
        CAPTURE(each.first);
        is = says;
        restart();
        CHECK(begin(request_of(awx())).is == state::running);
        CHECK(ask(request_of(awx())).is == expected);
        restart();
        CHECK(ask(request_of(awx())).is == expected);  // by its token
    }
    ignores_variables = true;
    const auto out = begin(request_of(awx()));
    CHECK(out.is == state::failed);
    CHECK(out.words.find("let the template ask for variables") != out.words.npos);
}

TEST_CASE_FIXTURE(step_world, "Secrets: of the work namespace alone; without one nothing is sent") {
    auto step = hook();
    step.webhook->headers_from[0].secret_key_ref.name = "other";
    auto out = begin(request_of(step));
    CHECK(out.is == state::absent);
    CHECK(out.words == "Secret work/other is not there: create it");
    step = hook();
    step.webhook->headers_from[0].secret_key_ref.key = "none";
    out = begin(request_of(step));
    CHECK(out.words == "Secret work/s has no key none");
    CHECK(seen.empty());
    step.webhook->headers_from[0].secret_key_ref.key = "token";
    CHECK(begin(request_of(step)).is == state::succeeded);
}

TEST_CASE_FIXTURE(step_world, "nobody listens: known not to be begun; 429 as well") {
    world.network().set_link("hook.example", kcontrol::testing::link_state::refused);
    CHECK(begin(request_of(hook())).is == state::absent);
    world.network().set_link("hook.example", kcontrol::testing::link_state::up);
    CHECK(judge_launch(http::response(429)).is == launch::unsent);
    CHECK(judge_launch(http::response(403)).is == launch::refused);
    CHECK(judge_launch(http::response(504)).is == launch::doubtful);
    CHECK(judge_status(http::response(404)).is == state::absent);
}

TEST_CASE_FIXTURE(step_world, "a Job: on the node, by its token, once") {
    repair_step step;
    step.job.emplace().template_ =
        kcontrol::raw_json::parse(
            R"({"metadata":{"labels":{"a":"b"}},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}})")
            .value();
    const auto of = request_of(step);
    CHECK(ask(of).is == state::absent);
    CHECK(begin(of).is == state::running);
    CHECK(begin(of).is == state::running);  // it is there already
    const auto jobs = [&] { return server.api().list({"batch", "jobs"}, "work"); };
    REQUIRE(jobs().size() == 1);
    const auto made = kcontrol::from_json<kcontrol::api::batch::v1::job>(json::serialize(jobs()[0])).value();
    CHECK(made.metadata.name == "repair-case-1-3");
    CHECK(made.metadata.namespace_ == "work");
    CHECK(made.metadata.labels.get("a") != nullptr);
    CHECK(made.spec.backoff_limit == 0);
    CHECK(made.spec.ttl_seconds_after_finished == 86400);
    CHECK(made.spec.template_.spec.node_name == "gpu 7/x");
    CHECK(made.spec.template_.spec.restart_policy == "Never");
    CHECK(made.spec.template_.spec.tolerations.size() == 1);
    CHECK(ask(of).is == state::running);
    const auto end = [&](const char* type) {
        const json::value condition{{"type", type}, {"status", "True"}, {"reason", "BackoffLimitExceeded"}};
        (void)server.api()
            .patch({"batch", "jobs"}, {"work", "repair-case-1-3"},
                   {{"status", {{"conditions", json::array{condition}}}}}, "status")
            .value();
    };
    end("Failed");
    CHECK(ask(of).words == "its Job failed: BackoffLimitExceeded");
    end("Complete");
    restart();
    CHECK(ask(of).is == state::succeeded);
    auto bad = of;
    bad.step.job->template_ = kcontrol::raw_json::parse(R"({"spec":7})").value();
    CHECK(begin(bad).is == state::failed);
    CHECK(job_name("A_b-") == "repair-a-b");
}

TEST_CASE_FIXTURE(step_world, "what a person does is no answer lost") {
    repair_step step;
    step.manual.emplace().message = "replace the GPU";
    for (const auto& out : {begin(request_of(step)), ask(request_of(step))}) {
        CHECK(out.is == state::lost);
        CHECK(out.reason == "Manual");
        CHECK(out.words == "replace the GPU");
    }
}
