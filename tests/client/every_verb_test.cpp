// What a client does for a request it does for each verb: a table of what shall hold, tried with a whole response, a
// stream and a WebSocket.
#include "client/fixture.hpp"
#include "support/any_form.hpp"
#include "support/throws.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

class verb_fixture : public client_fixture {
public:
    verb_fixture() { config.token_file("/token"), env.files["/token"] = "first"; }

    client connect_to(std::shared_ptr<http::transport> over) {
        const auto factory = [over](executor, const http::endpoint&, const http::tls_options&) {
            return result<std::shared_ptr<http::transport>>(over);
        };
        return client::connect(env, context.get_executor(), config, factory, log).value();
    }
    client connect_any() { return connect_to(server); }

    result<any_opened> call(const client& c, http::exchange_options options = {}) {
        http::request req("POST", "/path");
        return await(open_any(c, form, std::move(req), std::move(options)));
    }
    /// The code of the failure; 0: there was none.
    error_code code(const client& c, http::exchange_options options = {}) {
        const auto got = call(c, std::move(options));
        return got ? error_code() : got.error().code();
    }
    std::string header(std::size_t request, const char* name) {
        return std::string(server->all.at(request).req.headers.get(name));
    }
    static http::response answer(int status, const char* retry_after = nullptr) {
        http::response out(status, "text/plain", "no");
        if (retry_after != nullptr) out.headers.set("Retry-After", retry_after);
        return out;
    }
    int success() const { return form == http::exchange_form::websocket ? 101 : 200; }

    http::exchange_form form = http::exchange_form::whole;
    std::shared_ptr<any_form_transport> server = std::make_shared<any_form_transport>(env);
};

// A transport that throws, once it is awaited or before that already.
class throwing final : public http::transport {
public:
    explicit throwing(bool at_once) : at_once_(at_once) {}
    awaitable<result<http::opened_exchange>> open(http::request, http::exchange_options) override {
        if (at_once_) throw_it(thrown::runtime_error);
        return later();
    }
    void close() override {}

private:
    static awaitable<result<http::opened_exchange>> later() {
        co_await boost::asio::this_coro::executor;
        throw_it(thrown::runtime_error);
    }
    bool at_once_;
};

struct row {
    const char* what;
    std::function<void(verb_fixture&)> holds;
};

