#include "warm/warmer.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <utility>

namespace inference_autoscaler {

using namespace std::chrono_literals;

struct warmer::shared {
    struct scaler {
        namespaced_name name;
        warm_up_spec how;
        failure_ledger ledger;
    };
    struct one {
        std::shared_ptr<scaler> of;
        warm_pod pod;
        warm_up state;
        std::shared_ptr<http::transport> engine;
        async_event news;
        std::stop_source stop;
        bool running = false;
    };

    shared(environment& e, executor x) : env(e), ex(x), tasks(e, x) {}

    environment& env;
    executor ex;
    task_group tasks;
    http::transport_factory connect;
    std::optional<client> cluster;
    std::function<void(const namespaced_name&, const warm_outcome&)> told;
    struct entry {
        std::shared_ptr<scaler> of = std::make_shared<scaler>();
        std::map<std::string, std::shared_ptr<one>> pods;  // by uid
    };
    std::map<namespaced_name, entry> scalers;

    awaitable<void> request(std::shared_ptr<one> at) {
        const auto& how = at->of->how;
        const auto restarts = at->pod.restarts;
        const auto left = at->pod.ready_since + std::chrono::seconds(how.timeout_seconds) - env.wall_now();
        http::exchange_options bounds;
        bounds.deadline(std::clamp<duration>(left, 1s, 2min)).max_body(std::size_t{1} << 20).stop(at->stop.get_token());
        http::request what(how.method.str(), how.path.str());
        what.body = how.body.str();
        if (!what.body.empty()) what.headers.set("Content-Type", "application/json");
        result<http::response> answer = error(errc::unavailable);
        if (!at->engine) {
            http::endpoint to("http", at->pod.ip, static_cast<std::uint16_t>(how.port));
            auto made = connect(ex, to, http::tls_options());
            if (made) at->engine = std::move(*made);
            if (!made) answer = made.error();
        }
        const auto engine = at->engine;  // an observation may replace it meanwhile
        if (engine) answer = co_await engine->round_trip(std::move(what), std::move(bounds));
        const bool good = answer && answer->status >= 200 && answer->status < 300;
        std::string words = answer ? std::to_string(answer->status) : answer.error().message();
        if (answer && !good && !answer->body.empty()) words += " " + in_quotes(answer->body);
        at->state.answered(restarts, good, std::move(words), env.wall_now());
    }

    static std::string patch_of(const warm_pod& pod, warm_step step, const std::string& message, wall_time now) {
        json::writer out;
        out.begin_object();
        json::begin_object(out, "metadata");
        out.member("uid", pod.uid);  // of another pod of that name it is a conflict
        out.end_object();
        json::begin_object(out, "status");
        json::begin_array(out, "conditions");
        out.begin_object();
        out.member("type", warm_condition);
        out.member("status", step == warm_step::set_warm ? "True" : "False");
        out.member("reason", reason_of(step));
        out.member("message", message);
        out.member("lastTransitionTime", format_time(std::chrono::floor<std::chrono::seconds>(now)));
        out.end_object();
        out.end_array();
        out.end_object();
        out.end_object();
        return out.take();
    }

    awaitable<bool> carry_out(std::shared_ptr<one> at, warm_step step, std::string message) {
        const namespaced_name key(at->pod.namespace_, at->pod.name);
        if (step == warm_step::remove) {
            delete_options how;
            how.precondition_uid(at->pod.uid).ignore_not_found().stop(at->stop.get_token());
            const auto removed = co_await cluster->delete_<api::core::v1::pod>(key, how);
            co_return removed || removed.error() == api_errc::conflict;  // it is another pod
        }
        write_options how;
        how.subresource("status").stop(at->stop.get_token());
        auto text = patch_of(at->pod, step, message, env.wall_now());
        const auto written = co_await cluster->patch(resource_of<api::core::v1::pod>(), key, strategic_merge_patch_type,
                                                     std::move(text), how);
        co_return written.has_value();
    }

    // Until there is nothing to do without news.
    static awaitable<void> drive(std::shared_ptr<shared> self, std::shared_ptr<one> at) {
        while (!at->stop.stop_requested()) {
            const auto now = self->env.wall_now();
            const auto step = at->state.next(at->pod, at->of->how, at->of->ledger, now);
            if (step == warm_step::request) {
                co_await self->request(at);
            } else if (step != warm_step::nothing) {
                std::string message = at->state.message(step, at->pod, at->of->how, now);
                const bool well = co_await self->carry_out(at, step, message);
                at->state.done(step, well, at->pod, self->env.wall_now());
                if (well) self->tell(*at, step, std::move(message));
            } else if (at->state.wake_at() > now) {
                const auto until = self->env.now() + (at->state.wake_at() - now);
                co_await at->news.wait(self->env, at->stop.get_token(), until);
            } else {
                break;
            }
        }
        at->running = false;
        at->engine.reset();
    }

    void tell(const one& at, warm_step step, std::string message) {
        if (step == warm_step::remove || step == warm_step::set_restarted) return;
        const bool warm = step == warm_step::set_warm;
        if (warm) at.of->ledger.warmed(at.pod);
        told(at.of->name, warm_outcome{at.pod, warm, std::move(message), env.wall_now() - at.pod.ready_since});
    }
};

warmer::warmer(environment& env, executor ex, http::transport_factory connect, client cluster,
               std::function<void(const namespaced_name&, const warm_outcome&)> told)
    : shared_(std::make_shared<shared>(env, std::move(ex))) {
    shared_->connect = std::move(connect);
    shared_->cluster.emplace(std::move(cluster));
    shared_->told = std::move(told);
}

warmer::~warmer() {
    shared_->told = [](const namespaced_name&, const warm_outcome&) {};
    while (!shared_->scalers.empty()) forget(namespaced_name(shared_->scalers.begin()->first));
}

void warmer::observe(const namespaced_name& scaler, const warm_up_spec& how, const std::vector<warm_pod>& pods) {
    auto& known = shared_->scalers[scaler];
    known.of->name = scaler;
    known.of->how = how;
    auto before = std::exchange(known.pods, {});
    for (const auto& pod : pods) {
        auto& at = known.pods[pod.uid];
        const auto found = before.find(pod.uid);
        at = found == before.end() ? std::make_shared<shared::one>() : found->second;
        before.erase(pod.uid);
        at->of = known.of;
        if (at->pod.ip != pod.ip) at->engine.reset();
        at->pod = pod;
        known.of->ledger.observe(pod);
        at->news.notify_all();
        if (!std::exchange(at->running, true)) shared_->tasks.spawn(shared::drive(shared_, at));
    }
    for (auto& [uid, each] : before) each->stop.request_stop();
}

void warmer::forget(const namespaced_name& scaler) {
    observe(scaler, warm_up_spec(), {});
    shared_->scalers.erase(scaler);
}

bool warmer::failing(const namespaced_name& scaler, const std::string& template_hash) const {
    const auto found = shared_->scalers.find(scaler);
    return found != shared_->scalers.end() && found->second.of->ledger.failing(template_hash);
}

std::size_t warmer::running() const noexcept { return shared_->tasks.running(); }

}  // namespace inference_autoscaler
