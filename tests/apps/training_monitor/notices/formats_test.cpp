// What goes over the wire, and what answers mean.
#include "notices/formats.hpp"

#include <kcontrol/json/reader.hpp>

#include "notices/answers.hpp"
#include "notices/payloads.hpp"
#include "notices/sender.hpp"
#include "notices/support.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
namespace http = kcontrol::http;

namespace {

receiver_config to(receiver_kind kind, std::string_view text = "{{ .name }}: {{ .message }}") {
    receiver_config out;
    out.name = "r";
    out.kind = kind;
    out.http.target = kcontrol::secret_string("/hook/abc?x=1");
    out.text = *text_template::parse(text);
    out.own_text = true;
    return out;
}

constexpr kcontrol::wall_time now{std::chrono::seconds(1700000000)};

}  // namespace

// Computed with Python:
//   base64.b64encode(hmac.new(f"{ts}\n{secret}".encode(), b"", hashlib.sha256).digest())
//   hmac.new(b"key-for-tests", b'v1:1700000000:{"a":1}', hashlib.sha256).hexdigest()
TEST_CASE("signatures") {
    CHECK(feishu_sign("demo", "1599360473") == "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=");
    CHECK(feishu_sign("s3cr3t-for-tests", "1700000000") == "ShLSCSV8I4LDPLe/bGv2Oll3TnpONc7d9QyOBBp04bk=");
    CHECK(webhook_signature("key-for-tests", "1700000000", R"({"a":1})") ==
          "v1=6bba8a6807ecd97ce39afa59cc6968ad28613899b628673b68f2d5e804ccaf79");
}

TEST_CASE("Feishu: signed text in which clusters can't mention anybody") {
    auto r = to(receiver_kind::feishu, "<at user_id=\"all\"></at> {{ .name }}: {{ .message }}");
    r.http.secret = kcontrol::secret_string("s3cr3t-for-tests");
    const auto request = make_request(r, tests::failed_notice(), now);
    CHECK(request.method == "POST");
    CHECK(request.target == "/hook/abc?x=1");
    CHECK(request.body ==
          R"({"timestamp":"1700000000","sign":"ShLSCSV8I4LDPLe/bGv2Oll3TnpONc7d9QyOBBp04bk=","msg_type":"text",)"
          R"("content":{"text":"<at user_id=\"all\"></at> bert: pod bert-worker-0 )"
          "\uff1cexit 137\uff1e & gone\"}}");
    CHECK(
        make_request(to(receiver_kind::feishu), tests::failed_notice(), now).body.starts_with(R"({"msg_type":"text")"));
}

TEST_CASE("Feishu: never more than 20 KB, cut between characters") {
    std::string text;
    for (int i = 0; i < 20; ++i) text += "{{ .message }}";
    auto view = tests::job("bert");
    view.message.clear();
    for (int i = 0; i < 400; ++i) view.message += "\u8bad\"";
    const auto request =
        make_request(to(receiver_kind::feishu, text), tests::make_notice(view, standing(), job_state::failed), now);
    CHECK(request.body.size() <= most_feishu_bytes);
    CHECK(request.body.size() > most_feishu_bytes - 2000);
    kcontrol::json::document document;
    const auto body = document.parse(request.body);
    REQUIRE(body.has_value());
    CHECK((*body)["content"]["text"].as_string().ends_with("\u2026"));
}

TEST_CASE("Slack: entities for what would act") {
    const auto request = make_request(to(receiver_kind::slack, "<!here> {{ .message }}"), tests::failed_notice(), now);
    CHECK(request.body == R"({"text":"<!here> pod bert-worker-0 &lt;exit 137&gt; &amp; gone"})");
    CHECK_FALSE(request.headers.contains("Authorization"));
}

