// Receivers against servers that enforce what the services' pages say: sizes, fields, words.
#include <kcontrol/json/reader.hpp>

#include "notices/formats.hpp"
#include "notices/payloads.hpp"
#include "notices/sender.hpp"
#include "notices/support.hpp"
#include "transport/fixture.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
namespace http = kcontrol::http;
namespace json = kcontrol::json;
namespace testing = kcontrol::testing;

namespace {

// As the services count: Unicode characters.
std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

// What a service says of a request; empty: it takes it.
using rules_of_service = std::function<std::string(const json::node&, const http::server_request&)>;

// https://docs.slack.dev/reference/block-kit/blocks, /reference/methods/chat.postMessage
std::string slack_rules(const json::node& body, const http::server_request&) {
    if (!body["text"].is_string() || body["text"].as_string().empty()) return "no_text";
    if (characters(body["text"].as_string()) > 40000) return "msg_too_long";
    if (body["blocks"].is_null()) return "";
    std::size_t blocks = 0;
    for (const auto block : body["blocks"].elements()) {
        const auto type = block["type"].as_string();
        const auto size = characters(block["text"]["text"].as_string());
        if (size == 0 || size > (type == "header" ? 150U : 3000U)) return "invalid_blocks";
        if (type == "header" && block["text"]["type"].as_string() != "plain_text") return "invalid_blocks";
        if (++blocks > 50) return "invalid_blocks";
    }
    return "";
}

// https://developer.pagerduty.com/docs/events-api-v2/trigger-events
std::string pagerduty_rules(const json::node& body, const http::server_request& req) {
    if (req.body.size() > 512 * 1024) return "too large";
    if (body["routing_key"].as_string().size() != 32) return "routing_key";
    const auto action = body["event_action"].as_string();
    const auto key = body["dedup_key"].is_string() ? body["dedup_key"].as_string() : std::string_view();
    if (characters(key) > 255) return "dedup_key";
    if (action == "resolve") return key.empty() ? "dedup_key" : "";
    if (action != "trigger") return "event_action";
    const auto payload = body["payload"];
    if (payload["summary"].as_string().empty() || characters(payload["summary"].as_string()) > 1024) return "summary";
    if (payload["source"].as_string().empty()) return "source";
    if (!std::set<std::string_view>{"critical", "error", "warning", "info"}.contains(payload["severity"].as_string())) {
        return "severity";
    }
    if (body["links"].is_null()) return "";
    for (const auto link : body["links"].elements()) {
        if (link["href"].as_string().empty()) return "links";
    }
    return "";
}

// https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
std::string teams_rules(const json::node& body, const http::server_request& req) {
    if (req.body.size() > 28 * 1024) return "too large";
    if (body["type"].as_string() != "message") return "type";
    for (const auto attachment : body["attachments"].elements()) {
        if (attachment["contentType"].as_string() != "application/vnd.microsoft.card.adaptive") return "contentType";
        const auto card = attachment["content"];
        if (card["type"].as_string() != "AdaptiveCard" || card["version"].as_string() > "1.5") return "card";
        for (const auto block : card["body"].elements()) {
            if (block["type"].as_string() != "TextBlock" || block["text"].as_string().empty()) return "body";
        }
        return card["body"].elements().begin() == card["body"].elements().end() ? "body" : "";
    }
    return "attachments";
}

// https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
std::string feishu_rules(const json::node& body, const http::server_request& req) {
    if (req.body.size() > 20 * 1024) return "9499";
    const auto type = body["msg_type"].as_string();
    if (type == "text") return body["content"]["text"].as_string().empty() ? "9499" : "";
    return type == "interactive" && body["card"].is_object() ? "" : "9499";
}

// One service, and what it got.
struct service {
    explicit service(rules_of_service rules) : check(std::move(rules)) {
        server =
            lo.serve([this](http::server_request req, http::responder& out) { return answer(std::move(req), out); });
    }

    kcontrol::awaitable<void> answer(http::server_request req, http::responder& out) {
        json::document document;
        const auto body = document.parse(req.body);
        refusal = body && req.headers.get("Content-Type").starts_with("application/json") ? check(*body, req) : "JSON";
        got.push_back(req.body);
        const bool api = req.target == "/api/chat.postMessage";
        std::string text = refusal;
        if (api) {
            const bool known = req.headers.get("Authorization") == "Bearer xoxb-1";
            text = !known            ? R"({"ok":false,"error":"invalid_auth"})"
                   : refusal.empty() ? R"({"ok":true,"ts":"1700.)" + std::to_string(got.size()) + R"("})"
                                     : R"({"ok":false,"error":")" + refusal + R"("})";
        }
        if (feishu) text = refusal.empty() ? R"({"code":0})" : R"({"code":9499})";
        auto response = http::response(refusal.empty() || api || feishu ? accepted : 400, "application/json", text);
        (void)co_await out.send(std::move(response));
    }

    receiver_config receiver(receiver_kind kind, bool rich = false) {
        receiver_config out;
        out.name = "r";
        out.kind = kind;
        out.rich = rich;
        out.http.server = http::endpoint("http", "127.0.0.1", server->local_port());
        out.http.target = kcontrol::secret_string("/hook");
        out.http.key = kcontrol::secret_string("0123456789abcdef0123456789abcdef");
        out.mention_label = "team";
        out.mentions = {{"nlp", "U1"}};
        return out;
    }

    std::string send(sender& to, const notice& n) {
        std::optional<delivery> out;
        testing::run(lo.context,
                     [](sender& s, const notice& what, std::optional<delivery>& into) -> kcontrol::awaitable<void> {
                         auto how = co_await s.send(what, {});
                         into.emplace(std::move(how));
                     }(to, n, out));
        return out->why;
    }

