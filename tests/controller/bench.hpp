// A controller on a source and a clock that the test moves, with a reconciler whose answers are scripted.
#pragma once

#include <kcontrol/controller/controller.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/thing.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace kcontrol::test {

using testing::fake_source;
using testing::manual_environment;

/// Records its calls. While `held`, reconciles wait for release().
struct script {
    explicit script(environment& e) : env(e) {}

    reconciliation operator()(reconcile_context ctx, request req) {
        calls += req.name + " ";
        ids.push_back(ctx.reconcile_id());
        last_retries = ctx.retries();
        most = std::max(most, ++running[req.name]);
        most_all = std::max(most_all, ++running_all);
        while (held && !(obeys_stop && ctx.stop().stop_requested())) {
            std::stop_token stop;
            if (obeys_stop) stop = ctx.stop();
            co_await gate.wait(env, std::move(stop));
        }
        --running[req.name];
        --running_all;
        finished += req.name + " ";
        if (throws) throw std::runtime_error("boom");
        if (ctx.stop().stop_requested()) co_return error(errc::stopped);
        co_return answer;
    }
    void release() { held = false, gate.notify_all(); }

    environment& env;
    async_event gate;
    bool held = false;
    bool obeys_stop = true;
    bool throws = false;
    result<reconcile_result> answer = reconcile_result::done();
    std::string calls, finished;
    std::vector<std::string> ids;
    std::uint64_t last_retries = 0;
    std::map<std::string, int> running;
    int most = 0, running_all = 0, most_all = 0;
};

inline awaitable<void> stop_into(any_controller& target, bool& drained) { drained = co_await target.stop(); }

struct bench {
    explicit bench(controller_options options = {})
        : c(env, context.get_executor(), "things", call(), with_log(options)) {
        c.watch(source, enqueue_for_object);
    }
    ~bench() {
        reconciles.release();
        stop();
    }
    reconciler<request> call() {
        return [this](reconcile_context ctx, request req) { return reconciles(std::move(ctx), std::move(req)); };
    }
    controller_options with_log(controller_options options) {
        return options.log(logger([this](const log_record& r) {
            log += std::string(r.message) + "\n";
            for (const auto& f : r.fields) log += "  " + std::string(f.name) + "=" + f.value + "\n";
        }));
    }
    void ready() { manual_environment::run_ready(context); }
    void advance(duration d) { env.advance(d, context); }
    void start() { c.start(), ready(); }
    bool stop() {
        bool drained = false;
        testing::start(context, stop_into(c, drained));
        ready();
        for (int i = 0; i < 100 && c.state() != controller_state::idle; ++i) advance(std::chrono::seconds(1));
        return drained;
    }
    const std::string& calls() { return ready(), reconciles.calls; }

    boost::asio::io_context context;
    manual_environment env;
    std::string log;
    std::shared_ptr<fake_source> source = std::make_shared<fake_source>(env);
    script reconciles{env};
    controller c;
};

}  // namespace kcontrol::test
