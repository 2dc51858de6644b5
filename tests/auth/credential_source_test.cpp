// What requests carry, as it changes: programs asked once for all, expiry, 401, and files that are read again.
#include <kcontrol/auth/credential_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/values/time.hpp>

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

using namespace kcontrol;
using namespace kcontrol::auth;
using namespace std::chrono_literals;
using testing::fake_run;

namespace {

class source_fixture {
public:
    source_fixture() {
        env.programs["/bin/login"] = [this](const process_command&) {
            ++runs;
            if (broken) return fake_run().status(1).errors("no session").takes(takes);
            std::string status = R"({"token":"token-)" + std::to_string(runs) + "\"";
            if (!expires_in) return fake_run(credential(status + more + "}")).takes(takes);
            status += ",\"expirationTimestamp\":\"" + format_time(env.wall_now() + takes + *expires_in) + "\"";
            return fake_run(credential(status + more + "}")).takes(takes);
        };
        config.server(http::endpoint("https", "x", 443));
        config.exec(exec_command("client.authentication.k8s.io/v1", "/bin/login"));
    }

    static std::string credential(const std::string& status) {
        return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" + status + "}";
    }

    void make() {
        const logger log([this](const log_record& r) {
            logged += r.message;
            for (const auto& field : r.fields) logged += " " + field.value;
            logged += "\n";
        });
        source = credential_source::make(env, context.get_executor(), config, log);
    }

    /// The Authorization of a request now, or why there is none.
    std::string ask(duration time = 30s) {
        if (!source->ready()) {
            const auto got = testing::run(context, env, source->obtain(env.now() + time, {}));
            if (!got) return got.error().what();
        }
        http::fields headers;
        const auto authorized = source->authorize(headers);
        if (!authorized) return authorized.error().what();
        return std::string(headers.get("Authorization"));
    }

    /// A request that waits, beside others.
    struct waiter {
        std::stop_source stop;
        std::optional<result<void>> outcome;
    };
    std::shared_ptr<waiter> wait(duration time = 30s) {
        auto one = std::make_shared<waiter>();
        boost::asio::co_spawn(context, source->obtain(env.now() + time, one->stop.get_token()),
                              [one](std::exception_ptr, result<void> got) { one->outcome.emplace(std::move(got)); });
        testing::manual_environment::run_ready(context);
        return one;
    }

    boost::asio::io_context context;
    testing::manual_environment env;
    cluster_config config;
    std::shared_ptr<credential_source> source;
    std::string logged, more;
    int runs = 0;
    bool broken = false;
    duration takes{};
    std::optional<duration> expires_in;
};

}  // namespace

TEST_CASE_FIXTURE(source_fixture, "nothing to get: a token, a password, nobody") {
    config = cluster_config();
    make();
    CHECK(source->ready());
    CHECK(ask() == "");
    CHECK(!source->invalidate(source->serial()));
    config.basic("admin", secret_string("pass"));
    make();
    CHECK(ask() == "Basic YWRtaW46cGFzcw==");
    config.token(secret_string("t"));
    make();
    CHECK(ask() == "Bearer t");
    http::fields own;
    own.set("Authorization", "mine");
    CHECK(source->authorize(own).has_value());
    CHECK(own.get("Authorization") == "mine");
}

TEST_CASE_FIXTURE(source_fixture, "a program is run once for all who wait, and its token kept") {
    takes = 2s;
    make();
    CHECK(!source->ready());
    const auto a = wait(), b = wait(), c = wait();
    CHECK(runs == 1);
    env.advance(3s, context);
    for (const auto& one : {a, b, c}) CHECK((one->outcome && one->outcome->has_value()));
    CHECK(ask() == "Bearer token-1");
    env.advance(24h, context);
    CHECK(ask() == "Bearer token-1");
    CHECK(runs == 1);
}

