// What runs always, and what runs only in a term of leadership: when each begins, and who checks that a term is over.
#include <kcontrol/manager/run_groups.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using detail::run_groups;
using kcontrol::testing::manual_environment;

struct fixture {
    // Runs until its term, or the host, ends; what is slow returns only when it is let.
    void add(run_group group, const std::string& name, bool slow = false) {
        groups->add(group, [this, name, slow](std::stop_token term) { return work(name, slow, std::move(term)); });
        ready();
    }
    awaitable<void> work(std::string name, bool slow, std::stop_token term) {
        log += "+" + name + " ";
        std::stop_token stop = host.get_token();
        if (term.stop_possible()) stop = term;
        async_event never;
        co_await never.wait(env, stop);
        while (slow && !returns) co_await returned.wait(env, {});
        log += "-" + name + " ";
    }
    void make(bool contends) { groups.emplace(env, context.get_executor(), logger(), contends); }
    void begin_host() {
        groups->start();
        ready();
    }
    void end_host() {
        host.request_stop();
        ready();
        groups->finish();
        host = std::stop_source();
    }
    std::stop_source begin_term() {
        std::stop_source term;
        kcontrol::testing::start(context, note(groups->lead(term.get_token())));
        ready();
        return term;
    }
    void end(std::stop_source term) {
        term.request_stop();
        ready();
    }
    awaitable<void> note(awaitable<void> term) {
        co_await std::move(term);
        log += "term-over ";
    }
    void let_return() {
        returns = true;
        returned.notify_all();
        ready();
        returns = false;
    }
    void ready() { manual_environment::run_ready(context); }
    std::string take() { return std::exchange(log, {}); }
    // The same in order of the words: of several that are stopped at once any may end first.
    std::string take_sorted() {
        std::istringstream in(take());
        std::multiset<std::string> words{std::istream_iterator<std::string>(in), {}};
        std::string out;
        for (const std::string& word : words) out += word + " ";
        return out;
    }

    boost::asio::io_context context;
    manual_environment env;
    std::stop_source host;
    bool returns = false;
    async_event returned;
    std::string log;
    std::optional<run_groups> groups;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "run_groups: without leader election both groups run with the host, at each of its starts") {
    make(false);
    add(run_group::leading, "l");
    add(run_group::always, "a");
    CHECK(take() == "");
    begin_host();
    CHECK(take() == "+l +a ");
    add(run_group::leading, "late");
    CHECK(take() == "+late ");
    CHECK(groups->awaited() == 3);
    end_host();
    CHECK(take_sorted() == "-a -l -late ");
    add(run_group::always, "idle");
    CHECK(take() == "");
    begin_host();
    CHECK(take() == "+l +a +late +idle ");
    groups->clear();
    end_host();
    take();
    begin_host();
    CHECK(take() == "");
}

TEST_CASE_FIXTURE(fixture, "run_groups: the group leading runs in terms, and what is added meanwhile with it") {
    make(true);
    add(run_group::leading, "l");
    add(run_group::always, "a");
    begin_host();
    CHECK(take() == "+a ");
    add(run_group::leading, "m");
    CHECK(take() == "");
    auto term = begin_term();
    CHECK(take() == "+l +m ");
    add(run_group::leading, "n");
    add(run_group::always, "b");
    CHECK(take() == "+n +b ");
    end(term);
    CHECK(take_sorted() == "-l -m -n term-over ");
    term = begin_term();
    CHECK(take() == "+l +m +n ");
    end(term);
    take();
    // A term that is over as it begins.
    std::stop_source over;
    over.request_stop();
    kcontrol::testing::start(context, note(groups->lead(over.get_token())));
    ready();
    CHECK(take() == "term-over ");
    end_host();
}

TEST_CASE_FIXTURE(fixture,
                  "run_groups: what is added to a term that is over, but has not ended, waits for the next one") {
    make(true);
    begin_host();
    add(run_group::leading, "slow", true);
    const auto term = begin_term();
    end(term);
    CHECK(take() == "+slow ");
    add(run_group::leading, "late");
    CHECK(take() == "");
    add(run_group::always, "a");
    CHECK(take() == "+a ");
    let_return();
    CHECK(take() == "-slow term-over ");
    const auto next = begin_term();
    CHECK(take() == "+slow +late ");
    end(next);
    let_return();
    end_host();
}

TEST_CASE_FIXTURE(fixture, "run_groups: work may add more as it is started, and it runs once") {
    make(true);
    const auto adds = [this](const char* name) {
        return [this, name](std::stop_token term) {
            for (const run_group group : {run_group::leading, run_group::always}) {
                const std::string more = std::string(name) + (group == run_group::leading ? "-led" : "-always");
                groups->add(group, [this, more](std::stop_token t) { return work(more, false, std::move(t)); });
            }
            return work(name, false, std::move(term));
        };
    };
    groups->add(run_group::always, adds("a"));
    groups->add(run_group::leading, adds("l"));
    begin_host();
    CHECK(take() == "+a-always +a ");
    const auto term = begin_term();
    CHECK(take() == "+l-led +l-always +l +a-led ");
    end(term);
    end_host();
}

TEST_CASE_FIXTURE(fixture, "run_groups: join waits for both groups, within its deadline") {
    make(true);
    begin_host();
    add(run_group::leading, "l", true);
    add(run_group::always, "a", true);
    const auto term = begin_term();
    CHECK(groups->awaited() == 2);
    end(term);
    host.request_stop();
    ready();
    std::string joined;
    const auto join = [this, &joined]() -> awaitable<void> {
        const bool all = co_await groups->join(env.now() + 10s);
        joined += all ? "all " : "late ";
    };
    kcontrol::testing::start(context, join());
    env.advance(9s, context);
    CHECK(joined == "");
    env.advance(2s, context);
    CHECK(joined == "late ");
    kcontrol::testing::start(context, join());
    ready();
    CHECK(joined == "late ");
    let_return();
    CHECK(joined == "late all ");
    CHECK(groups->awaited() == 0);
}
