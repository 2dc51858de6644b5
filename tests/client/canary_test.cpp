// Every kind of secret that a client can hold, through everything that can go wrong with a request: it goes to the
// server, and nowhere else. Looked through is all that a program hears: errors, log, spans, metrics, and what hooks
// see.
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/testing/fake_program.hpp>

#include "fixture.hpp"

#include <functional>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

// As long as tokens are: of a plugin's complaints only what looks like a secret is left out.
const std::string canary = "CANARY-3141592653589793238462643383279";
const std::string get_target = std::string("GET ") + widgets_path + "/a";

class canary_fixture : public client_fixture {
public:
    canary_fixture() { env.files = {{"/token", canary}, {"/cert", "CERT"}, {"/key", canary}}; }

    /// A plugin that prints that, and ends so.
    void log_in_with(std::string output, int status = 0, std::string errors = {}) {
        config.exec(auth::exec_command("client.authentication.k8s.io/v1", "/bin/login"));
        env.programs["/bin/login"] = [output, status, errors](const process_command&) {
            return testing::fake_run(output).status(status).errors(errors);
        };
    }
    static std::string credential(const std::string& status) {
        return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{)" + status + "}}";
    }

    void hear(const error& why) { heard.push_back(why.what()); }
    void hear(const trace_span& span) {
        std::string text = std::string(span.name) + " " + span.parent + " " + span.error;
        for (const log_field& field : span.fields) text += " " + field.value;
        heard.push_back(std::move(text));
    }

    /// The requests of a bad day.
    void live(const client& plain) {
        client c = plain.traced(trace_parent([this](const trace_span& span) { hear(span); }, "id"));
        const get_options none;
        for (int i = 0; i < 8; ++i) {
            const auto got = await(c.get(widgets(), {"default", "a"}, none));
            if (!got) hear(got.error());
            env.advance(2min, context);
        }
        http::request secret("POST", "/api/v1/namespaces/default/secrets");
        secret.body = R"({"kind":"Secret","metadata":{"name":"s"},"stringData":{"password":")" + canary + "\"}}";
        for (int i = 0; i < 3; ++i) {
            const auto made = await(c.raw(secret, {}));
            if (!made) hear(made.error());
        }
        metrics_registry registry;
        registry.collect([&](metrics_writer& out) { write_request_metrics(out, c.requests(), {{"cluster", "a"}}); });
        heard.push_back(registry.text());
        const auto told = logged;
        heard.insert(heard.end(), told.begin(), told.end());
    }

    std::vector<std::string> heard;
};

void script(scripted_transport& net) {
    net.expect(get_target).reply(401, R"({"kind":"Status","code":401,"reason":"Unauthorized","message":"no"})");
    net.expect(get_target).reply(403, "{}");
    net.expect(get_target).reply(200, "<html>");
    net.expect(get_target).reply(200, R"({"metadata":)");
    net.expect(get_target).fail(errc::connection_lost);
    net.expect(get_target).fail(errc::tls_failed);
    net.expect(get_target).reply(302, "").header("Location", "https://x/?token=" + canary);
    net.expect(get_target).reply(429, "{}");
    net.expect(get_target).reply(500, "<html>").header("Warning", "299 - \"old\"");
    const std::string secrets = "POST /api/v1/namespaces/default/secrets";
    net.expect(secrets).reply(409, R"({"kind":"Status","code":409,"reason":"AlreadyExists","message":"there"})");
    net.expect(secrets).reply(422, R"({"kind":"Status","code":422,"reason":"Invalid","message":"bad"})");
    net.expect(secrets).fail(errc::unknown_outcome);
}

}  // namespace

TEST_CASE("no secret of a client is told to anybody but the server") {
    using setup = std::function<void(canary_fixture&)>;
    struct row {
        row(const char* w, bool s, setup h) : what(w), is_sent(s), how(std::move(h)) {}
        const char* what;
        bool is_sent;  // with the requests; else it keeps them from being sent, or is a matter of TLS
        setup how;
    };
    const std::string token = R"("token":")" + canary + '"';
    const std::string pair = R"("clientCertificateData":"CERT","clientKeyData":")" + canary + '"';
    const row rows[] = {
        {"a token", true, [](auto& f) { f.config.token(secret_string(canary)); }},
        {"a token's file", true, [](auto& f) { f.config.token_file("/token"); }},
        {"a password", true, [](auto& f) { f.config.basic("me", secret_string(canary)); }},
        {"a key", false,
         [](auto& f) { f.config.tls(http::tls_options().client_certificate("CERT", secret_string(canary))); }},
        {"a key's file", false,
         [](auto& f) {
             f.config.tls(http::tls_options().client_certificate("CERT", secret_string("old")));
             f.config.files(auth::tls_files().certificate("/cert").key("/key"));
         }},
        {"a plugin's token", true, [&](auto& f) { f.log_in_with(canary_fixture::credential(token)); }},
        {"a plugin's key", false, [&](auto& f) { f.log_in_with(canary_fixture::credential(pair)); }},
        {"a plugin that breaks off", false, [&](auto& f) { f.log_in_with("{\"status\":{" + token); }},
        {"a plugin that fails", false,
         [&](auto& f) { f.log_in_with(canary_fixture::credential(token), 1, "no login: token=" + canary + "\n"); }},
        {"a plugin of another kind", false, [&](auto& f) { f.log_in_with("token: " + canary); }},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        canary_fixture f;
        row.how(f);
        // Changed certificates make new connections, which go on with the script.
        script(*f.net);
        const client c = f.connect();
        f.live(c);
        CHECK(f.heard.size() > 10);
        for (const std::string& text : f.heard) CHECK_MESSAGE(text.find(canary) == std::string::npos, text);
        bool sent = false;
        for (const http::request& req : f.net->sent()) {
            for (const auto& field : req.headers) {
                const bool basic = field.value.starts_with("Basic ");  // in base64
                sent = sent || basic || field.value.find(canary) != std::string::npos;
            }
        }
        CHECK(sent == row.is_sent);
    }
}