TEST_CASE("a cluster has a text of its own, unless the file has one") {
    auto n = tests::failed_notice();
    job_view cluster;
    cluster.cluster = cluster.name = "prod-1";
    cluster.kind = "Cluster";
    cluster.message = "refused <here>";
    n.job = std::make_shared<const job_view>(cluster);
    n.cluster_from = "Live";
    n.cluster_to = "Unreachable";
    n.lasted = std::chrono::minutes(5);
    auto r = to(receiver_kind::slack, "{{ .name }} is {{ .state }}");
    CHECK(render_text(r, n) == "prod-1 is Unreachable");
    r.own_text = false;
    CHECK(render_text(r, n) ==
          "\u2717 cluster prod-1 has been unreachable for 5 min\nrefused &lt;here&gt;\n"
          "<!date^1700003662^{date_short_pretty} {time}|2023-11-14T23:14:22Z>");
}

TEST_CASE("Slack's blocks: a title, the text, a link; the text stands beside them for what shows no blocks") {
    auto r = to(receiver_kind::slack, "{{ .message }}");
    r.rich = true;
    auto n = tests::failed_notice();
    n.link = "https://m.example.com/?job=a";
    CHECK(
        make_request(r, n, now).body ==
        R"({"text":"pod bert-worker-0 &lt;exit 137&gt; &amp; gone","blocks":[)"
        R"-({"type":"header","text":{"type":"plain_text","text":"✗ ml/bert failed after 1 h 1 min (16 GPUs, prod-1)"}},)-"
        R"({"type":"section","text":{"type":"mrkdwn","text":"pod bert-worker-0 &lt;exit 137&gt; &amp; gone"}},)"
        R"({"type":"section","text":{"type":"mrkdwn","text":"<https://m.example.com/?job=a|Open>"}}]})");
    auto long_one = tests::job(std::string(500, 'n'), job_state::failed);
    long_one.message = std::string(900, 'm');
    r.text = *text_template::parse("{{ .message }}{{ .message }}{{ .message }}{{ .message }}");
    const auto body = make_request(r, tests::make_notice(long_one, standing(), job_state::failed), now).body;
    kcontrol::json::document document;
    const auto root = document.parse(body);
    REQUIRE(root.has_value());
    std::size_t at = 0;
    for (const auto block : (*root)["blocks"].elements()) {
        CHECK(block["text"]["text"].as_string().size() <= (at++ == 0 ? 150U : 3000U));
    }
    CHECK(at == 2);
}

TEST_CASE("Feishu's card: a title in the colour of the state, the text as it is, a button") {
    auto r = to(receiver_kind::feishu, "{{ .message }}");
    r.rich = true;
    auto n = tests::failed_notice();
    n.link = "https://m.example.com/?job=a";
    CHECK(
        make_request(r, n, now).body ==
        R"({"msg_type":"interactive","card":{"header":{"template":"red",)"
        R"-("title":{"tag":"plain_text","content":"✗ ml/bert failed after 1 h 1 min (16 GPUs, prod-1)"}},"elements":[)-"
        R"({"tag":"div","text":{"tag":"plain_text","content":"pod bert-worker-0 ＜exit 137＞ & gone"}},)"
        R"({"tag":"action","actions":[{"tag":"button","text":{"tag":"plain_text","content":"Open"},)"
        R"("type":"primary","url":"https://m.example.com/?job=a"}]}]}})");
    n.to = job_state::succeeded;
    CHECK(make_request(r, n, now).body.find(R"("template":"green")") != std::string::npos);
    n.to = standing();
    CHECK(make_request(r, n, now).body.find(R"("template":"blue")") != std::string::npos);
    r.text = *text_template::parse(std::string(4000, '"') + "{{ .message }}");
    auto view = tests::job("bert", job_state::failed);
    view.message = std::string(1000, '\\');
    r.http.secret = kcontrol::secret_string("key");
    CHECK(make_request(r, tests::make_notice(view, standing(), job_state::failed), now).body.size() <=
          most_feishu_bytes);
}

TEST_CASE("who is mentioned says the job's label, and only ids of the file are") {
    const auto sent = [](receiver_kind kind, std::string id, bool rich = false, std::string label = "team") {
        auto r = to(kind, "{{ .name }}");
        r.rich = rich;
        r.mention_label = std::move(label);
        r.mentions = {{"nlp", std::move(id)}};
        return make_request(r, tests::failed_notice(), now).body;
    };
    CHECK(sent(receiver_kind::slack, "U1") == R"({"text":"bert\n<@U1>"})");
    CHECK(sent(receiver_kind::slack, "^S1") == R"({"text":"bert\n<!subteam^S1>"})");
    CHECK(sent(receiver_kind::slack, "U1", true).find(R"("text":"bert\n<@U1>"}})") != std::string::npos);
    CHECK(sent(receiver_kind::slack, "U1", false, "tier") == R"({"text":"bert"})");
    CHECK(sent(receiver_kind::slack, "U1", false, "none") == R"({"text":"bert"})");
    CHECK(sent(receiver_kind::feishu, "ou_1") ==
          R"({"msg_type":"text","content":{"text":"bert\n<at user_id=\"ou_1\"></at>"}})");
    CHECK(sent(receiver_kind::feishu, "ou_1", true)
              .find(R"({"tag":"div","text":{"tag":"lark_md","content":"<at id=ou_1></at>"}})") != std::string::npos);
    CHECK(sent(receiver_kind::webhook, "pager-7").find(R"("mention":"pager-7")") != std::string::npos);
    CHECK(sent(receiver_kind::webhook, "pager-7", false, "none").find("mention") == std::string::npos);
}

