#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/trim.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/tracing/otlp_options.hpp>
#include <kcontrol/tracing/sampler.hpp>

#include <algorithm>
#include <charconv>

namespace kcontrol::inline v0_1 {
namespace detail {

// OpenTelemetry's variables: one that is empty is not set.
class otel_variables {
public:
    explicit otel_variables(const environment& env) : env_(env) {}

    std::string get(const std::string& name) const { return env_.variable("OTEL_" + name).value_or(""); }

    // The name under which one for traces, or else one for all signals, is set, without "OTEL_"; empty: neither.
    std::string name_of(const std::string& rest) const {
        for (const char* prefix : {"EXPORTER_OTLP_TRACES_", "EXPORTER_OTLP_"}) {
            if (!get(prefix + rest).empty()) return prefix + rest;
        }
        return {};
    }

    static error refuse(const std::string& name, const std::string& why) {
        return error(errc::invalid_config, "OTEL_" + name + ": " + why);
    }

    // A whole number above zero; nothing where it is not set.
    result<std::optional<std::int64_t>> number(const std::string& name) const {
        const std::string text = get(name);
        if (text.empty()) return std::optional<std::int64_t>();
        std::int64_t value = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failure != std::errc() || end != text.data() + text.size() || value <= 0) {
            return refuse(name, "\"" + escape_control(text) + "\" is not a whole number above zero");
        }
        return std::optional<std::int64_t>(value);
    }

private:
    const environment& env_;
};

// "a=1,b=2", values percent-encoded, as W3C's baggage. Nothing of the text is in an error: values may be secrets.
inline result<std::vector<std::pair<std::string, std::string>>> read_pairs(const std::string& name,
                                                                           std::string_view text) {
    std::vector<std::pair<std::string, std::string>> out;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find(','), text.size());
        const std::string_view one = trim_blanks(text.substr(0, end), line_blanks);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (one.empty()) continue;
        const std::string where = "entry " + std::to_string(number);
        const auto equals = one.find('=');
        const auto key = trim_blanks(one.substr(0, equals), line_blanks);
        if (equals == std::string_view::npos || key.empty()) {
            return otel_variables::refuse(name, where + " is not NAME=VALUE");
        }
        const auto value = http::percent_decode(trim_blanks(one.substr(equals + 1), line_blanks));
        if (!value) return otel_variables::refuse(name, where + " has a broken escape");
        out.emplace_back(std::string(key), *value);
    }
    return out;
}

inline result<void> read_headers(const otel_variables& from, otlp_options& to) {
    const std::string name = from.name_of("HEADERS");
    const auto read = read_pairs(name, from.get(name));
    if (!read) return read.error();
    for (const auto& [field, value] : *read) {
        if (!http::is_valid_field(field, value)) {
            return otel_variables::refuse(name, "header \"" + escape_control(field) + "\" can't be sent as it is");
        }
        to.header_field(field, secret_string(value));
    }
    return {};
}

inline result<void> read_resource(const otel_variables& from, otlp_options& to) {
    const auto read = read_pairs("RESOURCE_ATTRIBUTES", from.get("RESOURCE_ATTRIBUTES"));
    if (!read) return read.error();
    for (const auto& [name, value] : *read) to.resource_attribute(name, value);
    if (const std::string name = from.get("SERVICE_NAME"); !name.empty()) to.service_name(name);
    return {};
}

inline result<void> read_sampler(const otel_variables& from, otlp_options& to) {
    const std::string name = from.get("TRACES_SAMPLER"), argument = from.get("TRACES_SAMPLER_ARG");
    double ratio = 1;
    if (!argument.empty()) {
        const auto [end, failure] = std::from_chars(argument.data(), argument.data() + argument.size(), ratio);
        if (failure != std::errc() || end != argument.data() + argument.size()) {
            return otel_variables::refuse("TRACES_SAMPLER_ARG", "\"" + escape_control(argument) + "\" is no number");
        }
    }
    auto made = sampler_of(name.empty() ? "parentbased_always_on" : name, ratio);
    if (!made) return otel_variables::refuse("TRACES_SAMPLER", made.error().message());
    to.sampler(std::move(*made));
    return {};
}

inline result<void> read_limits(const otel_variables& from, otlp_options& to) {
    const auto timeout = from.number(from.name_of("TIMEOUT"));
    if (!timeout) return timeout.error();
    if (*timeout) to.timeout(std::chrono::milliseconds(**timeout));
    const auto delay = from.number("BSP_SCHEDULE_DELAY");
    if (!delay) return delay.error();
    if (*delay) to.schedule_delay(std::chrono::milliseconds(**delay));
    const auto queue = from.number("BSP_MAX_QUEUE_SIZE");
    if (!queue) return queue.error();
    if (*queue) to.max_queue(static_cast<std::size_t>(**queue));
    const auto batch = from.number("BSP_MAX_EXPORT_BATCH_SIZE");
    if (!batch) return batch.error();
    if (*batch) to.max_batch(static_cast<std::size_t>(**batch));
    return {};
}

inline result<void> read_trust(environment& env, const otel_variables& from, otlp_options& to) {
    const std::string name = from.name_of("CERTIFICATE");
    if (name.empty()) return {};
    auto pem = env.read_regular_file(from.get(name), std::size_t{1} << 20);
    if (!pem) return pem.error().with_context("OTEL_" + name);
    to.tls(http::tls_options().ca_pem(std::move(*pem)));
    return {};
}

}  // namespace detail

KCONTROL_DECL result<otlp_options> otlp_options::to(std::string_view url) {
    auto read = http::parse_base_url(url);
    if (!read) return read.error();
    otlp_options out;
    out.target_ = read->path_prefix.empty() ? "/" : read->path_prefix;
    out.url_ = std::move(*read);
    return out;
}

KCONTROL_DECL otlp_options& otlp_options::default_service_name(std::string name) {
    const attribute nobody("service.name", unknown_service);
    std::replace(resource_attributes_.begin(), resource_attributes_.end(), nobody,
                 attribute(nobody.first, std::move(name)));
    return *this;
}

KCONTROL_DECL otlp_options& otlp_options::resource_attribute(std::string name, std::string value) {
    const auto same = [&](const attribute& one) { return one.first == name; };
    std::erase_if(resource_attributes_, same);
    resource_attributes_.emplace_back(std::move(name), std::move(value));
    return *this;
}

KCONTROL_DECL result<std::optional<otlp_options>> otlp_options::from_environment(environment& env) {
    const detail::otel_variables from(env);
    const std::string endpoint = from.name_of("ENDPOINT");
    const bool off = iequals(from.get("SDK_DISABLED"), "true") || from.get("TRACES_EXPORTER") == "none";
    if (endpoint.empty() || off) return std::optional<otlp_options>();
    if (const std::string name = from.name_of("PROTOCOL"); !name.empty() && from.get(name) == "grpc") {
        return detail::otel_variables::refuse(name, "grpc is not spoken here; give http/json, and the port 4318");
    }
    const bool of_traces = endpoint.find("TRACES") != std::string::npos;
    std::string url = from.get(endpoint);
    if (!of_traces) url += url.ends_with('/') ? "v1/traces" : "/v1/traces";
    auto out = to(url);
    if (!out) return detail::otel_variables::refuse(endpoint, out.error().message());
    for (const auto& read :
         {detail::read_headers(from, *out), detail::read_resource(from, *out), detail::read_sampler(from, *out),
          detail::read_limits(from, *out), detail::read_trust(env, from, *out)}) {
        if (!read) return read.error();
    }
    return std::optional<otlp_options>(std::move(*out));
}

}  // namespace kcontrol
