#include "program.hpp"

#include "guarded_serving/serving_files.hpp"
#include "parts.hpp"
#include "service/log_with_level.hpp"
#include "service/opened_store.hpp"

namespace gpu_labeler {
namespace {

program_result failed(const kcontrol::logger& log, std::string_view what, const kcontrol::error& why) {
    log.error(what, {{"error", why.message()}});
    program_result out;
    out.status = 1;
    return out;
}

// The labels, and beside them, where --listen asks for it, everything that is served.
kcontrol::awaitable<program_result> keep_labels(kcontrol::environment& env, kcontrol::executor ex, options& o,
                                                opened_store opened, log_with_level& logging, reload_request* reloads,
                                                std::stop_token stop) {
    program_result out;
    const auto& log = logging.log();
    auto settings = settings_of(o);
    if (!settings) {
        log.error(settings.error().message());
        out.status = 1;
        co_return out;
    }
    auto secrets = guarded_serving::read_serving_files(env, o.access());
    if (!secrets) co_return failed(log, "can't serve", secrets.error());
    parts p(env, ex, o, std::move(*settings), std::move(*secrets), std::move(opened), log);
    kcontrol::task_group tasks(env, ex, log);
    if (!o.once()) {
        const auto listening = p.serving.listen(o, log);
        if (!listening) co_return failed(log, "can't serve", listening.error());
        p.start(tasks, stop);
    }
    const std::function<void()> take_over = [&] {
        logging.set(o);
        p.take_over();
    };
    if (reloads && !o.once()) tasks.spawn(follow_settings(env, *reloads, o, take_over, log, stop));
    co_await p.keeper.run(stop);
    co_await p.serving.stop();
    co_await tasks.join();
    out.status = !o.once() || p.keeper.succeeded() ? 0 : 1;
    out.hanging = p.gpus.reader().hanging() > 0;
    co_return out;
}

}  // namespace

kcontrol::awaitable<program_result> run_program(kcontrol::environment& env, kcontrol::executor ex, options o,
                                                std::stop_token stop, reload_request* reloads) {
    log_with_level logging(env, o);
    const auto& log = logging.log();
    program_result out;
    auto opened = open_store(env, ex, o, log);
    if (!opened) co_return failed(log, "there is no way to the labels", opened.error());
    const auto reachable = open_health(*opened, env, ex, o, log);
    if (!reachable) co_return failed(log, "there is no way to the Node", reachable.error());
    if (o.cleanup()) {
        out.status = co_await clean_up(*opened, o.node_name(), log, stop);
        co_return out;
    }
    log.info("starting", {{"where", opened->store->name()}, {"schedule", o.schedule()}});
    out = co_await keep_labels(env, ex, o, std::move(*opened), logging, reloads, stop);
    if (!o.once()) log.info("stopped");
    co_return out;
}

}  // namespace gpu_labeler
