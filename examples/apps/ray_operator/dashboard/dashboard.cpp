#include "dashboard/dashboard.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/fetch.hpp>

namespace ray_operator {
namespace {

constexpr duration deadline = std::chrono::seconds(2);
constexpr std::size_t most = std::size_t{1} << 20;

http::exchange_options bounds(std::stop_token stop) {
    http::exchange_options out;
    out.deadline(deadline).max_body(most).stop(std::move(stop));
    return out;
}

error unexpected(const http::response& answer) {
    return error(errc::protocol_error, "the dashboard answered with status " + std::to_string(answer.status) + ": " +
                                           answer.body.substr(0, 200));
}

// Milliseconds, where they are plausible: up to the year 9999.
std::optional<wall_time> time_of(const json::value& in, std::string_view name) {
    const auto* found = json::find(in, {name});
    if (found == nullptr || !found->is_number()) return std::nullopt;
    const double ms = found->to_number<double>();
    if (!(ms > 0) || ms > 253402300799000.0) return std::nullopt;
    return wall_time(std::chrono::milliseconds(static_cast<std::int64_t>(ms)));
}

result<job_answer> read_answer(const http::response& from, const std::string& id) {
    job_answer out;
    if (from.status == 404) return out;
    if (from.status != 200) return unexpected(from);
    const auto read = json::parse(from.body);
    const std::string status(read ? json::get_string(*read, {"status"}) : std::string_view());
    if (!read || !read->is_object() || status.empty())
        return error(errc::protocol_error, "the dashboard's answer is no job: " + from.body.substr(0, 200));
    const std::string_view whose = json::get_string(*read, {"submission_id"});
    if (!whose.empty() && whose != id)
        return error(errc::protocol_error, "the dashboard answered about the job " + std::string(whose));
    out.found = true;
    out.status = status;
    out.message = json::get_string(*read, {"message"}).substr(0, 4096);
    out.started = time_of(*read, "start_time");
    out.ended = time_of(*read, "end_time");
    return out;
}

awaitable<result<http::response>> send_directly(std::shared_ptr<http::transport> over, http::request what,
                                                std::stop_token stop) {
    auto answer = co_await over->round_trip(std::move(what), bounds(std::move(stop)));
    co_return answer;
}
awaitable<result<http::response>> send_proxied(client through, http::request what, std::stop_token stop) {
    auto answer = co_await through.raw(std::move(what), bounds(std::move(stop)));
    // Beyond 2xx the client returns an error. One with a reason is the API server's own, such as that there is no such
    // Service; without one it is what the dashboard has said.
    const api_status* said = answer ? nullptr : answer.error().status();
    if (said == nullptr || !said->reason.empty()) co_return answer;
    co_return http::response(said->code, "text/plain", said->message);
}

http::request request_of(std::string method, std::string path, std::string body = {}) {
    http::request out(std::move(method), std::move(path));
    if (out.method == "POST") out.headers.set("Content-Type", "application/json");
    out.body = std::move(body);
    return out;
}

}  // namespace

dashboard_exchange direct_exchange(http::transport_factory connect, executor ex, std::string address) {
    const auto url = http::parse_document_url("http://" + address);
    result<std::shared_ptr<http::transport>> made = error(errc::invalid_argument, "no dashboard at " + address);
    if (url) made = connect(ex, url->endpoint, http::tls_options());
    return [made](http::request what, std::stop_token stop) {
        if (!made) return make_ready<result<http::response>>(made.error());
        return send_directly(*made, std::move(what), std::move(stop));
    };
}

dashboard_exchange proxied_exchange(client through, std::string ns, std::string service) {
    const std::string prefix = "/api/v1/namespaces/" + ns + "/services/" + service + ":dashboard/proxy";
    return [through, prefix](http::request what, std::stop_token stop) {
        what.target.insert(0, prefix);
        return send_proxied(through, std::move(what), std::move(stop));
    };
}

awaitable<result<job_answer>> get_job(dashboard_exchange to, std::string id, std::stop_token stop) {
    auto what = request_of("GET", "/api/jobs/" + id);
    const auto answer = co_await to(std::move(what), std::move(stop));
    if (!answer) co_return answer.error();
    co_return read_answer(*answer, id);
}

awaitable<result<void>> submit_job(dashboard_exchange to, std::string body, std::stop_token stop) {
    auto what = request_of("POST", "/api/jobs/", std::move(body));
    const auto answer = co_await to(std::move(what), std::move(stop));
    if (!answer) co_return answer.error();
    const bool is_used =
        answer->status == 500 && answer->body.find("use a different submission_id") != std::string::npos;
    const bool is_taken = answer->status >= 200 && answer->status < 300;
    if (!is_used && !is_taken) co_return unexpected(*answer);
    co_return result<void>();
}

awaitable<result<void>> stop_job(dashboard_exchange to, std::string id, std::stop_token stop) {
    auto what = request_of("POST", "/api/jobs/" + id + "/stop");
    const auto answer = co_await to(std::move(what), std::move(stop));
    if (!answer) co_return answer.error();
    if (answer->status >= 300) co_return unexpected(*answer);
    co_return result<void>();
}

}  // namespace ray_operator
