#include "web/log_answer.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>

#include "flag_values.hpp"
#include "pods/log_tail.hpp"
#include "table/job_query.hpp"
#include "web/compressed.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;

constexpr int most_at_once = 4;

struct log_question {
    std::string cluster;
    kcontrol::namespaced_name pod;
    std::string container;
    bool previous = false;
    std::int64_t lines = usual_log_lines;
};

// Which container of which pod, or the answer that says why none.
std::optional<http::response> understand(const http::routed_request& asked, monitor& of, log_question& out) {
    std::string pod;
    for (const auto& [name, value] : http::parse_query(asked.query())) {
        if (name == "pod") {
            pod = value;
        } else if (name == "container") {
            out.container = value;
        } else if (name == "previous" && (value == "true" || value == "false")) {
            out.previous = value == "true";
        } else if (const auto lines = number_in(value, std::int64_t{1}, most_log_lines); name == "lines" && lines) {
            out.lines = *lines;
        } else {
            return http::error_response(400, "unknown parameter or value: " + kcontrol::in_quotes(name) +
                                                 "; allowed: pod, container, previous=true, lines=1 to 1000");
        }
    }
    const job_ref ref{std::string(asked.parameter("cluster")), std::string(asked.parameter("namespace")),
                      std::string(find_kind(asked.parameter("kind"))), std::string(asked.parameter("name"))};
    const auto job = of.table().find(ref.cluster, ref.namespace_, ref.kind, ref.name);
    if (!job) return http::error_response(404, "no such job is there: " + kcontrol::escape_control(asked.path()));
    const job_evidence known = of.knowledge().evidence(ref);
    if (pod.empty()) {
        const job_cause cause = find_cause(*job, known);
        pod = cause.pod;
        if (out.container.empty()) out.container = cause.container;
    }
    const auto found =
        std::find_if(known.pods.begin(), known.pods.end(), [&](const pod_row& row) { return row.name == pod; });
    if (found == known.pods.end() || !is_of(*job, *found)) {
        return http::error_response(404, pod.empty() ? "no pod of the job failed: name one, pod=POD"
                                                     : "the job has no pod " + kcontrol::escape_control(pod));
    }
    // What failed and was started again said why before that.
    if (found->failed && found->failed->earlier && asked.query().find("previous=") == std::string_view::npos) {
        out.previous = true;
    }
    if (out.container.empty() && found->failed) out.container = found->failed->container;
    out.cluster = ref.cluster;
    out.pod = {ref.namespace_, pod};
    return std::nullopt;
}

http::response answer(const log_question& asked, const kcontrol::result<log_tail>& read) {
    if (!read) {
        if (read.error().code() == kcontrol::api_errc::forbidden) {
            return http::error_response(403, "the monitor may not read logs there: it needs the right get pods/log");
        }
        const bool gone = read.error().code() == kcontrol::api_errc::not_found;
        return http::error_response(gone ? 404 : 502, kcontrol::escape_control(read.error().message()));
    }
    kcontrol::json::writer out;
    out.begin_object();
    out.member("pod", asked.pod.name);
    out.member("container", asked.container);
    out.member("previous", asked.previous);
    out.member("cut", read->cut);
    begin_array(out, "lines");
    for (const auto& line : read->lines) out.value(kcontrol::escape_control(line));
    out.end_array();
    out.end_object();
    auto whole = http::json_response(200, out.take() + "\n");
    keep_as_it_is(whole);
    return whole;
}

kcontrol::awaitable<void> serve(http::routed_request asked, http::responder& to, monitor& of,
                                std::shared_ptr<int> running) {
    log_question question;
    if (const auto refused = understand(asked, of, question)) {
        const auto sent = co_await to.send(*refused);
        static_cast<void>(sent);
        co_return;
    }
    auto from = of.knowledge().client_of(question.cluster);
    if (!from || *running >= most_at_once) {
        auto refused = from ? http::error_response(429, "four logs are being read already: try again")
                            : http::error_response(503, "the cluster is not there at present");
        const auto sent = co_await to.send(std::move(refused));
        static_cast<void>(sent);
        co_return;
    }
    const auto count = std::shared_ptr<void>(nullptr, [running](void*) { --*running; });
    ++*running;
    auto reading = read_log_tail(std::move(*from), question.pod, question.container, question.previous,
                                 to.disconnected(), question.lines);
    const auto read =
        co_await boost::asio::co_spawn(of.clusters_executor(), std::move(reading), boost::asio::use_awaitable);
    auto whole = answer(question, read);
    const auto sent = co_await to.send(std::move(whole));
    static_cast<void>(sent);
}

}  // namespace

void add_log_route(http::router& to, monitor& of) {
    const auto running = std::make_shared<int>(0);
    to.stream("GET", "/api/v1/jobs/{cluster}/{namespace}/{kind}/{name}/logs",
              [&of, running](http::routed_request asked, http::responder& out) {
                  return serve(std::move(asked), out, of, running);
              });
}

}  // namespace training_monitor
