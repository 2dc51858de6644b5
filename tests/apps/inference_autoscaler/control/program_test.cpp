// The autoscaler's parts together, with what it serves; and `explain`.
#include "control/program.hpp"

#include "control/explain.hpp"
#include "metric_servers.hpp"
#include "scaler_world.hpp"
#include "web/handlers.hpp"

using namespace inference_autoscaler;
using namespace inference_autoscaler::tests;

namespace {

struct whole_program : scaler_world {
    metric_servers metrics{world};
    std::shared_ptr<board> page = std::make_shared<board>();
    http::router routes;

    whole_program() {
        stop();
        m = std::make_unique<manager>(world.env(), world.get_executor(), world.connect(server));
        REQUIRE(set_up(*m, world.network().factory(), page));
        add_page(routes, *page);
        add_wake(routes, world.env(), m->get_unfenced_client());
        world.network().listen("autoscaler", world.get_executor(), routes.handler());
        m->start();
        add_target(1);
    }
    ~whole_program() { stop(); }
    void add(json::object more = {}) {
        more["metrics"] = {{"prometheus", {{"url", "http://metrics"}}}};
        add_scaler(more);
    }
    http::response ask(std::string method, std::string target) {
        auto over =
            world.network().factory()(world.get_executor(), http::endpoint("http", "autoscaler", 80), {}).value();
        http::request what(std::move(method), std::move(target));
        return world.run(over->round_trip(std::move(what), http::exchange_options())).value();
    }
    std::string explained(const std::string& name = "llama") {
        const namespaced_name which("default", name);
        const auto text = world.run(
            explain(world.env(), world.get_executor(), world.connect(server), world.network().factory(), which));
        return text ? *text : "error: " + text.error().message();
    }
};

}  // namespace

TEST_CASE_FIXTURE(whole_program, "each look is on the page: the deciding rule's value, decisions, what it comes to") {
    metrics.values["busy"] = "2";
    add();
    CHECK(replicas() == 2);
    metrics.values["busy"] = "0.75";
    settle(60);
    const auto scalers = json::parse(ask("GET", "/api/v1/scalers").body).value();
    const auto& one = scalers.at("items").as_array().at(0);
    CHECK(json::get_string(one, {"decision", "rule"}) == "busy");  // it decided last
    CHECK(json::find(one, {"decision", "value"})->to_number<double>() == 0.75);
    CHECK(json::get_string(one, {"decision", "sentence"}) == "no rule holds");
    CHECK(scaler().status.decision.value == 2);  // a value alone is not written
    const auto past = json::parse(ask("GET", "/api/v1/scalers/default/llama/history").body).value();
    CHECK(past.at("decisions").as_array().size() == 1);
    const auto last = past.at("points").as_array().back().as_array();
    CHECK((last.at(1) == 2 && last.at(2) == 2 && last.at(6) == 0.75 && last.at(7) == 1));
    (void)server.api().remove(scalers_id, {"default", "llama"}).has_value();
    world.run_for(1s);
    CHECK(ask("GET", "/api/v1/scalers").body == "{\"items\":[]}\n");
}

TEST_CASE_FIXTURE(whole_program, "what is paused is on the page without a look") {
    add({{"paused", true}});
    const auto body = ask("GET", "/api/v1/scalers").body;
    CHECK(body.find(R"("paused":true)") != std::string::npos);
    CHECK(body.find(R"("reason":"Paused")") != std::string::npos);
    CHECK(ask("POST", "/wake/default/llama").status == 409);
}

TEST_CASE_FIXTURE(whole_program, "POST /wake sets one replica within 200 ms") {
    metrics.values = {{"busy", "0.1"}, {"load", "0"}};
    add({{"minReplicas", 0},
         {"zero", {{"wake", {{"query", "load"}}}, {"listen", true}, {"afterSeconds", 30}}},
         {"down", {{"settleSeconds", 0}}}});
    settle(60);
    REQUIRE(replicas() == 0);
    metrics.values["load"] = "hangs";
    settle(20);
    CHECK(ask("POST", "/wake/default/llama").status == 202);
    CHECK(world.run_until([this] { return replicas() == 1; }, 200ms));
}

TEST_CASE_FIXTURE(whole_program, "explain says what was decided, and each rule's value now") {
    metrics.values = {{"busy", "2"}, {"memory", "0.95"}, {"idle", "1"}};
    const json::object action{{"addReplicas", 1}};
    add({{"rules",
          {{{"name", "busy"}, {"query", "busy"}, {"threshold", 1}, {"action", action}},
           {{"name", "memory"}, {"query", "memory"}, {"threshold", 0.92}, {"forSeconds", 180}, {"action", action}},
           {{"name", "p95"}, {"query", "p95"}, {"idleQuery", "idle"}, {"threshold", 0.8}, {"action", action}}}}});
    REQUIRE(replicas() == 2);
    metrics.values["busy"] = "0.5";
    settle(30);
    const auto text = explained();
    CHECK_MESSAGE(text.starts_with("default/llama, Deployment llama: 2 replicas, 2 ready, 0 warming, 2 wanted\n"
                                   "Decided at "),
                  text);
    CHECK(text.find(": busy is 2, > 1: 2 replicas instead of 1\n"
                    "Rules now, at 2 ready pods:\n"
                    "  busy: 0.5 > 1: does not hold\n"
                    "  memory: 0.95 > 0.92 for 180 s: holds\n"
                    "  p95: no value > 0.8: NotANumber") != std::string::npos);
    CHECK_MESSAGE(text.find("\nConditions:\n  Ready=True Working\n") != std::string::npos, text);
    CHECK(explained("other") == "error: there is no InferenceScaler default/other");
    set_spec({{"target", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "gone"}}}});
    CHECK(explained().find("The rules are not asked: Deployment gone is not there, or has no scale subresource\n") !=
          std::string::npos);
}

TEST_CASE("the command line of explain") {
    const auto read = read_explain_arguments(
        {"--kubeconfig=k", "ml/llama", "--context", "c", "--allow-address", "127.0.0.0/8", "--allow-address=::1"});
    REQUIRE(read);
    CHECK((read->scaler.namespace_ == "ml" && read->scaler.name == "llama"));
    CHECK((read->kubeconfig == "k" && read->context == "c" && read->allowed.size() == 2));
    const auto why = [](std::vector<std::string_view> words) {
        const auto said = read_explain_arguments(words);
        return said ? "none" : said.error().message();
    };
    CHECK(why({}) == "NAMESPACE/NAME is missing");
    for (const char* bad : {"llama", "/llama", "ml/"}) {
        CHECK(why({bad}) == "\"" + std::string(bad) + "\": name one InferenceScaler, as NAMESPACE/NAME");
    }
    CHECK(why({"a/b", "c/d"}).starts_with("\"c/d\": name one"));
    CHECK(why({"a/b", "--server=x"}).find("--server") != std::string::npos);
}