const row rows[] = {
    {"the verb has its form, and the time it was given",
     [](verb_fixture& f) {
         client c = f.connect_any();
         const auto got = f.call(c, http::exchange_options().deadline(7s));
         REQUIRE(got.has_value());
         CHECK(got->status == f.success());
         CHECK((got->body != nullptr) == (f.form == http::exchange_form::streamed));
         CHECK((got->socket != nullptr) == (f.form == http::exchange_form::websocket));
         REQUIRE(f.server->all.size() == 1);
         CHECK(f.server->all[0].form == f.form);
         CHECK(f.server->all[0].deadline == 7s);
     }},
    {"credentials and the program's name go with it",
     [](verb_fixture& f) {
         client c = f.connect_any();
         CHECK(f.call(c).has_value());
         CHECK(f.header(0, "Authorization") == "Bearer first");
         CHECK(f.header(0, "User-Agent").find("kcontrol/") == 0);
     }},
    {"401: the renewed credentials are sent, once",
     [](verb_fixture& f) {
         client c = f.connect_any();
         CHECK(f.call(c).has_value());
         f.server->meanwhile = [&f] { f.env.files["/token"] = "second"; };
         f.server->next = {verb_fixture::answer(401)};
         CHECK(f.call(c).has_value());
         REQUIRE(f.server->all.size() == 3);
         CHECK(f.header(1, "Authorization") == "Bearer first");
         CHECK(f.header(2, "Authorization") == "Bearer second");
         f.server->next = {verb_fixture::answer(401), verb_fixture::answer(401)};
         CHECK(f.code(c) == api_errc::unauthorized);
     }},
    {"an answer with Retry-After is tried again, within the deadline",
     [](verb_fixture& f) {
         client c = f.connect_any();
         f.server->next = {verb_fixture::answer(429, "2")};
         const time_point begun = f.env.now();
         CHECK(f.call(c, http::exchange_options().deadline(10s)).has_value());
         const duration waited = f.env.now() - begun;
         CHECK(waited >= 2s);
         CHECK(f.server->all.at(1).deadline == 10s - waited);
         CHECK(c.load().throttled == 1);
         f.server->next = {verb_fixture::answer(429, "20")};
         CHECK(f.code(c, http::exchange_options().deadline(10s)) == api_errc::too_many_requests);
     }},
    {"a refusal is an error with what the server said",
     [](verb_fixture& f) {
         client c = f.connect_any();
         f.server->next = {http::response(403, "application/json",
                                          R"({"kind":"Status","code":403,"reason":"Forbidden","message":"not you"})")};
         const auto got = f.call(c);
         REQUIRE(!got.has_value());
         CHECK(got.error() == api_errc::forbidden);
         CHECK(got.error().what().find("not you") != std::string::npos);
     }},
    {"a guard that refuses keeps it from being sent, each try of it",
     [](verb_fixture& f) {
         bool open = false;
         client c = f.connect_any().guarded([&]() -> result<duration> {
             if (open) return duration(3s);
             return error(errc::not_leading);
         });
         CHECK(f.code(c) == errc::not_leading);
         CHECK(f.server->all.empty());
         open = true;
         f.server->meanwhile = [&open] { open = false; };
         f.server->next = {verb_fixture::answer(429, "1")};
         CHECK(f.code(c) == errc::not_leading);
         REQUIRE(f.server->all.size() == 1);
         CHECK(f.server->all[0].deadline == 3s);
     }},
    {"it waits for its turn of the client's own limit",
     [](verb_fixture& f) {
         client c = f.connect_any().with(client_options().rate_limit(0.1, 1));
         const time_point begun = f.env.now();
         CHECK(f.call(c).has_value());
         CHECK(f.call(c).has_value());
         CHECK(f.env.now() - begun == 10s);
         CHECK(f.code(c, http::exchange_options().deadline(5s)) == errc::timeout);
         CHECK(f.server->all.size() == 2);
     }},
    {"hooks see it, may refuse it, and hear what became of it",
     [](verb_fixture& f) {
         std::string heard;
         bool refuse = false;
         client_options options;
         options.on_request([&](http::request& req) -> result<void> {
             if (refuse) return error(errc::invalid_argument, "refused");
             req.headers.set("X-Hook", "seen");
             return {};
         });
         options.on_response([&](const http::request&, const request_outcome& outcome) {
             heard += std::to_string(outcome.status) + outcome.failure + " ";
         });
         client c = f.connect_any().with(options);
         CHECK(f.call(c).has_value());
         CHECK(f.header(0, "X-Hook") == "seen");
         f.server->next = {error(errc::connection_lost, "cut")};
         CHECK(f.code(c) == errc::connection_lost);
         CHECK(heard == std::to_string(f.success()) + " 0" + error(errc::connection_lost, "cut").what() + " ");
         refuse = true;
         CHECK(f.code(c) == errc::invalid_argument);
         CHECK(f.server->all.size() == 2);
     }},
    {"it is counted and traced, answered or not",
     [](verb_fixture& f) {
         std::vector<std::string> spans;
         const client plain = f.connect_any();
         client c = plain.traced(trace_parent([&](const trace_span& span) { spans.push_back(span.error); }, "id"));
         CHECK(f.call(c).has_value());
         f.server->next = {error(errc::connection_lost, "cut")};
         CHECK(f.code(c) == errc::connection_lost);
         const auto& counted = c.requests().requests;
         CHECK(counted.at({"POST", std::to_string(f.success())}) == 1);
         CHECK(counted.at({"POST", request_counts::no_response}) == 1);
         CHECK(c.requests().request_sizes.at("POST").count() == 2);
         CHECK(c.load().writes == 1);
         REQUIRE(spans.size() == 2);
         CHECK(spans[0].empty());
         CHECK(spans[1].find("cut") != std::string::npos);
     }},
    {"a transport that throws is its error",
     [](verb_fixture& f) {
         for (const bool at_once : {false, true}) {
             client c = f.connect_to(std::make_shared<throwing>(at_once));
             const auto got = f.call(c);
             REQUIRE(!got.has_value());
             CHECK(got.error() == errc::callback_failed);
             CHECK(got.error().what() == "the transport threw: boom");
         }
     }},
    {"a stop that came before keeps it from being sent",
     [](verb_fixture& f) {
         client c = f.connect_any();
         std::stop_source stop;
         stop.request_stop();
         CHECK(f.code(c, http::exchange_options().stop(stop.get_token())) == errc::stopped);
         CHECK(f.server->all.empty());
     }},
    {"new certificates: it goes over the new transport, and what was opened before keeps the former one",
     [](verb_fixture& f) {
         f.config.tls(http::tls_options().client_certificate("CERT 1", secret_string("KEY 1")));
         f.config.files(auth::tls_files().certificate("/cert").key("/key"));
         f.env.files["/cert"] = "CERT 1", f.env.files["/key"] = "KEY 1";
         std::vector<std::weak_ptr<any_form_transport>> made;
         const auto factory = [&](executor, const http::endpoint&, const http::tls_options&) {
             auto one = std::make_shared<any_form_transport>(f.env);
             made.push_back(one);
             return result<std::shared_ptr<http::transport>>(one);
         };
         client c = client::connect(f.env, f.context.get_executor(), f.config, factory, f.log).value();
         auto before = f.call(c);
         REQUIRE(before.has_value());
         f.env.files["/cert"] = "CERT 2", f.env.files["/key"] = "KEY 2";
         f.env.advance(5min, f.context);
         CHECK(f.call(c).has_value());
         REQUIRE(made.size() == 2);
         REQUIRE(made[1].lock());
         CHECK(made[1].lock()->all.size() == 1);
         char byte = 0;
         if (before->body) CHECK(f.await(before->body->read_some({&byte, 1}, 1s, {})).has_value());
         if (before->socket) CHECK(f.await(before->socket->write("", "x", 1s, {})).has_value());
         if (before->socket) CHECK(f.await(before->socket->read_some({&byte, 1}, 1s, {})).has_value());
         before = result<any_opened>();
         CHECK(made[0].expired());
     }},
};

}  // namespace

TEST_CASE("what a client does for a request it does for each verb") {
    for (const row& one : rows) {
        for (const auto form : all_forms) {
            const std::string verb = to_string(form);
            CAPTURE(one.what);
            CAPTURE(verb);
            verb_fixture f;
            f.form = form;
            one.holds(f);
        }
    }
}

TEST_CASE_FIXTURE(verb_fixture, "a transport that ignores the form is an error, not an empty response") {
    class only_streams final : public http::transport {
    public:
        explicit only_streams(std::shared_ptr<http::transport> below) : below_(std::move(below)) {}
        awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
            options.form(http::exchange_form::streamed);
            return below_->open(std::move(req), std::move(options));
        }
        void close() override {}

    private:
        std::shared_ptr<http::transport> below_;
    };
    client c = connect_to(std::make_shared<only_streams>(server));
    const auto got = call(c);
    REQUIRE(!got.has_value());
    CHECK(got.error() == errc::unavailable);
    CHECK(got.error().message().find("ignores exchange_options::form()") != std::string::npos);
    form = http::exchange_form::streamed;
    CHECK(call(c).has_value());
}
