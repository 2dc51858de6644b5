#include "push/pusher.hpp"

#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

#include "push/influx_lines.hpp"

#include <chrono>
#include <utility>

namespace gpu_labeler {
namespace {

constexpr auto patience = std::chrono::seconds(10);
constexpr std::size_t largest_file = std::size_t{64} << 10;

kcontrol::backoff_policy retries() {
    return kcontrol::backoff_policy().initial(std::chrono::seconds(1)).cap(std::chrono::minutes(1)).jitter(0.5);
}

// The value of the header, without a line break at its end.
kcontrol::result<kcontrol::secret_string> read_authorization(kcontrol::environment& env, const std::string& path) {
    auto text = env.read_file(path, largest_file);
    if (!text) return text.error().with_context("--push-authorization-file");
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r' || text->back() == ' ')) text->pop_back();
    const bool printable = text->find_first_of(std::string_view("\r\n\0", 3)) == text->npos;
    if (text->empty() || !printable) {
        return kcontrol::error(kcontrol::errc::invalid_config,
                               "--push-authorization-file: " + path + " must hold one line, such as: Token SECRET");
    }
    return kcontrol::secret_string(std::move(*text));
}

// What an answer means, and what to do about it. Nothing of its body: it may repeat what was sent.
std::string describe_answer(int status) {
    const std::string answers = "it answers " + std::to_string(status);
    switch (status) {
    case 401:
    case 403: return answers + "; is the login in --push-authorization-file right?";
    case 404: return answers + "; are path, organisation and bucket or database in --push-url right?";
    default: return answers;
    }
}

// Of these nothing becomes better by another try.
bool is_about_the_data(int status) { return status == 400 || status == 413 || status == 415 || status == 422; }

}  // namespace

pusher::pusher(kcontrol::environment& env, kcontrol::executor ex, push_options to, std::string host,
               kcontrol::http::transport_factory transport, kcontrol::logger log)
    : env_(env),
      ex_(std::move(ex)),
      to_(std::move(to)),
      host_(std::move(host)),
      factory_(std::move(transport)),
      log_(std::move(log)),
      backoff_(retries()) {}

void pusher::take(const node_sample& sample) {
    if (sample.time == kcontrol::wall_time{}) return;
    queue_.add(influx_lines(sample, host_));
    happened_.notify_all();
}

kcontrol::awaitable<void> pusher::run(std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (queue_.empty()) {
            co_await happened_.wait(env_, stop);
            continue;
        }
        const auto came = co_await push(stop);
        if (came != outcome::failed) {
            queue_.done(came == outcome::taken);
            backoff_.reset();
            continue;
        }
        if (stop.stop_requested()) co_return;
        ++failures_;
        const auto pause = backoff_.next(env_.now(), kcontrol::random_unit(env_));
        co_await kcontrol::sleep_for(env_, pause, stop);
    }
}

kcontrol::result<void> pusher::connect() {
    if (transport_) return {};
    kcontrol::http::tls_options tls;
    if (!to_.ca_file().empty()) {
        auto ca = env_.read_file(to_.ca_file(), std::size_t{1} << 20);
        if (!ca) return ca.error().with_context("--push-ca-file");
        tls.ca_pem(std::move(*ca));
    }
    auto made = factory_(ex_, to_.target().server(), tls);
    if (!made) return made.error();
    transport_ = std::move(*made);
    return {};
}

kcontrol::awaitable<pusher::outcome> pusher::push(std::stop_token stop) {
    const auto connected = connect();
    if (!connected) {
        tell_failure(connected.error().message());
        co_return outcome::failed;
    }
    kcontrol::http::request request("POST", to_.target().target());
    if (!to_.authorization_file().empty()) {
        const auto login = read_authorization(env_, to_.authorization_file());
        if (!login) {
            tell_failure(login.error().message());
            co_return outcome::failed;
        }
        request.headers.set("Authorization", std::string(login->reveal()));
    }
    request.headers.set("Content-Type", "text/plain; charset=utf-8");
    request.body = queue_.batch();
    kcontrol::http::exchange_options options;
    options.deadline(patience).max_body(std::size_t{64} << 10).stop(std::move(stop));
    const auto answer = co_await transport_->round_trip(std::move(request), options);
    if (!answer) {
        if (answer.error() == kcontrol::errc::stopped) co_return outcome::failed;
        transport_.reset();  // with what its files hold then
        tell_failure(answer.error().message());
        co_return outcome::failed;
    }
    if (answer->status >= 200 && answer->status < 300) {
        tell_success();
        co_return outcome::taken;
    }
    tell_failure(describe_answer(answer->status));
    co_return is_about_the_data(answer->status) ? outcome::refused : outcome::failed;
}

void pusher::tell_failure(std::string why) {
    if (complaint_.empty()) {
        dropped_before_ = queue_.dropped();
        log_.error("what the GPUs measure can't be pushed",
                   {{"to", kcontrol::http::to_string(to_.target().server())}, {"error", why}});
    }
    complaint_ = std::move(why);
}

void pusher::tell_success() {
    if (complaint_.empty()) return;
    complaint_.clear();
    log_.info("what the GPUs measure is pushed again",
              {{"to", kcontrol::http::to_string(to_.target().server())},
               {"dropped", std::to_string(queue_.dropped() - dropped_before_)}});
}

std::string pusher::metrics() const {
    kcontrol::metrics_registry registry;
    registry.collect([this](kcontrol::metrics_writer& out) {
        const std::string samples = "gpu_labeler_pushed_samples_total";
        const std::string help = "Samples of the node's GPUs, by what became of them.";
        out.counter(samples, help, {{"outcome", "taken"}}, static_cast<double>(queue_.taken()));
        out.counter(samples, help, {{"outcome", "dropped"}}, static_cast<double>(queue_.dropped()));
        out.counter("gpu_labeler_push_failures_total", "Tries to push that failed.", {},
                    static_cast<double>(failures_));
        out.gauge("gpu_labeler_push_waiting_bytes", "What waits to be pushed; 1 MiB at most.", {},
                  static_cast<double>(queue_.bytes()));
    });
    return registry.text();
}

}  // namespace gpu_labeler
