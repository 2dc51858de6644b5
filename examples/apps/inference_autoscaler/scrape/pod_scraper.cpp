#include "scrape/pod_scraper.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/runtime/task_group.hpp>

namespace inference_autoscaler {

namespace http = kcontrol::http;

struct pod_scraper::look_state {
    pods_source where;
    std::set<std::string, std::less<>> wanted;
    std::stop_token stop;
    pods_said out;
};

namespace {

constexpr std::size_t most_at_once = 64;

kcontrol::result<metrics_text> read_answer(const kcontrol::result<http::response>& answer,
                                           const std::set<std::string, std::less<>>& wanted) {
    if (!answer) return answer.error();
    if (answer->status == 200) return read_metrics(answer->body, wanted);
    return kcontrol::error(kcontrol::errc::protocol_error, "it answered " + std::to_string(answer->status));
}

}  // namespace

pod_scraper::pod_scraper(kcontrol::environment& env, kcontrol::executor ex, http::transport_factory connect)
    : env_(env), ex_(std::move(ex)), connect_(std::move(connect)) {}

kcontrol::awaitable<void> pod_scraper::ask(std::shared_ptr<look_state> at, pod_address pod) {
    while (running_ >= most_at_once && !at->stop.stop_requested()) co_await freed_.wait(env_, at->stop);
    ++running_;
    http::endpoint to("http", pod.ip, static_cast<std::uint16_t>(at->where.port));
    const auto made = connect_(ex_, to, http::tls_options());
    kcontrol::result<http::response> answer = made ? kcontrol::error(kcontrol::errc::unavailable) : made.error();
    if (made) {
        http::request what("GET", at->where.path.str());
        what.headers.set("Accept", "text/plain;version=0.0.4");
        http::exchange_options bounds;
        bounds.deadline(std::chrono::seconds(2)).max_body(std::size_t{1} << 20).stop(at->stop);
        answer = co_await (*made)->round_trip(std::move(what), std::move(bounds));
    }
    --running_;
    freed_.notify_one();
    auto said = read_answer(answer, at->wanted);
    if (said) {
        if (at->out.names.size() < said->names.size()) at->out.names = std::move(said->names);
        at->out.pods[pod.name] = std::move(said->samples);
        co_return;
    }
    if (at->out.silent.empty()) {
        const bool refused = answer && answer->status != 200, large = said.error() == kcontrol::errc::too_large;
        at->out.why.reason = refused ? missing_reason::refused
                             : large ? missing_reason::too_large
                                     : missing_reason::no_answer;
        at->out.why.words = "pod " + pod.name + ": " + said.error().message();
    }
    at->out.silent.push_back(std::move(pod.name));
}

kcontrol::awaitable<pods_said> pod_scraper::look(pods_source where, std::vector<pod_address> pods,
                                                 std::set<std::string, std::less<>> wanted, std::stop_token stop) {
    const auto state = std::make_shared<look_state>();
    state->where = std::move(where);
    state->wanted = std::move(wanted);
    state->stop = std::move(stop);
    state->out.at = env_.now();
    kcontrol::task_group tasks(env_, ex_);
    for (auto& each : pods) tasks.spawn(ask(state, std::move(each)));
    co_await tasks.join();
    co_return std::move(state->out);
}

}  // namespace inference_autoscaler