TEST_CASE("webhook: everything, signed, with an id") {
    auto r = to(receiver_kind::webhook, "{{ .name }} {{ .state }}");
    r.http.secret = kcontrol::secret_string("key-for-tests");
    r.http.token = kcontrol::secret_string("tok");
    const auto request = make_request(r, tests::failed_notice(), now);
    CHECK(request.body ==
          R"({"id":"id-1","time":"2023-11-14T23:14:22Z","cluster":"prod-1","namespace":"ml","name":"bert",)"
          R"("kind":"PyTorchJob","apiVersion":"kubeflow.org/v1","uid":"uid-of-bert","previousState":"Running",)"
          R"("state":"Failed","changes":1,"reason":"PyTorchJobFailed",)"
          R"("message":"pod bert-worker-0 <exit 137> & gone","gpus":16,)"
          R"("startTime":"2023-11-14T22:13:20Z","completionTime":"2023-11-14T23:14:21Z","durationSeconds":3661,)"
          R"("labels":{"team":"nlp","tier":"gold"},"severity":"error","text":"bert Failed"})");
    CHECK(request.headers.get("X-Training-Monitor-Id") == "id-1");
    CHECK(request.headers.get("X-Training-Monitor-Timestamp") == "1700000000");
    CHECK(request.headers.get("X-Training-Monitor-Signature") ==
          webhook_signature("key-for-tests", "1700000000", request.body));
    CHECK(request.headers.get("Authorization") == "Bearer tok");
}

