// What the transports of a cluster hold back they hold back for each verb: a table, tried with a whole response, a
// stream and a WebSocket.
#include <kcontrol/multicluster/detail/budgeted_transport.hpp>
#include <kcontrol/multicluster/detail/held_transport.hpp>
#include <kcontrol/multicluster/detail/present_transport.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/any_form.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using http::exchange_form;

namespace {

class verb_fixture {
public:
    std::shared_ptr<http::transport> wrapped(const http::transport_factory& by) {
        return by(context.get_executor(), http::endpoint("https", "a", 443), {}).value();
    }
    std::shared_ptr<http::transport> budgeted(const cluster_budget& budget) {
        return wrapped(detail::budgeted_transports(env, server->factory(), budget, counts, {}));
    }
    std::shared_ptr<http::transport> held(write_guard guard) {
        return wrapped(detail::held_transports(server->factory(), std::move(guard)));
    }
    std::shared_ptr<http::transport> present() { return wrapped(detail::present_transports(server->factory(), moved)); }

    result<any_opened> call(std::shared_ptr<http::transport> over, http::exchange_options options = {},
                            const char* method = "GET") {
        http::request req(method, "/path");
        return testing::run(context, env, open_any(std::move(over), form, std::move(req), std::move(options)));
    }
    error_code code(std::shared_ptr<http::transport> over, http::exchange_options options = {},
                    const char* method = "GET") {
        const auto got = call(std::move(over), std::move(options), method);
        return got ? error_code() : got.error().code();
    }
    /// One that goes on meanwhile; `out` gets its outcome.
    void begin(std::shared_ptr<http::transport> over, std::optional<result<any_opened>>& out,
               http::exchange_options options = {}) {
        http::request req("GET", "/path");
        auto task = open_any(std::move(over), form, std::move(req), std::move(options));
        testing::start(context, keep(std::move(task), out));
        env.run_ready(context);
    }
    result<std::size_t> read(any_opened& from) {
        char byte = 0;
        return testing::run(context, env, from.body->read_some({&byte, 1}, 1s, {}));
    }

