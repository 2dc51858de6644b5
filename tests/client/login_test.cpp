// How a client shows who it is, and keeps on doing so: programs, certificates that change under running streams, 401.
#include <kcontrol/testing/fake_program.hpp>

#include "fixture.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

const std::string unauthorized = R"({"kind":"Status","code":401,"reason":"Unauthorized","message":"no"})";
const std::string get_target = std::string("GET ") + widgets_path + "/a";

/// A client whose every connection is a script of its own.
class login_fixture : public client_fixture {
public:
    login_fixture() {
        env.programs["/bin/login"] = [this](const process_command&) {
            return testing::fake_run(
                R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"token-)" +
                std::to_string(++runs) + "\"" + more + "}}");
        };
    }

    std::shared_ptr<scripted_transport> next_connection() {
        nets.push_back(std::make_shared<scripted_transport>(env));
        return nets.back();
    }

    client connect_all() {
        const auto factory = [this](executor, const http::endpoint&,
                                    const http::tls_options& tls) -> result<std::shared_ptr<http::transport>> {
            if (tls.client_cert_pem() == "bad") return error(errc::invalid_config, "no PEM");
            seen.push_back(tls);
            REQUIRE(opened < nets.size());
            return std::shared_ptr<http::transport>(nets[opened++]);
        };
        auto made = client::connect(env, context.get_executor(), config, factory, log);
        REQUIRE(made.has_value());
        return *made;
    }

    bool get(client& c) {
        get_options none;
        return await(c.get(widgets(), {"default", "a"}, none)).has_value();
    }
    bool said(std::string_view what) const {
        return std::any_of(logged.begin(), logged.end(),
                           [&](const std::string& line) { return line.find(what) != std::string::npos; });
    }

    auth::exec_command login{"client.authentication.k8s.io/v1", "/bin/login"};
    std::deque<std::shared_ptr<scripted_transport>> nets;
    std::vector<http::tls_options> seen;
    std::size_t opened = 0;
    std::string more;
    int runs = 0;
};

}  // namespace