TEST_CASE_FIXTURE(source_fixture, "it is killed when the last who waits is stopped, and not before") {
    takes = 1min - 1s;
    make();
    const auto a = wait(), b = wait();
    a->stop.request_stop();
    testing::manual_environment::run_ready(context);
    CHECK((a->outcome && a->outcome->error() == errc::stopped));
    CHECK(!b->outcome);
    CHECK(env.pending_timers() != 0);
    b->stop.request_stop();
    testing::manual_environment::run_ready(context);
    CHECK((b->outcome && b->outcome->error() == errc::stopped));
    CHECK(env.pending_timers() == 0);
    takes = {};
    CHECK(ask() == "Bearer token-2");
}

TEST_CASE_FIXTURE(source_fixture, "who has no more time leaves it to those who come next") {
    takes = 40s;
    make();
    const auto a = wait(30s);
    env.advance(31s, context);
    CHECK((a->outcome && a->outcome->error() == errc::timeout));
    CHECK(ask() == "Bearer token-1");
    CHECK(runs == 1);
    // The client closes: whoever waits is told, and nothing runs on.
    source->invalidate(source->serial());
    env.advance(10s, context);
    const auto b = wait();
    source->abandon();
    testing::manual_environment::run_ready(context);
    CHECK((b->outcome && b->outcome->error() == errc::stopped));
    CHECK(env.pending_timers() == 0);
}

TEST_CASE_FIXTURE(source_fixture, "what expires is got anew a little before") {
    expires_in = 1h;
    make();
    CHECK(ask() == "Bearer token-1");
    env.advance(1h - 11s, context);
    CHECK(ask() == "Bearer token-1");
    env.advance(2s, context);
    CHECK(ask() == "Bearer token-2");
    // A life shorter than that little: a tenth of it.
    expires_in = 10s;
    env.advance(2h, context);
    CHECK(ask() == "Bearer token-3");
    env.advance(8s, context);
    CHECK(ask() == "Bearer token-3");
    env.advance(1s, context);
    CHECK(ask() == "Bearer token-4");
    // Expired when it comes: each request asks again, and gets what there is.
    expires_in = -1h;
    env.advance(1h, context);
    CHECK(ask() == "Bearer token-5");
    CHECK(ask() == "Bearer token-6");
}

TEST_CASE_FIXTURE(source_fixture, "a 401 asks again, once for all who got one, and not right after an answer") {
    make();
    CHECK(ask() == "Bearer token-1");
    const auto serial = source->serial();
    CHECK(!source->invalidate(serial));  // it is brand new: another would be no better
    CHECK(ask() == "Bearer token-1");
    env.advance(5s, context);
    CHECK(ask() == "Bearer token-2");  // but it is not trusted any more
    env.advance(1min, context);
    const auto second = source->serial();
    CHECK(second != serial);
    CHECK(source->invalidate(second));
    CHECK(source->invalidate(second));
    CHECK(ask() == "Bearer token-3");
    CHECK(source->invalidate(second));  // a late answer: the next try has the new one already
    CHECK(ask() == "Bearer token-3");
    CHECK(runs == 3);
}

TEST_CASE_FIXTURE(source_fixture, "a program that fails is asked again after a pause that grows") {
    broken = true;
    make();
    CHECK(ask().find("https://x:443: exec plugin \"/bin/login\": it ended with status 1: no session") == 0);
    for (int i = 0; i < 5; ++i) CHECK(ask().find("https://x:443: exec plugin") == 0);
    CHECK(runs == 1);
    for (const auto pause : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
        env.advance(pause - 1ms, context);
        const int before = runs;
        CHECK(ask().find("https://x:443: exec plugin") == 0);
        CHECK(runs == before);
        env.advance(1ms, context);
        CHECK(ask().find("https://x:443: exec plugin") == 0);
        CHECK(runs == before + 1);
    }
    broken = false;
    env.advance(30s, context);
    CHECK(ask() == "Bearer token-9");
    // What is still good is used on.
    broken = true;
    env.advance(1min, context);
    CHECK(source->invalidate(source->serial()));
    CHECK(ask().find("https://x:443: exec plugin") == 0);
    CHECK(ask() == "Bearer token-9");
    CHECK(logged.find("can't get credentials") != std::string::npos);
}

