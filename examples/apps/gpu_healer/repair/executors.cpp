#include "repair/executors.hpp"

#include <kcontrol/base/base64.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/condition.hpp>

#include "repair/words.hpp"

#include <algorithm>

namespace gpu_healer {
namespace {

using kcontrol::api_errc;
using kcontrol::awaitable;
using kcontrol::errc;
using kcontrol::result;
using kcontrol::api::batch::v1::job;
using state = step_outcome::state;

constexpr std::int32_t shortest_ttl = 3600;  // a Job is asked for by its name

step_outcome again_later(std::string words) { return step_outcome(state::running, std::move(words)); }

result<http::document_url> awx_url(const awx_step& step, const step_request& of, const std::string& path) {
    auto base = fill_url(step.url, of);
    while (base.ends_with('/')) base.pop_back();
    return http::parse_document_url(base + "/api/v2/" + path);
}

}  // namespace

step_executors::step_executors(kcontrol::client api, http::transport_factory connect, kcontrol::executor ex,
                               std::string work_namespace)
    : api_(std::move(api)), connect_(std::move(connect)), ex_(std::move(ex)), namespace_(std::move(work_namespace)) {}

awaitable<step_outcome> step_executors::begin(step_request what, std::stop_token stop) {
    step_outcome out(state::lost);
    if (what.step.webhook) out = co_await begin_webhook(what, stop);
    if (what.step.awx) out = co_await begin_awx(what, stop);
    if (what.step.job) out = co_await begin_job(what, stop);
    if (what.step.manual) {
        out.words = what.step.manual->message;
        out.reason = "Manual";
    }
    co_return out;
}

awaitable<step_outcome> step_executors::ask(step_request what, std::stop_token stop) {
    step_outcome out(state::lost);
    if (what.step.webhook) out = co_await ask_webhook(what, stop);
    if (what.step.awx) out = co_await ask_awx(what, stop);
    if (what.step.job) out = co_await ask_job(what, stop);
    if (what.step.manual) {
        out.words = what.step.manual->message;
        out.reason = "Manual";
    }
    co_return out;
}

awaitable<result<std::string>> step_executors::secret_of(secret_key which, std::stop_token stop) {
    kcontrol::get_options how;
    how.stop(std::move(stop));
    const kcontrol::namespaced_name key(namespace_, which.name);
    const std::string named = "Secret " + namespace_ + "/" + which.name.str();
    const auto found = co_await api_.live().get<kcontrol::api::core::v1::secret>(key, how);
    if (!found && found.error() == api_errc::not_found)
        co_return kcontrol::error(errc::invalid_argument, named + " is not there: create it");
    if (!found) co_return kcontrol::error(errc::unavailable, named + " can't be read");
    const auto* value = found->data.get(which.key.view());
    const auto bytes = value != nullptr ? kcontrol::decode_base64(value->view()) : std::nullopt;
    if (!bytes) co_return kcontrol::error(errc::invalid_argument, named + " has no key " + which.key.str());
    std::string out(bytes->begin(), bytes->end());
    while (out.ends_with('\n')) out.pop_back();  // as editors leave it
    co_return out;
}

awaitable<result<step_executors::credentials>> step_executors::credentials_of(repair_step step, std::stop_token stop) {
    credentials out;
    const auto& ca = step.webhook ? step.webhook->ca_from : step.awx->ca_from;
    if (ca) {
        auto pem = co_await secret_of(*ca, stop);
        if (!pem) co_return pem.error();
        out.tls.ca_pem(std::move(*pem));
    }
    if (step.awx) {
        const auto token = co_await secret_of(step.awx->token_from, stop);
        if (!token) co_return token.error();
        out.headers.set("Authorization", "Bearer " + *token);
    }
    if (step.webhook) {
        for (const secret_header& each : step.webhook->headers_from) {
            auto value = co_await secret_of(each.secret_key_ref, stop);
            if (!value) co_return value.error();
            out.headers.set(each.header.str(), std::move(*value));
        }
    }
    co_return out;
}

awaitable<result<http::response>> step_executors::exchange(http::document_url to, http::request what, credentials by,
                                                           std::stop_token stop) {
    auto made = connect_(ex_, to.endpoint, by.tls);
    if (!made) co_return kcontrol::error(errc::invalid_config, "the connection can't be made");
    what.target = to.target;
    for (const auto& [name, value] : by.headers) what.headers.set(name, value);
    http::exchange_options bounds;
    bounds.deadline(std::chrono::seconds(30)).max_body(std::size_t{4} << 20).stop(std::move(stop));
    const auto connection = *made;
    auto answer = co_await connection->round_trip(std::move(what), bounds);
    connection->close();
    co_return answer;
}

awaitable<step_outcome> step_executors::begin_webhook(step_request what, std::stop_token stop) {
    const webhook_step& step = *what.step.webhook;
    const auto to = http::parse_document_url(fill_url(step.url, what));
    if (!to) co_return step_outcome(state::failed, "url can't be used");
    auto by = co_await credentials_of(what.step, stop);
    if (!by) co_return step_outcome(state::absent, by.error().message());
    http::request asked(step.method.str(), "/");
    asked.headers.set("Idempotency-Key", what.token);
    asked.body = fill_json(step.body, what);
    if (!asked.body.empty()) asked.headers.set("Content-Type", "application/json");
    const auto answer = co_await exchange(*to, std::move(asked), std::move(*by), stop);
    const auto end = judge_launch(answer);
    if (end.is == launch::unsent) co_return step_outcome(state::absent, end.words);
    if (end.is == launch::refused) co_return step_outcome(state::failed, end.words);
    if (end.is == launch::taken) {
        const auto at = status_url(*answer, to->endpoint);
        if (!at) co_return step_outcome(state::succeeded, end.words);
        status_urls_.insert_or_assign(what.token, *at);
        co_return again_later(end.words);
    }
    const bool can_tell = !step.status_url.empty() || step.idempotent;
    if (can_tell) co_return again_later(end.words);
    co_return step_outcome(answer ? state::failed : state::lost, end.words);
}

awaitable<step_outcome> step_executors::ask_webhook(step_request what, std::stop_token stop) {
    const webhook_step& step = *what.step.webhook;
    const auto named = status_urls_.find(what.token);
    if (named == status_urls_.end() && step.status_url.empty()) {
        if (step.idempotent) co_return step_outcome(state::absent, "its answer is lost; it is sent again");
        co_return step_outcome(state::lost, "its answer is lost, and there is no statusURL to ask");
    }
    auto to = named != status_urls_.end() ? result<http::document_url>(named->second)
                                          : http::parse_document_url(fill_url(step.status_url, what));
    if (!to) co_return step_outcome(state::lost, "statusURL can't be used");
    auto by = co_await credentials_of(what.step, stop);
    if (!by) co_return again_later(by.error().message());
    http::request asked("GET", "/");
    asked.headers.set("Idempotency-Key", what.token);
    const auto answer = co_await exchange(std::move(*to), std::move(asked), std::move(*by), stop);
    auto out = judge_status(answer);
    if (out.is == state::succeeded || out.is == state::failed) status_urls_.erase(what.token);
    // What its own answer named is begun, whatever the server knows of it yet.
    if (out.is == state::absent && status_urls_.contains(what.token)) out = again_later(out.words);
    co_return out;
}

awaitable<step_outcome> step_executors::begin_awx(step_request what, std::stop_token stop) {
    const awx_step& step = *what.step.awx;
    const auto to = awx_url(step, what, "job_templates/" + std::to_string(step.job_template) + "/launch/");
    const auto variables = extra_vars(step, what);
    if (!to) co_return step_outcome(state::failed, "url can't be used");
    if (!variables) co_return step_outcome(state::failed, variables.error().message());
    auto by = co_await credentials_of(what.step, stop);
    if (!by) co_return step_outcome(state::absent, by.error().message());
    http::request asked("POST", "/");
    asked.headers.set("Content-Type", "application/json");
    asked.headers.set("Idempotency-Key", what.token);
    asked.body = R"({"extra_vars":)" + *variables + "}";
    const auto answer = co_await exchange(*to, std::move(asked), std::move(*by), stop);
    const auto end = judge_launch(answer);
    if (end.is == launch::unsent) co_return step_outcome(state::absent, end.words);
    if (end.is == launch::refused) co_return step_outcome(state::failed, end.words);
    if (end.is == launch::doubtful) co_return again_later(end.words);
    const auto number = launched_job(*answer);
    if (!number && number.error() == errc::invalid_argument)
        co_return step_outcome(state::failed, number.error().message());
    if (number) awx_jobs_.insert_or_assign(what.token, *number);
    co_return again_later(end.words);
}

awaitable<step_outcome> step_executors::ask_awx(step_request what, std::stop_token stop) {
    const awx_step& step = *what.step.awx;
    const auto known = awx_jobs_.find(what.token);
    const bool is_known = known != awx_jobs_.end();
    const auto path = is_known
                          ? "jobs/" + std::to_string(known->second) + "/"
                          : "jobs/?job_template=" + std::to_string(step.job_template) + "&order_by=-id&page_size=50";
    auto to = awx_url(step, what, path);
    if (!to) co_return step_outcome(state::failed, "url can't be used");
    auto by = co_await credentials_of(what.step, stop);
    if (!by) co_return again_later(by.error().message());
    http::request asked("GET", "/");
    const auto answer = co_await exchange(std::move(*to), std::move(asked), std::move(*by), stop);
    auto out = is_known ? judge_awx_job(answer) : find_awx_job(answer, what.token);
    if (out.is == state::succeeded || out.is == state::failed) awx_jobs_.erase(what.token);
    co_return out;
}

std::string job_name(std::string_view token) {
    std::string out = "repair-";
    for (const char c : token.substr(0, 56)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const bool upper = c >= 'A' && c <= 'Z';
        out += plain ? c : upper ? static_cast<char>(c - 'A' + 'a') : '-';
    }
    while (out.ends_with('-')) out.pop_back();
    return out;
}

result<job> make_job(const step_request& of, const std::string& work_namespace) {
    const auto read = kcontrol::from_json<kcontrol::api::batch::v1::job_template_spec>(of.step.job->template_.text());
    if (!read) return kcontrol::error(errc::invalid_argument, "template is no JobTemplateSpec of batch/v1");
    job out;
    out.metadata.name = job_name(of.token);
    out.metadata.namespace_ = work_namespace;
    out.metadata.labels = read->metadata.labels;
    out.metadata.annotations = read->metadata.annotations;
    out.spec = read->spec;
    if (!out.spec.backoff_limit) out.spec.backoff_limit = 0;
    out.spec.ttl_seconds_after_finished =
        std::max(out.spec.ttl_seconds_after_finished.value_or(24 * shortest_ttl), shortest_ttl);
    auto& pod = out.spec.template_.spec;
    if (pod.restart_policy.empty()) pod.restart_policy = "Never";
    pod.node_name = of.node;
    pod.tolerations.emplace_back().operator_ = "Exists";
    return out;
}

step_outcome judge_job(const job& of) {
    if (kcontrol::is_true(of.status.conditions, "Complete"))
        return step_outcome(state::succeeded, "its Job is complete");
    if (const auto* failed = kcontrol::find_condition(of.status.conditions, "Failed");
        failed != nullptr && failed->status == "True") {
        return step_outcome(state::failed, "its Job failed: " + failed->reason.str());
    }
    return again_later("its Job runs");
}

awaitable<step_outcome> step_executors::begin_job(step_request what, std::stop_token stop) {
    const auto wanted = make_job(what, namespace_);
    if (!wanted) co_return step_outcome(state::failed, wanted.error().message());
    kcontrol::write_options how;
    how.field_manager("gpu-healer").stop(std::move(stop));
    const auto made = co_await api_.create(*wanted, how);
    if (made || made.error() == api_errc::already_exists) co_return again_later("its Job is created");
    const bool refused = made.error() == api_errc::invalid || made.error() == api_errc::forbidden ||
                         made.error() == api_errc::not_found || made.error() == api_errc::bad_request;
    if (refused) co_return step_outcome(state::failed, "the API server refuses its Job");
    co_return again_later("whether its Job is created is not known");
}

awaitable<step_outcome> step_executors::ask_job(step_request what, std::stop_token stop) {
    kcontrol::get_options how;
    how.stop(std::move(stop));
    const kcontrol::namespaced_name key(namespace_, job_name(what.token));
    const auto found = co_await api_.live().get<job>(key, how);
    if (!found && found.error() == api_errc::not_found) co_return step_outcome(state::absent, "its Job is not there");
    if (!found) co_return again_later("its Job can't be read");
    co_return judge_job(*found);
}

}  // namespace gpu_healer
