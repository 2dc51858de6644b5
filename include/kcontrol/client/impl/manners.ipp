#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/manners.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/version.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

namespace kcontrol::inline v0_1::detail {

inline void skip_blanks(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// The content of a quoted string at the beginning of `text`, which is moved behind it.
inline std::optional<std::string> take_quoted(std::string_view& text) {
    if (!text.starts_with('"')) return std::nullopt;
    std::string out;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') {
            text.remove_prefix(i + 1);
            return out;
        }
        if (text[i] == '\\' && ++i == text.size()) break;
        out += text[i];
    }
    return std::nullopt;
}

// One warning at the beginning of `text`: code, agent, quoted text and perhaps a quoted date. Nothing if it is none;
// the end of what can't be read is unknown, so the rest of the field is lost with it.
inline std::optional<std::string> take_warning(std::string_view& text, bool& is_299) {
    skip_blanks(text);
    if (text.size() < 4 || text[3] != ' ') return std::nullopt;
    const std::string_view code = text.substr(0, 3);
    if (!std::all_of(code.begin(), code.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
    is_299 = code == "299";
    text.remove_prefix(4);
    const auto agent_end = text.find(' ');
    if (agent_end == 0 || agent_end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(agent_end + 1);
    auto said = take_quoted(text);
    if (!said) return std::nullopt;
    skip_blanks(text);
    if (text.starts_with('"') && !take_quoted(text)) return std::nullopt;
    skip_blanks(text);
    if (!text.empty() && text.front() != ',') return std::nullopt;
    if (!text.empty()) text.remove_prefix(1);
    return said;
}

KCONTROL_DECL std::vector<std::string> warnings_of(const http::fields& headers) {
    constexpr std::size_t most = 32;
    std::vector<std::string> out;
    for (const auto& field : headers) {
        if (!iequals(field.name, "Warning")) continue;
        for (std::string_view rest = field.value; !rest.empty() && out.size() < most;) {
            bool is_299 = false;
            const auto said = take_warning(rest, is_299);
            if (!said) break;
            if (is_299) out.push_back(server_text(*said));
        }
    }
    return out;
}

inline std::optional<burst_limit> pace_of(const client_options& options) {
    if (!(options.rate() > 0) || !std::isfinite(options.rate())) return std::nullopt;
    constexpr double longest = 3600;  // so that no product of the two is beyond what a duration holds
    const std::chrono::duration<double> period(std::min(1 / options.rate(), longest));
    return burst_limit(std::clamp<std::uint32_t>(options.burst(), 1, 1'000'000),
                       std::chrono::duration_cast<duration>(period));
}

KCONTROL_DECL client_manners::client_manners(environment& env, logger log, const client_options& options)
    : env_(&env),
      log_(std::move(log)),
      calls_(env, log_),
      options_(options),
      user_agent_(options.user_agent().empty() ? "kcontrol/" + std::string(library_version) : options.user_agent()),
      limit_(pace_of(options)),
      telling_(100, std::chrono::seconds(1)),
      loops_(options.hot_loop_limit()),
      telling_loops_(10, std::chrono::minutes(1)) {}

KCONTROL_DECL std::optional<duration> client_manners::take_turn(time_point now, duration most) {
    return limit_->reserve(now, most);
}

KCONTROL_DECL result<void> client_manners::prepare(http::request& attempt) {
    if (!options_.on_request()) return {};
    try {
        return options_.on_request()(attempt);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return error_of_thrown("on_request");
    }
}

KCONTROL_DECL void client_manners::hear(const http::request& req, const http::response_head& answer, duration took) {
    tell_warnings(req, answer.headers);
    if (log_.enabled(log_level::debug) && answer.headers.contains("X-Kubernetes-PF-FlowSchema-UID")) {
        const auto uid = [&](std::string_view header) { return server_text(answer.headers.get(header), 64); };
        log_.debug("the server has sorted a request", {{"method", req.method},
                                                       {"path", std::string(http::split_target(req.target).first)},
                                                       {"code", std::to_string(answer.status)},
                                                       {"flow_schema", uid("X-Kubernetes-PF-FlowSchema-UID")},
                                                       {"priority_level", uid("X-Kubernetes-PF-PriorityLevel-UID")}});
    }
    if (!options_.on_response()) return;
    request_outcome outcome;
    outcome.status = answer.status;
    outcome.took = took;
    tell_outcome(req, outcome);
}

KCONTROL_DECL void client_manners::hear_failure(const http::request& req, const error& why, duration took) {
    if (!options_.on_response()) return;
    request_outcome outcome;
    outcome.failure = why.what();
    outcome.took = took;
    tell_outcome(req, outcome);
}

KCONTROL_DECL void client_manners::tell_outcome(const http::request& req, const request_outcome& outcome) {
    calls_.call_or_exhaust(
        "on_response", [&] { options_.on_response()(req, outcome); },
        [&] { return req.method + " " + std::string(http::split_target(req.target).first); });
}

KCONTROL_DECL void client_manners::tell_warnings(const http::request& req, const http::fields& headers) {
    if (!headers.contains("Warning")) return;
    server_warning warning;
    warning.method = req.method;
    warning.path = std::string(http::split_target(req.target).first);
    for (auto& text : warnings_of(headers)) {
        warning.text = std::move(text);
        if (options_.on_warning()) {
            calls_.call_or_exhaust(
                "on_warning", [&] { options_.on_warning()(warning); }, [&] { return warning.path; });
        } else if (told_.meet(warning.text) && telling_.take(env_->now()) == duration::zero()) {
            log_.warning("the server warns",
                         {{"warning", warning.text}, {"method", warning.method}, {"path", warning.path}});
        }
    }
}

// Leases and Events are written again and again; reviews and tokens are questions, and change no object.
KCONTROL_DECL bool client_manners::counts_writes(const resource_info& info) const {
    const std::string& group = info.gvk.group;
    const bool event = info.gvk.kind == "Event" && (group.empty() || group == "events.k8s.io");
    if (loops_.limit() == 0 || event) return false;
    return group != "coordination.k8s.io" && group != "authentication.k8s.io" && group != "authorization.k8s.io";
}

KCONTROL_DECL bool client_manners::wrote(const resource_info& info, const namespaced_name& key) {
    const time_point now = env_->now();
    const auto times = loops_.wrote(object_hash(info.gvk.group, info.gvk.kind, key.namespace_, key.name), now);
    if (!times) return false;
    if (telling_loops_.take(now) != duration::zero()) return ++unlogged_loops_, true;
    std::vector<log_field> fields{{"kind", info.gvk.kind},
                                  {"object", to_string(key)},
                                  {"writesInAMinute", std::to_string(*times)},
                                  {"limit", std::to_string(loops_.limit())}};
    if (unlogged_loops_ != 0) fields.push_back({"others", std::to_string(std::exchange(unlogged_loops_, 0))});
    log_.warning(
        "this program writes an object too often; if a reconciler writes at each event, its own writes call "
        "it again: compare before writing, or raise client_options::hot_loop_limit",
        std::move(fields));
    return true;
}

}  // namespace kcontrol::detail