TEST_CASE_FIXTURE(source_fixture, "why no credentials come is told once, and that they come again") {
    const auto count = [this](std::string_view what) {
        int n = 0;
        for (auto at = logged.find(what); at != std::string::npos; at = logged.find(what, at + 1)) ++n;
        return n;
    };
    const auto again = [this] {
        env.advance(1min, context);
        source->invalidate(source->serial());
        return ask();
    };
    broken = true;
    make();
    for (int i = 0; i < 3; ++i) CHECK(again().find("https://x:443: exec plugin") == 0);
    CHECK(runs == 3);
    CHECK(count("can't get credentials") == 1);
    env.programs.erase("/bin/login");  // another reason
    for (int i = 0; i < 3; ++i) CHECK(again().find("https://x:443: exec plugin") == 0);
    CHECK(count("can't get credentials") == 2);
    CHECK(count("credentials can be got again") == 0);
    env.programs["/bin/login"] = [](const process_command&) { return fake_run(credential(R"({"token":"t"})")); };
    CHECK(again() == "Bearer t");
    CHECK(again() == "Bearer t");
    CHECK(count("credentials can be got again") == 1);
}

TEST_CASE_FIXTURE(source_fixture, "a certificate from a program takes the place of the one before") {
    more = R"(,"clientCertificateData":"CERT 1","clientKeyData":"KEY 1")";
    config.tls(http::tls_options().ca_pem("CA").server_name("n"));
    make();
    CHECK(source->tls_may_change());
    CHECK(source->tls().client_cert_pem().empty());
    CHECK(ask() == "Bearer token-1");
    CHECK(source->tls() ==
          http::tls_options().ca_pem("CA").server_name("n").client_certificate("CERT 1", secret_string("KEY 1")));
    const auto version = source->tls_version();
    env.advance(1min, context);
    source->invalidate(source->serial());
    CHECK(ask() == "Bearer token-2");
    CHECK(source->tls_version() == version);  // the same: connections stay
    more = R"(,"clientCertificateData":"CERT 2","clientKeyData":"KEY 2")";
    env.advance(1min, context);
    source->invalidate(source->serial());
    CHECK(ask() == "Bearer token-3");
    CHECK(source->tls_version() != version);
    CHECK(source->tls().client_cert_pem() == "CERT 2");
}

namespace {

class own_provider final : public credential_provider {
public:
    awaitable<result<issued_credentials>> issue(std::stop_token) override {
        if (++calls == 2) throw std::runtime_error("CANARY is not said here");
        issued_credentials out;
        out.token(secret_string("own-" + std::to_string(calls)));
        co_return out;
    }
    int calls = 0;
};

/// Takes its time, whoever stops it. The first call fails.
class slow_provider final : public credential_provider {
public:
    explicit slow_provider(environment& env) : env_(env) {}

    awaitable<result<issued_credentials>> issue(std::stop_token) override {
        const int number = ++calls;
        most = std::max(most, ++running);
        (void)co_await sleep_for(env_, 10s, std::stop_token());
        --running;
        if (number == 1) co_return error(errc::unavailable, "too late");
        issued_credentials out;
        out.token(secret_string("slow-" + std::to_string(number)));
        co_return out;
    }
    int calls = 0, running = 0, most = 0;

private:
    environment& env_;
};

}  // namespace