TEST_CASE_FIXTURE(login_fixture, "a plugin's token goes with each request, and a 401 gets another, once") {
    config.exec(login);
    net->expect(get_target).with_header("Authorization", "Bearer token-1").reply(200, widget_json("a"));
    net->expect(get_target).with_header("Authorization", "Bearer token-1").reply(401, unauthorized);
    net->expect(get_target).with_header("Authorization", "Bearer token-2").reply(200, widget_json("a"));
    net->expect(get_target).with_header("Authorization", "Bearer token-2").reply(401, unauthorized);
    net->expect(get_target).with_header("Authorization", "Bearer token-3").reply(401, unauthorized);
    client c = connect();
    CHECK(runs == 0);
    CHECK(get(c));
    env.advance(1min, context);
    CHECK(get(c));
    env.advance(1min, context);
    CHECK(!get(c));
    CHECK(runs == 3);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(login_fixture, "what keeps the plugin from it is the error of the request, which is not sent") {
    config.exec(auth::exec_command("client.authentication.k8s.io/v1", "/bin/gone").install_hint("install it"));
    client c = connect();
    get_options none;
    const auto got = await(c.get(widgets(), {"default", "a"}, none));
    REQUIRE(!got.has_value());
    CHECK(got.error() == errc::file_failed);
    CHECK(got.error().message().find(": exec plugin \"/bin/gone\": ") != std::string::npos);
    CHECK(got.error().message().find(": install it") != std::string::npos);
    CHECK(net->sent().empty());
}

TEST_CASE_FIXTURE(login_fixture, "impersonation and basic authentication are headers of every request, watches too") {
    config.basic("admin", secret_string("pass"));
    config.impersonate(auth::impersonation("jane").groups({"g", "h"}));
    net->expect(get_target)
        .with_header("Authorization", "Basic YWRtaW46cGFzcw==")
        .with_header("Impersonate-User", "jane")
        .reply(200, widget_json("a"));
    net->expect(std::string("GET ") + widgets_path + "?*").with_header("Impersonate-User", "jane").stream({});
    client c = connect();
    CHECK(get(c));
    watch_options options;
    options.in_namespace("default");
    CHECK(await(c.watch(widgets(), options)).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(login_fixture,
                  "a certificate that changes: a watch ends behind its event, for its reader to resume") {
    config.tls(http::tls_options().ca_pem("CA").client_certificate("CERT 1", secret_string("KEY 1")));
    config.files(auth::tls_files().certificate("/cert").key("/key"));
    env.files = {{"/cert", "CERT 1"}, {"/key", "KEY 1"}};
    const auto first = next_connection(), second = next_connection();
    const std::string watched = std::string("GET ") + widgets_path + "?*";
    auto waiting = first->expect(watched).stream({}, stream_end::open).body();
    auto halfway = first->expect(watched).stream({}, stream_end::open).body();
    second->expect(get_target).reply(200, widget_json("a"));
    client c = connect_all();
    watch_options options;
    options.in_namespace("default").timeout(0s).idle(1h);
    auto one = await(c.watch(widgets(), options));
    auto other = await(c.watch(widgets(), options));
    REQUIRE((one.has_value() && other.has_value()));
    std::optional<result<watch_event>> end, event;
    start(context, keep_outcome((*one)->next({}), end));
    start(context, keep_outcome((*other)->next({}), event));
    halfway->push(R"({"type":"ADDED","obj)");
    env.run_ready(context);
    env.files = {{"/cert", "CERT 2"}, {"/key", "KEY 2"}};
    env.advance(4min, context);
    CHECK(opened == 1);
    // Nobody asks anything: they are found all the same.
    env.advance(1min, context);
    CHECK(opened == 2);
    CHECK(first->closed());  // for what begins
    CHECK(seen.back() == http::tls_options().ca_pem("CA").client_certificate("CERT 2", secret_string("KEY 2")));
    REQUIRE((end && end->has_value()));
    CHECK((*end)->type == watch_event_type::end);
    CHECK_FALSE(event.has_value());
    halfway->push("ect\":" + widget_json("b") + "}\n");
    env.run_ready(context);
    REQUIRE((event && event->has_value()));
    CHECK((*event)->object.meta().name == "b");
    const auto then = await((*other)->next({}));
    REQUIRE(then.has_value());
    CHECK(then->type == watch_event_type::end);
    CHECK(get(c));
    CHECK(first->verify());
    CHECK(second->verify());
    // Nothing is looked after any more.
    one->reset();
    other->reset();
    env.run_ready(context);
    CHECK(env.pending_timers() == 0);
    c.close();
    CHECK(second->closed());
}

TEST_CASE_FIXTURE(login_fixture, "a certificate that changes: what can't be resumed goes on where it is") {
    config.tls(http::tls_options().client_certificate("CERT 1", secret_string("KEY 1")));
    config.files(auth::tls_files().certificate("/cert").key("/key"));
    env.files = {{"/cert", "CERT 1"}, {"/key", "KEY 1"}};
    const auto first = next_connection(), second = next_connection();
    auto text = first->expect("GET /log").stream({}, stream_end::open).body();
    second->expect(get_target).reply(200, widget_json("a"));
    client c = connect_all();
    const client fenced = c.guarded([]() -> result<duration> { return duration(1s); });
    auto followed = await(c.raw_stream(http::request("GET", "/log"), {}));
    REQUIRE(followed.has_value());
    env.files = {{"/cert", "CERT 2"}, {"/key", "KEY 2"}};
    env.advance(5min, context);
    CHECK(get(c));
    CHECK(first->closed());
    text->push("still here\n");
    std::string buffer(64, '\0');
    const auto n = await(followed->body->read_some(buffer, 1min, {}));
    REQUIRE(n.has_value());
    CHECK(buffer.substr(0, *n) == "still here\n");
    c.close();
}

TEST_CASE_FIXTURE(login_fixture, "a certificate that can't be used leaves what works, and is tried again soon") {
    config.tls(http::tls_options().client_certificate("CERT 1", secret_string("KEY")));
    config.files(auth::tls_files().certificate("/cert").key("/key"));
    env.files = {{"/cert", "bad"}, {"/key", "KEY"}};
    const auto first = next_connection(), second = next_connection();
    for (int i = 0; i < 2; ++i) first->expect(get_target).reply(200, widget_json("a"));
    second->expect(get_target).reply(200, widget_json("a"));
    client c = connect_all();
    CHECK(get(c));
    env.advance(5min, context);
    CHECK(get(c));
    CHECK(opened == 1);
    CHECK(said("new certificates can't be used"));
    env.files["/cert"] = "CERT 2";
    env.advance(10s, context);
    CHECK(get(c));
    CHECK(opened == 2);
    CHECK(first->verify());
    CHECK(second->verify());
}

TEST_CASE_FIXTURE(login_fixture, "a plugin's certificate replaces the connection, and a 401 asks for both anew") {
    config.exec(login);
    const auto none = next_connection(), first = next_connection(), second = next_connection();
    more = R"(,"clientCertificateData":"CERT 1","clientKeyData":"KEY 1")";
    first->expect(get_target).with_header("Authorization", "Bearer token-1").reply(200, widget_json("a"));
    first->expect(get_target).reply(401, unauthorized);
    second->expect(get_target).with_header("Authorization", "Bearer token-2").reply(200, widget_json("a"));
    client c = connect_all();
    CHECK(get(c));
    more = R"(,"clientCertificateData":"CERT 2","clientKeyData":"KEY 2")";
    env.advance(1min, context);
    CHECK(get(c));
    CHECK(opened == 3);
    CHECK(none->sent().empty());
    CHECK(seen[1].client_cert_pem() == "CERT 1");
    CHECK(seen[2].client_cert_pem() == "CERT 2");
    CHECK(first->verify());
    CHECK(second->verify());
}

TEST_CASE_FIXTURE(login_fixture, "a server that is not verified is told once, with its address") {
    client quiet = connect();
    CHECK(!said("not verified"));
    config.tls(http::tls_options().insecure(true));
    for (int i = 0; i < 3; ++i) net->expect(get_target).reply(200, widget_json("a"));
    client c = connect();
    for (int i = 0; i < 3; ++i) CHECK(get(c));
    const auto times = std::count_if(logged.begin(), logged.end(), [](const std::string& line) {
        return line.find("the server is not verified") == 0 &&
               line.find("server=https://api.test:6443") != std::string::npos;
    });
    CHECK(times == 1);
}

TEST_CASE_FIXTURE(login_fixture, "the namespace for what names none") {
    CHECK(connect().default_namespace() == "default");
    config.default_namespace("jobs");
    const client c = connect();
    CHECK(c.default_namespace() == "jobs");
    CHECK(c.live().default_namespace() == "jobs");
}