    kcontrol::test::loopback lo;
    rules_of_service check;
    std::string refusal;
    std::vector<std::string> got;
    bool feishu = false;
    int accepted = 200;
    std::unique_ptr<http::server> server;
};

// As large and as nasty as what a cluster can make of it.
notice huge() {
    auto view = tests::job(std::string(253, 'n'), job_state::failed);
    view.namespace_ = std::string(63, 'a');
    view.cluster = std::string(253, 'c');
    std::string nasty;
    for (int i = 0; i < 2000; ++i) nasty += "\u8bad\"<&{{\\[x](y)";
    view.why = nasty;
    view.failure = job_failure{std::string(253, 'h'), 1, nasty, {}};
    auto out = tests::make_notice(std::move(view), job_state::running, job_state::failed);
    out.thread = std::string(32, 't');
    out.link = "https://m.example.com/?job=" + std::string(900, 'j');
    out.runbook = "https://wiki.example.com/" + std::string(900, 'r');
    out.log.assign(20, nasty);
    for (int i = 0; i < 500; ++i) out.members.push_back(tests::failed_notice(std::string(253, 'm')));
    return out;
}

}  // namespace

TEST_CASE("services take what is sent, however large it would be") {
    const struct {
        receiver_kind kind;
        rules_of_service rules;
    } table[] = {{receiver_kind::slack, slack_rules},
                 {receiver_kind::pagerduty, pagerduty_rules},
                 {receiver_kind::teams, teams_rules},
                 {receiver_kind::feishu, feishu_rules}};
    for (const auto& row : table) {
        CAPTURE(to_string(row.kind));
        service s(row.rules);
        s.feishu = row.kind == receiver_kind::feishu;
        s.accepted = row.kind == receiver_kind::pagerduty ? 202 : 200;
        for (const bool rich : {false, true}) {
            const auto config = s.receiver(row.kind, rich);
            sender to(s.lo.env, s.lo.ex(), config, http::make_transport_factory(s.lo.env));
            CHECK(s.send(to, tests::failed_notice()) == "");
            CHECK(s.refusal == "");
            CHECK(s.send(to, huge()) == "");
            CHECK(s.refusal == "");
            auto own = config;
            own.own_text = true;
            own.text = *text_template::parse(std::string(4000, '"') + "{{ .message }}");
            sender other(s.lo.env, s.lo.ex(), own, http::make_transport_factory(s.lo.env));
            CHECK(s.send(other, huge()) == "");
            CHECK(s.refusal == "");
        }
    }
}

TEST_CASE("what a service refuses is a refusal") {
    service s([](const json::node&, const http::server_request&) { return std::string("invalid_blocks"); });
    auto config = s.receiver(receiver_kind::pagerduty);
    sender pager(s.lo.env, s.lo.ex(), config, http::make_transport_factory(s.lo.env));
    CHECK(s.send(pager, tests::failed_notice()) == "HTTP 400");
    auto slack = s.receiver(receiver_kind::slack);
    slack.http.target = kcontrol::secret_string("/api/chat.postMessage");
    slack.http.token = kcontrol::secret_string("xoxb-1");
    slack.http.channel = "C1";
    sender app(s.lo.env, s.lo.ex(), slack, http::make_transport_factory(s.lo.env));
    CHECK(s.send(app, tests::failed_notice()) == "Slack says invalid_blocks: say blocks: false");
    slack.http.token = kcontrol::secret_string("wrong");
    sender stranger(s.lo.env, s.lo.ex(), slack, http::make_transport_factory(s.lo.env));
    CHECK(s.send(stranger, tests::failed_notice()) == "Slack says invalid_auth: check tokenFile");
}

TEST_CASE("Slack's API: what is told of one matter stands in one thread") {
    service s(slack_rules);
    auto config = s.receiver(receiver_kind::slack, true);
    config.http.target = kcontrol::secret_string("/api/chat.postMessage");
    config.http.token = kcontrol::secret_string("xoxb-1");
    config.http.channel = "C012AB3CD";
    sender to(s.lo.env, s.lo.ex(), config, http::make_transport_factory(s.lo.env));
    auto first = tests::failed_notice();
    first.thread = "a";
    auto other = tests::failed_notice("other");
    other.thread = "b";
    auto over = first;
    over.resolved = true;
    over.to = standing();
    for (const auto* n : {&first, &other, &over, &over}) CHECK(s.send(to, *n) == "");
    REQUIRE(s.got.size() == 4);
    CHECK(s.got[0].starts_with(R"({"channel":"C012AB3CD","text":)"));
    CHECK(s.got[1].find("thread_ts") == std::string::npos);
    CHECK(s.got[2].starts_with(R"({"channel":"C012AB3CD","thread_ts":"1700.1","text":)"));
    CHECK(s.got[3].find(R"("thread_ts":"1700.1")") != std::string::npos);
}

TEST_CASE("PagerDuty: an alert is triggered and resolved by one key") {
    service s(pagerduty_rules);
    s.accepted = 202;
    const auto config = s.receiver(receiver_kind::pagerduty);
    sender to(s.lo.env, s.lo.ex(), config, http::make_transport_factory(s.lo.env));
    auto n = tests::failed_notice();
    n.thread = "matter-1";
    CHECK(s.send(to, n) == "");
    n.resolved = true;
    CHECK(s.send(to, n) == "");
    CHECK(s.got[0].find(R"("event_action":"trigger","dedup_key":"matter-1")") != std::string::npos);
    CHECK(s.got[1] ==
          R"({"routing_key":"0123456789abcdef0123456789abcdef","event_action":"resolve","dedup_key":"matter-1"})");
}
