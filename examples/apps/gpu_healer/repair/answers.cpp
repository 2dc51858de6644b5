#include "repair/answers.hpp"

#include <kcontrol/documents/value.hpp>

namespace gpu_healer {
namespace {

using kcontrol::errc;
using kcontrol::result;
using kcontrol::http::response;
namespace json = kcontrol::json;
using state = step_outcome::state;

// Only what is known to be harmless: an error's own text may have the URL.
std::string words_of(const kcontrol::error& why) {
    if (why == errc::timeout) return "no answer in time";
    if (why == errc::connection_refused) return "connection refused";
    if (why == errc::name_not_found) return "the host name can't be resolved";
    if (why == errc::tls_failed) return "TLS failed: the certificate is not trusted or not for this host; see caFrom";
    if (why == errc::too_large) return "the answer is too large";
    if (why == errc::protocol_error) return "the answer is not HTTP";
    if (why == errc::invalid_argument || why == errc::invalid_config) return "its address or settings can't be used";
    return "the connection broke before the answer was complete";
}

std::string words_of(const response& answer) {
    const auto text = "HTTP " + std::to_string(answer.status);
    const bool moved = answer.status >= 300 && answer.status < 400;
    return moved ? text + ": redirects are not followed; name the final URL" : text;
}

step_outcome ask_again(std::string words) { return step_outcome(state::running, std::move(words)); }

result<json::value> object_of(const result<response>& answer) {
    if (!answer) return kcontrol::error(errc::decode_failed, words_of(answer.error()));
    if (answer->status != 200) return kcontrol::error(errc::decode_failed, words_of(*answer));
    auto read = json::parse(answer->body);
    if (!read || !read->is_object()) return kcontrol::error(errc::decode_failed, "the answer is no JSON object");
    return std::move(*read);
}

step_outcome of_awx_status(const json::value& job) {
    const auto status = std::string(json::get_string(job, {"status"}));
    if (status == "successful") return step_outcome(state::succeeded, "AWX says successful");
    for (const char* bad : {"failed", "error", "canceled"}) {
        if (status == bad) return step_outcome(state::failed, "AWX says " + status);
    }
    for (const char* going : {"new", "pending", "waiting", "running"}) {
        if (status == going) return ask_again("AWX says " + status);
    }
    return ask_again("AWX says no status that is known");
}

// AWX has them as text, in JSON or as YAML that somebody wrote; launches of ours are JSON.
bool has_token(const json::value& job, std::string_view token) {
    const auto read = json::parse(json::get_string(job, {"extra_vars"}));
    return read && json::get_string(*read, {"kcontrol_token"}) == token;
}

}  // namespace

launch_end judge_launch(const result<response>& answer) {
    if (!answer) {
        const auto& why = answer.error();
        const auto words = words_of(why);
        if (why == errc::connection_refused || why == errc::name_not_found) return {launch::unsent, words};
        const bool never = why == errc::tls_failed || why == errc::invalid_argument || why == errc::invalid_config;
        return {never ? launch::refused : launch::doubtful, words};
    }
    const auto words = words_of(*answer);
    if (answer->status >= 200 && answer->status < 300) return {launch::taken, words};
    if (answer->status == 429) return {launch::unsent, words};
    const bool doubtful = answer->status >= 500 || answer->status == 408 || answer->status == 409;
    return {doubtful ? launch::doubtful : launch::refused, words};
}

std::optional<kcontrol::http::document_url> status_url(const response& answer, const kcontrol::http::endpoint& server) {
    const auto read = json::parse(answer.body);
    if (!read || !read->is_object()) return std::nullopt;
    const auto named = kcontrol::http::parse_document_url(json::get_string(*read, {"statusURL"}));
    if (!named || !(named->endpoint == server)) return std::nullopt;
    return *named;
}

step_outcome judge_status(const result<response>& answer) {
    if (answer && answer->status == 404) return step_outcome(state::absent, "its server has not begun it");
    const auto read = object_of(answer);
    if (!read) return ask_again(read.error().message());
    const auto is = json::get_string(*read, {"state"});
    if (is == "successful") return step_outcome(state::succeeded, "its server says successful");
    if (is == "failed") return step_outcome(state::failed, "its server says failed");
    return ask_again(is == "running" ? "its server says running" : "its server says no state that is known");
}

result<std::int64_t> launched_job(const response& answer) {
    const auto read = json::parse(answer.body);
    if (!read || !read->is_object()) return kcontrol::error(errc::decode_failed, "the answer is no JSON object");
    const auto* ignored = json::find(*read, {"ignored_fields", "extra_vars"});
    if (ignored != nullptr && !(ignored->is_object() && ignored->get_object().empty())) {
        return kcontrol::error(errc::invalid_argument,
                               "AWX ignores extra_vars: let the template ask for variables on launch");
    }
    const auto* id = json::find(*read, {"id"});
    if (id == nullptr || !id->is_int64()) return kcontrol::error(errc::decode_failed, "the answer names no job");
    return id->get_int64();
}

step_outcome judge_awx_job(const result<response>& answer) {
    if (answer && answer->status == 404) return step_outcome(state::failed, "AWX has deleted its job");
    const auto read = object_of(answer);
    return read ? of_awx_status(*read) : ask_again(read.error().message());
}

step_outcome find_awx_job(const result<response>& answer, std::string_view token) {
    const auto read = object_of(answer);
    if (!read) return ask_again(read.error().message());
    const auto* jobs = json::find(*read, {"results"});
    if (jobs == nullptr || !jobs->is_array()) return ask_again("the answer has no list of jobs");
    for (const auto& job : jobs->get_array()) {
        if (has_token(job, token)) return of_awx_status(job);
    }
    return step_outcome(state::absent, "AWX has no job with its token");
}

}  // namespace gpu_healer