TEST_CASE_FIXTURE(source_fixture, "a provider that does not heed its stop is asked by one at a time all the same") {
    const auto own = std::make_shared<slow_provider>(env);
    config.credentials_from(own);
    make();
    const auto a = wait();
    source->abandon();
    testing::manual_environment::run_ready(context);
    CHECK((a->outcome && a->outcome->error() == errc::stopped));
    const auto b = wait(), hasty = wait(1s), stopped = wait();
    stopped->stop.request_stop();
    env.advance(2s, context);
    CHECK((hasty->outcome && hasty->outcome->error() == errc::timeout));
    CHECK((stopped->outcome && stopped->outcome->error() == errc::stopped));
    CHECK(own->calls == 1);
    // What nobody waited for fails, and the next is asked for.
    env.advance(8s, context);
    CHECK(own->calls == 2);
    CHECK(!b->outcome);
    env.advance(10s, context);
    CHECK((b->outcome && b->outcome->has_value()));
    CHECK(ask() == "Bearer slow-2");
    CHECK(logged.empty());
    // Where it succeeds all the same, there is nothing to ask for.
    env.advance(1min, context);
    CHECK(source->invalidate(source->serial()));
    const auto c = wait();
    source->abandon();
    const auto d = wait();
    CHECK((c->outcome && c->outcome->error() == errc::stopped));
    env.advance(10s, context);
    CHECK((d->outcome && d->outcome->has_value()));
    CHECK(ask() == "Bearer slow-3");
    CHECK(own->calls == 3);
    // Giving up once more is for those who came since: nobody asks the provider for them.
    env.advance(1min, context);
    CHECK(source->invalidate(source->serial()));
    const auto e = wait();
    source->abandon();
    const auto f = wait();
    source->abandon();
    testing::manual_environment::run_ready(context);
    CHECK((f->outcome && f->outcome->error() == errc::stopped));
    env.advance(10s, context);
    CHECK(own->calls == 4);
    CHECK(own->most == 1);
}

TEST_CASE_FIXTURE(source_fixture, "an embedder's own provider, and what it throws") {
    const auto own = std::make_shared<own_provider>();
    config.credentials_from(own);
    make();
    CHECK(ask() == "Bearer own-1");
    CHECK(runs == 0);
    env.advance(1min, context);
    CHECK(source->invalidate(source->serial()));
    CHECK(ask().find(": the credential provider threw") != std::string::npos);
    env.advance(1min, context);
    CHECK(ask() == "Bearer own-3");
    cluster_config other = config;
    CHECK(other == config);
    CHECK(other.credentials_from(std::make_shared<own_provider>()) != config);
}

TEST_CASE_FIXTURE(source_fixture, "certificate files are read again after five minutes, and at once after a 401") {
    config = cluster_config();
    config.tls(http::tls_options().ca_pem("CA 1").client_certificate("CERT 1", secret_string("KEY 1")));
    config.files(tls_files().ca("/ca").certificate("/cert").key("/key"));
    env.files = {{"/ca", "CA 1"}, {"/cert", "CERT 1"}, {"/key", "KEY 1"}};
    make();
    const auto tls = [&] {
        CHECK(source->ready());
        const auto& t = source->tls();
        return t.ca_pem() + " " + t.client_cert_pem() + " " + std::string(t.client_key_pem().reveal());
    };
    env.files = {{"/ca", "CA 2"}, {"/cert", "CERT 2"}, {"/key", "KEY 2"}};
    env.advance(5min - 1s, context);
    CHECK(tls() == "CA 1 CERT 1 KEY 1");
    CHECK(source->tls_version() == 0);
    env.advance(1s, context);
    CHECK(tls() == "CA 2 CERT 2 KEY 2");
    CHECK(source->tls_version() == 1);
    // The half of a pair, an empty file: what was there stays, and it is looked at again soon.
    env.files = {{"/ca", ""}, {"/cert", "CERT 3"}};
    env.advance(5min, context);
    CHECK(tls() == "CA 2 CERT 2 KEY 2");
    CHECK(logged.find("a credential file can't be read") != std::string::npos);
    env.files = {{"/ca", "CA 3"}, {"/cert", "CERT 3"}, {"/key", "KEY 3"}};
    env.advance(10s, context);
    CHECK(tls() == "CA 3 CERT 3 KEY 3");
    // A 401: at once, and a try more if that helps.
    auto serial = source->serial();
    CHECK(!source->invalidate(serial));
    env.files["/cert"] = "CERT 4";
    env.files["/key"] = "KEY 4";
    CHECK(source->invalidate(serial));
    CHECK(tls() == "CA 3 CERT 4 KEY 4");
    // What the transport refuses is taken back, and read again soon.
    const http::tls_options before = source->tls();
    env.files["/cert"] = "bad";
    env.advance(5min, context);
    CHECK(tls() == "CA 3 bad KEY 4");
    source->reject_tls(before, error(errc::invalid_config, "no PEM"));
    CHECK(tls() == "CA 3 CERT 4 KEY 4");
    env.files["/cert"] = "CERT 4";
    env.advance(10s, context);
    CHECK(tls() == "CA 3 CERT 4 KEY 4");
}