TEST_CASE("what an answer means") {
    using kind = delivery::kind;
    const auto answer = [](int status, std::string body = "", std::string name = "", std::string value = "") {
        http::response out(status, "application/json", std::move(body));
        if (!name.empty()) out.headers.set(name, std::move(value));
        return kcontrol::result<http::response>(std::move(out));
    };
    const auto failure = [](kcontrol::errc code) {
        return kcontrol::result<http::response>(kcontrol::error(code, "https://host/secret-path"));
    };
    const struct {
        receiver_kind to;
        kcontrol::result<http::response> answer;
        kind how;
        int pause;
    } table[] = {
        {receiver_kind::slack, answer(200, "ok"), kind::sent, -1},
        {receiver_kind::webhook, answer(204), kind::sent, -1},
        {receiver_kind::webhook, answer(302, "", "Location", "https://evil/"), kind::refused, -1},
        {receiver_kind::webhook, answer(400), kind::refused, -1},
        {receiver_kind::webhook, answer(404), kind::refused, -1},
        {receiver_kind::webhook, answer(408), kind::try_again, -1},
        {receiver_kind::webhook, answer(429, "", "Retry-After", "17"), kind::try_again, 17},
        {receiver_kind::webhook, answer(429, "", "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), kind::try_again, -1},
        {receiver_kind::webhook, answer(429, "", "Retry-After", "-5"), kind::try_again, -1},
        {receiver_kind::webhook, answer(500), kind::try_again, -1},
        {receiver_kind::webhook, answer(503, "", "Retry-After", "3"), kind::try_again, 3},
        {receiver_kind::feishu, answer(200, R"({"code":0,"msg":"success"})"), kind::sent, -1},
        {receiver_kind::feishu, answer(200, R"({"code":11232,"msg":"frequency limited"})"), kind::try_again, -1},
        {receiver_kind::feishu, answer(200, R"({"code":9499,"msg":"Bad Request"})"), kind::refused, -1},
        {receiver_kind::feishu, answer(200, R"({"code":19021})"), kind::refused, -1},
        {receiver_kind::feishu, answer(200, R"({"code":19001})"), kind::refused, -1},
        {receiver_kind::feishu, answer(200, R"({"code":1})"), kind::refused, -1},
        {receiver_kind::feishu, answer(200, R"({"code":"0"})"), kind::refused, -1},
        {receiver_kind::feishu, answer(200, "<html>"), kind::refused, -1},
        {receiver_kind::feishu, answer(200, "[]"), kind::refused, -1},
        {receiver_kind::feishu, answer(429, "", "x-ogw-ratelimit-reset", "9"), kind::try_again, 9},
        {receiver_kind::slack, failure(kcontrol::errc::timeout), kind::try_again, -1},
        {receiver_kind::slack, failure(kcontrol::errc::connection_refused), kind::try_again, -1},
        {receiver_kind::slack, failure(kcontrol::errc::unknown_outcome), kind::try_again, -1},
        {receiver_kind::slack, failure(kcontrol::errc::name_not_found), kind::try_again, -1},
        {receiver_kind::slack, failure(kcontrol::errc::tls_failed), kind::refused, -1},
        {receiver_kind::slack, failure(kcontrol::errc::too_large), kind::refused, -1},
        {receiver_kind::slack, failure(kcontrol::errc::protocol_error), kind::refused, -1},
    };
    for (const auto& row : table) {
        const auto got = judge(to(row.to), row.answer);
        CAPTURE(got.why);
        CHECK(got.how == row.how);
        CHECK(got.why.find("secret-path") == std::string::npos);
        CHECK(got.why.empty() == (got.how == kind::sent));
        CHECK((got.retry_after ? *got.retry_after / std::chrono::seconds(1) : -1) == row.pause);
    }
}

TEST_CASE("what a program's end means") {
    const auto ended = [](int status, int signal = 0) {
        kcontrol::process_result out;
        out.exit_status = status;
        out.signal = signal;
        return judge_exit(out);
    };
    CHECK(ended(0).how == delivery::kind::sent);
    CHECK(ended(75).how == delivery::kind::try_again);
    CHECK(ended(1).why == "the program's exit status was 1");
    CHECK(ended(1).how == delivery::kind::refused);
    CHECK(ended(0, 9).how == delivery::kind::refused);
    kcontrol::process_result loud;
    loud.exit_status = 1;
    loud.errors = "Traceback\n  line 1\nOSError: password=hunter2 was \x1b[31mrefused\r\n\n";
    CHECK(judge_exit(loud).why.find("hunter2") == std::string::npos);
    CHECK(judge_exit(loud).why.starts_with("the program's exit status was 1: OSError: password="));
    CHECK(judge_exit(loud).why.ends_with("was \\x1b[31mrefused"));
    loud.errors = std::string(1000, 'x');
    CHECK(judge_exit(loud).why == "the program's exit status was 1: " + std::string(300, 'x') + "\u2026");
    CHECK(judge_exit(kcontrol::error(kcontrol::errc::timeout)).how == delivery::kind::try_again);
    CHECK(judge_exit(kcontrol::error(kcontrol::errc::file_failed)).how == delivery::kind::refused);
}
