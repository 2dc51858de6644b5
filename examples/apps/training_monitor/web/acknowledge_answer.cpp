#include "web/acknowledge_answer.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/serve/responses.hpp>

#include "jobs/kind_names.hpp"
#include "table/job_query.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using kcontrol::result;

constexpr std::size_t longest_name = 100, longest_note = 500;
constexpr std::string_view acknowledgement_path = "/api/v1/acknowledgements/{cluster}/{namespace}/{kind}/{name}";

kcontrol::error bad_body(std::string text) {
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(text));
}

result<std::string> text_member(kcontrol::json::node body, std::string_view name, std::size_t longest) {
    const auto value = body[name];
    if (value.is_null()) return std::string();
    if (!value.is_string()) return bad_body(std::string(name) + ": a text is expected");
    const std::string_view text = value.as_string();
    const bool clean = std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
    if (text.size() > longest || !clean) {
        return bad_body(std::string(name) + ": one line of at most " + std::to_string(longest) + " bytes is expected");
    }
    return std::string(text);
}

// Who, and the note.
result<std::pair<std::string, std::string>> read_body(const http::routed_request& asked) {
    kcontrol::json::document document;
    const auto body = document.parse(asked.body);
    if (!body || !body->is_object()) return bad_body(R"(the body must be {"by": WHO, "note": TEXT})");
    auto by = text_member(*body, "by", longest_name);
    if (!by) return by.error();
    auto note = text_member(*body, "note", longest_note);
    if (!note) return note.error();
    if (!asked.client_subject.empty()) *by = asked.client_subject;
    if (by->empty()) return bad_body("by: it is missing; say who takes care of the job");
    return std::pair(std::move(*by), std::move(*note));
}

http::response no_content() {
    http::response out(204);
    http::protect(out.headers);
    return out;
}

const job_record* job_of(const http::routed_request& asked, const history& past) {
    const auto kind = find_kind(asked.parameter("kind"));
    return kind.empty()
               ? nullptr
               : past.find(asked.parameter("cluster"), asked.parameter("namespace"), kind, asked.parameter("name"));
}

http::response unknown_job(const http::routed_request& asked) {
    return http::error_response(404, "no such job is known: " + kcontrol::escape_control(asked.path()));
}

http::response put_answer(const http::routed_request& asked, const history& past, acknowledgements& care,
                          kcontrol::wall_time now, const idle_question& idle_since) {
    if (!std::string_view(asked.headers.get("Content-Type")).starts_with("application/json")) {
        return http::error_response(415, "Content-Type must be application/json");
    }
    const auto said = read_body(asked);
    if (!said) return http::error_response(400, said.error().message());
    const auto* job = job_of(asked, past);
    if (!job) return unknown_job(asked);
    const auto of = need_of(*job, now, idle_since ? idle_since(*job->view) : std::nullopt);
    if (!of) return http::error_response(404, "the job needs nobody at present");
    acknowledgement one;
    one.cluster = job->view->cluster;
    one.namespace_ = job->view->namespace_;
    one.kind = job->view->kind;
    one.name = job->view->name;
    one.uid = job->view->uid;
    one.concern = to_string(of->what);
    one.by = said->first;
    one.note = said->second;
    one.at = now;
    care.put(std::move(one));
    return no_content();
}

http::response delete_answer(const http::routed_request& asked, const history& past, acknowledgements& care) {
    const auto* job = job_of(asked, past);
    if (!job) return unknown_job(asked);
    return care.remove(job->id()) ? no_content() : http::error_response(404, "nobody takes care of the job");
}

}  // namespace

void add_acknowledge_routes(http::router& to, const history& past, acknowledgements& care,
                            std::function<kcontrol::wall_time()> now, idle_question idle_since) {
    to.add("PUT", acknowledgement_path,
           [&past, &care, now = std::move(now), idle_since = std::move(idle_since)](const http::routed_request& asked) {
               if (const auto checked = expect_no_query(asked.query()); !checked) {
                   return http::error_response(400, checked.error().message());
               }
               return put_answer(asked, past, care, now(), idle_since);
           });
    to.add("DELETE", acknowledgement_path, [&past, &care](const http::routed_request& asked) {
        if (const auto checked = expect_no_query(asked.query()); !checked) {
            return http::error_response(400, checked.error().message());
        }
        return delete_answer(asked, past, care);
    });
}

}  // namespace training_monitor