TEST_CASE_FIXTURE(source_fixture, "what is wrong with a credential file is told once, and once when it is well again") {
    config = cluster_config();
    config.tls(http::tls_options().ca_pem("CA")).files(tls_files().ca("/ca")).token_file("/token");
    env.files = {{"/ca", "CA"}, {"/token", "one"}};
    make();
    CHECK(ask() == "Bearer one");
    const auto told = [&] { return std::exchange(logged, {}); };
    CHECK(told().empty());
    const std::string unreadable = "a credential file can't be read; what was there before stays in use ";
    env.files["/ca"] = "";
    env.files["/token"] = "CANARY CANARY";
    env.advance(5min, context);
    CHECK(ask() == "Bearer one");
    const std::string first = told();
    CHECK(first.starts_with(unreadable + "/ca it is empty\n" + unreadable + "/token token file /token holds no token"));
    CHECK(std::count(first.begin(), first.end(), '\n') == 2);
    CHECK(first.find("CANARY") == std::string::npos);
    for (int minute = 0; minute < 10; ++minute) {
        env.advance(1min, context);
        CHECK(ask() == "Bearer one");
    }
    CHECK(told().empty());
    // Another reason.
    env.files.clear();
    env.advance(1min, context);
    CHECK(ask() == "Bearer one");
    const std::string second = told();
    CHECK(second.starts_with(unreadable + "/ca "));
    CHECK(second.find(unreadable + "/token ") != std::string::npos);
    CHECK(std::count(second.begin(), second.end(), '\n') == 2);
    env.files = {{"/ca", "CA"}, {"/token", "two"}};
    env.advance(1min, context);
    CHECK(ask() == "Bearer two");
    CHECK(told() == "a credential file can be read again /ca\na credential file can be read again /token\n");
    env.advance(10min, context);
    CHECK(ask() == "Bearer two");
    CHECK(told().empty());
}

TEST_CASE_FIXTURE(source_fixture, "certificate files that can't be used are told once, as long as they are the same") {
    config = cluster_config();
    config.tls(http::tls_options().ca_pem("good")).files(tls_files().ca("/ca"));
    env.files = {{"/ca", "bad"}};
    make();
    const auto told = [&] { return std::exchange(logged, {}); };
    const auto look = [&](duration after) {
        const http::tls_options before = source->tls();
        env.advance(after, context);
        CHECK(source->ready());
        if (source->tls().ca_pem() != "good") source->reject_tls(before, error(errc::invalid_config, "no PEM"));
        CHECK(source->tls().ca_pem() == "good");
        return told();
    };
    const std::string changed = "certificate files have changed; new connections use them\n";
    const std::string refused = changed + "new certificates can't be used; those before stay in use no PEM\n";
    CHECK(look(5min) == refused);
    for (int i = 0; i < 5; ++i) CHECK(look(10s).empty());
    env.files["/ca"] = "bad, too";
    CHECK(look(10s) == refused);
    CHECK(look(10s).empty());
    env.files["/ca"] = "good";
    CHECK(look(10s) == changed);
    CHECK(look(5min).empty());
}
