#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/manager/health.hpp>

#include <algorithm>
#include <optional>
#include <set>

namespace kcontrol::inline v0_1 {
namespace detail {

// Why a check failed, or nothing.
inline std::optional<std::string> failure_of(const named_check& one) {
    try {
        const result<void> outcome = one.check();
        if (!outcome) return outcome.error().what();
        return std::nullopt;
    } catch (...) {
        return "the check threw: " + describe_thrown();
    }
}

// What a verbose answer says below the line of a check.
inline std::string details_of(const named_check& one) {
    if (!one.details) return {};
    std::string out;
    try {
        for (const std::string& line : one.details()) out += "    " + escape_control(line) + "\n";
    } catch (...) {
        out += "    the details threw: " + escape_control(describe_thrown()) + "\n";
    }
    return out;
}

inline http::response health_text(int status, std::string text) {
    http::response out(status, "text/plain; charset=utf-8", std::move(text));
    out.headers.set("X-Content-Type-Options", "nosniff");
    out.headers.set("Cache-Control", "no-cache, private");
    return out;
}

inline std::string quoted(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        if (!out.empty()) out += ", ";
        out += '"' + escape_control(name) + '"';
    }
    return out;
}

inline std::string last_line(std::string_view path, bool failed) {
    path.remove_prefix(1);
    return std::string(path) + (failed ? " check failed\n" : " check passed\n");
}

}  // namespace detail

// Source: k8s.io/apiserver/pkg/server/healthz/healthz.go and controller-runtime's pkg/healthz.
KCONTROL_DECL http::response health_handler(const http::request& req, std::string_view path,
                                            const std::vector<named_check>& checks) {
    if (req.method != "GET" && req.method != "HEAD") {
        auto refused = detail::health_text(405, "method not allowed\n");
        refused.headers.set("Allow", "GET, HEAD");
        return refused;
    }
    const auto [target, query] = http::split_target(req.target);
    bool verbose = false;
    std::set<std::string> excluded;
    for (const auto& [name, value] : http::parse_query(query)) {
        if (name == "verbose") verbose = true;
        if (name == "exclude") excluded.insert(value);
    }
    const auto ok = []() -> result<void> { return {}; };
    const std::vector<named_check> ping{named_check("ping", ok)};
    const std::vector<named_check>& all = checks.empty() ? ping : checks;

    if (target.starts_with(path) && target.size() > path.size() + 1 && target[path.size()] == '/') {
        const auto wanted = http::percent_decode(target.substr(path.size() + 1));
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const named_check& c) { return wanted && c.name == *wanted; });
        if (found == all.end()) return detail::health_text(404, "no such check\n");
        const auto failure = detail::failure_of(*found);
        if (!failure) return detail::health_text(200, "ok");
        return detail::health_text(500, "internal server error: " + escape_control(*failure) + "\n");
    }
    if (target != path && target != std::string(path) + "/") return detail::health_text(404, "not found\n");

    std::vector<const named_check*> sorted;
    sorted.reserve(all.size());
    for (const named_check& one : all) sorted.push_back(&one);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    std::string lines;
    bool failed = false;
    std::set<std::string> unknown = excluded;
    for (const named_check* one : sorted) {
        unknown.erase(one->name);
        const std::string name = escape_control(one->name);
        if (excluded.contains(one->name)) {
            lines += "[+]" + name + " excluded: ok\n";
            continue;
        }
        const auto failure = detail::failure_of(*one);
        failed = failed || failure;
        if (!failure) {
            lines += "[+]" + name + " ok\n";
        } else {
            lines += "[-]" + name + " failed: " + (verbose ? escape_control(*failure) : "reason withheld") + "\n";
        }
        if (verbose) lines += detail::details_of(*one);
    }
    if (!failed && !verbose) return detail::health_text(200, "ok");
    if (!unknown.empty()) {
        lines += "warn: some health checks cannot be excluded: no matches for " + detail::quoted(unknown) + "\n";
    }
    return detail::health_text(failed ? 500 : 200, lines + detail::last_line(path, failed));
}

KCONTROL_DECL void add_health_routes(http::router& to, const std::string& path,
                                     std::function<std::vector<named_check>()> checks) {
    const auto answer = [path, checks = std::move(checks)](const http::routed_request& asked) {
        return health_handler(asked, path, checks());
    };
    to.add("", path, answer).add("", path + "/{check...}", answer);
}

KCONTROL_DECL http::server_options health_server_options() {
    http::server_options out;
    out.max_connections(64).max_body(1024).max_buffered_bytes(std::size_t{1} << 20);
    return out.first_request_timeout(std::chrono::seconds(5)).idle_timeout(std::chrono::seconds(30));
}

}  // namespace kcontrol
