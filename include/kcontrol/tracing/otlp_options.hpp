// Where spans go and how: what an otlp_exporter is told, by the program or by OpenTelemetry's variables.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/http/tls_options.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/trace.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Options of an otlp_exporter; the defaults are OpenTelemetry's.
class otlp_options {
public:
    using attribute = std::pair<std::string, std::string>;  ///< name and value, of the resource
    using header = std::pair<std::string, secret_string>;   ///< name and value, which is never logged

    /// The whole URL that spans are sent to: "http://collector:4318/v1/traces". Errors: invalid_argument.
    static KCONTROL_DECL result<otlp_options> to(std::string_view url);

    /// What these variables say (https://opentelemetry.io/docs/specs/otel/protocol/exporter/):
    /// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces after it;
    /// OTEL_EXPORTER_OTLP_[TRACES_]HEADERS, _TIMEOUT, _CERTIFICATE, _PROTOCOL; OTEL_SERVICE_NAME,
    /// OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG; OTEL_BSP_SCHEDULE_DELAY,
    /// _MAX_QUEUE_SIZE, _MAX_EXPORT_BATCH_SIZE. Nothing where no endpoint is set, where OTEL_SDK_DISABLED is true, and
    /// where OTEL_TRACES_EXPORTER is none.
    /// Errors: invalid_config, naming the variable; it repeats no header. grpc is refused: JSON over HTTP is spoken.
    static KCONTROL_DECL result<std::optional<otlp_options>> from_environment(environment& env);

    /// A header of each request, such as a key of the collector's. Repeatable.
    otlp_options& header_field(std::string name, secret_string value) {
        return headers_.emplace_back(std::move(name), std::move(value)), *this;
    }
    /// An attribute of the resource. Repeatable; a later one replaces an earlier one of its name.
    KCONTROL_DECL otlp_options& resource_attribute(std::string name, std::string value);
    /// The attribute service.name: what tracing systems call the program. Default "unknown_service".
    otlp_options& service_name(std::string name) { return resource_attribute("service.name", std::move(name)); }
    /// The same where nobody has said one.
    KCONTROL_DECL otlp_options& default_service_name(std::string name);
    /// Whom to trust, besides the system's roots nobody.
    otlp_options& tls(http::tls_options t) { return tls_ = std::move(t), *this; }
    /// How long one request may take. Default 10 s.
    otlp_options& timeout(duration d) { return timeout_ = d, *this; }
    /// How long a batch is sent again and again where the collector does not take it now. Default 1 min.
    otlp_options& retry_for(duration d) { return retry_for_ = d, *this; }
    /// How long spans wait at most for others to go with them. Default 5 s.
    otlp_options& schedule_delay(duration d) { return schedule_delay_ = d, *this; }
    /// How many spans wait at most; what comes beyond is dropped and counted. Default 2048.
    otlp_options& max_queue(std::size_t n) { return max_queue_ = n == 0 ? 1 : n, *this; }
    /// How many go at a time. Default 512.
    otlp_options& max_batch(std::size_t n) { return max_batch_ = n == 0 ? 1 : n, *this; }
    /// For controller_options::sample_traces(). Default: parentbased_always_on.
    otlp_options& sampler(trace_sampler s) { return sampler_ = std::move(s), *this; }

    const http::base_url& url() const noexcept { return url_; }     ///< the collector's, with the path of target()
    const std::string& target() const noexcept { return target_; }  ///< of each request: "/v1/traces"
    const std::vector<header>& headers() const noexcept { return headers_; }  ///< of each request; default none
    /// Each name once; service.name is always among them.
    const std::vector<attribute>& resource_attributes() const noexcept { return resource_attributes_; }
    const http::tls_options& tls() const noexcept { return tls_; }
    duration timeout() const noexcept { return timeout_; }
    duration retry_for() const noexcept { return retry_for_; }
    duration schedule_delay() const noexcept { return schedule_delay_; }
    std::size_t max_queue() const noexcept { return max_queue_; }
    std::size_t max_batch() const noexcept { return max_batch_; }
    const trace_sampler& sampler() const noexcept { return sampler_; }

private:
    otlp_options() = default;

    http::base_url url_;
    std::string target_;
    std::vector<header> headers_;
    static constexpr const char* unknown_service = "unknown_service";
    std::vector<attribute> resource_attributes_{{"service.name", unknown_service}};
    http::tls_options tls_;
    duration timeout_ = std::chrono::seconds(10);
    duration retry_for_ = std::chrono::minutes(1);
    duration schedule_delay_ = std::chrono::seconds(5);
    std::size_t max_queue_ = 2048;
    std::size_t max_batch_ = 512;
    trace_sampler sampler_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/tracing/impl/otlp_options.ipp>
#endif