    exchange_form form = exchange_form::whole;
    boost::asio::io_context context;
    testing::manual_environment env;
    std::shared_ptr<any_form_transport> server = std::make_shared<any_form_transport>(env);
    std::shared_ptr<detail::budget_counts> counts = std::make_shared<detail::budget_counts>();
    std::shared_ptr<bool> moved = std::make_shared<bool>(false);

private:
    static awaitable<void> keep(awaitable<result<any_opened>> task, std::optional<result<any_opened>>& out) {
        auto got = co_await std::move(task);
        out.emplace(std::move(got));
    }
};

struct row {
    const char* what;
    std::function<void(verb_fixture&)> holds;
};

const auto breaker = [] {
    return cluster_budget().max_consecutive_failures(2).breaker_pause(backoff_policy().initial(10s).jitter(0));
};

const row rows[] = {
    {"a breaker counts it, refuses it, and lets one through after the pause",
     [](verb_fixture& f) {
         const auto over = f.budgeted(breaker());
         f.server->next = {error(errc::connection_lost), error(errc::timeout), error(errc::connection_refused)};
         CHECK(f.code(over) == errc::connection_lost);
         CHECK(f.code(over) == errc::timeout);
         CHECK(f.code(over) == errc::unavailable);
         CHECK(f.server->all.size() == 2);
         CHECK(f.counts->refused == 1);
         CHECK(f.counts->trips == 1);
         f.env.advance(10s, f.context);
         CHECK(f.code(over) == errc::connection_refused);  // the probe
         CHECK(f.code(over) == errc::unavailable);
         f.env.advance(20s, f.context);
         CHECK(f.call(over).has_value());
         CHECK(f.call(over).has_value());
         CHECK_FALSE(f.counts->shut());
     }},
    {"a breaker that refuses says the same as long as it is shut",
     [](verb_fixture& f) {
         const auto over = f.budgeted(breaker());
         f.server->next = {error(errc::connection_lost), error(errc::connection_lost)};
         for (int i = 0; i < 2; ++i) CHECK_FALSE(f.call(over).has_value());
         const auto first = f.call(over);
         f.env.advance(3s, f.context);
         const auto later = f.call(over);
         REQUIRE((!first && !later));
         CHECK(first.error().what() == later.error().what());
         CHECK(first.error().message().find("it is asked again in at most 30 s") != std::string::npos);
     }},
    {"one that was stopped is no verdict of a breaker",
     [](verb_fixture& f) {
         const auto over = f.budgeted(breaker());
         f.server->silent = true;
         for (int i = 0; i < 3; ++i) {
             std::stop_source stop;
             std::optional<result<any_opened>> end;
             f.begin(over, end, http::exchange_options().stop(stop.get_token()));
             stop.request_stop();
             f.env.run_ready(f.context);
             REQUIRE(end);
             CHECK(end->error() == errc::stopped);
         }
         CHECK(f.server->all.size() == 3);
         CHECK(f.counts->trips == 0);
     }},
    {"it waits for its turn until others are opened, and no longer",
     [](verb_fixture& f) {
         const auto over = f.budgeted(cluster_budget().max_concurrent_requests(1));
         f.server->silent = true;
         std::optional<result<any_opened>> first, second, third;
         f.begin(over, first, http::exchange_options().deadline(1min));
         f.begin(over, second, http::exchange_options().deadline(1min));
         f.begin(over, third, http::exchange_options().deadline(5s));
         CHECK(f.server->all.size() == 1);
         CHECK(f.counts->waiting() == 2);
         f.env.advance(5s, f.context);
         REQUIRE(third);
         CHECK(third->error() == errc::timeout);
         f.server->speak();
         f.env.run_ready(f.context);
         // What was opened goes on, and is in nobody's way.
         REQUIRE((first && second));
         CHECK(first->has_value());
         CHECK(second->has_value());
         REQUIRE(f.server->all.size() == 2);
         CHECK(f.server->all[1].deadline == 55s);
         CHECK(f.counts->waiting() == 0);
     }},
    {"a cluster that is another replica's gets none of it, and this one's no more time than is left",
     [](verb_fixture& f) {
         result<duration> left = duration(4s);
         const auto over = f.held([&] { return left; });
         auto opened = f.call(over);
         REQUIRE(opened.has_value());
         CHECK(f.server->all.at(0).deadline == 4s);
         left = error(errc::not_leading, "another replica has it");
         CHECK(f.code(over) == errc::not_leading);
         CHECK(f.server->all.size() == 1);
         if (!opened->socket) return;
         const auto written = testing::run(f.context, f.env, opened->socket->write("", "x", 1s, {}));
         REQUIRE(!written);
         CHECK(written.error() == errc::not_leading);
     }},
    {"the former server's answer is none once the cluster has moved",
     [](verb_fixture& f) {
         const auto over = f.present();
         CHECK(f.call(over).has_value());
         f.server->meanwhile = [&f] { *f.moved = true; };
         const bool command = f.form == exchange_form::websocket;
         CHECK(f.code(over) == (command ? errc::unknown_outcome : errc::connection_lost));
         CHECK(f.code(over, {}, "POST") == errc::unknown_outcome);
     }},
    {"the rest of a list of the former server is none either",
     [](verb_fixture& f) {
         if (f.form != exchange_form::streamed) return;
         const auto over = f.present();
         for (int i = 0; i < 2; ++i) f.server->next.push_back(http::response(200, "text/plain", "ab"));
         auto one = f.call(over), other = f.call(over);
         REQUIRE((one && other));
         for (int i = 0; i < 2; ++i) CHECK(f.read(*one).value() == 1);
         CHECK(f.read(*one).value() == 0);  // its end
         CHECK(f.read(*other).value() == 1);
         *f.moved = true;
         const auto rest = f.read(*other);
         REQUIRE(!rest);
         CHECK(rest.error() == errc::connection_lost);
     }},
};

}  // namespace

TEST_CASE("what the transports of a cluster hold back they hold back for each verb") {
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
