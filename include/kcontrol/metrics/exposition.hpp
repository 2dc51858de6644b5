// Writes Prometheus' text format: the one place that does.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/metrics/histogram.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The content type of what an exposition writes.
inline constexpr const char* metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

/// One family after another: family(), then its samples. A family without samples leaves no trace. Names are those of
/// the program and must be valid; values of labels may come from anywhere: they are escaped, and what is not UTF-8 in
/// them becomes U+FFFD, for one such byte would cost Prometheus the whole text.
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class exposition {
public:
    using label = std::pair<std::string_view, std::string_view>;  ///< name and value, which outlive the call
    /// What a call is given, in the order in which it is written; it lasts no longer than the call.
    class labels {
    public:
        /// As they stand in braces.
        labels(std::initializer_list<label> all) : all_(all.begin(), all.size()) {}  // NOLINT: meant to convert
        /// As many as there are; the vector outlives the call.
        labels(const std::vector<label>& all) : all_(all) {}  // NOLINT
        auto begin() const noexcept { return all_.begin(); }
        auto end() const noexcept { return all_.end(); }

    private:
        std::span<const label> all_;
    };

    /// `type`: "counter", "gauge" or "histogram".
    KCONTROL_DECL void family(std::string_view name, std::string_view type, std::string_view help);

    /// The value of a counter or a gauge, with all its digits.
    template <std::integral T>
    void sample(labels with, T value) {
        line("", with, {}, std::to_string(value));
    }
    /// The same as number() writes it.
    void sample(labels with, double value) { line("", with, {}, number(value)); }
    /// A histogram of seconds.
    void sample(labels with, const duration_histogram& h) { sample(with, h.bounds(), h.counts(), h.sum()); }
    /// A histogram: `counts`, one a bucket and not cumulative, has one more element than `bounds`.
    KCONTROL_DECL void sample(labels with, std::span<const double> bounds, std::span<const std::uint64_t> counts,
                              double sum);

    /// What was written; it is empty afterwards.
    std::string take() { return std::exchange(out_, {}); }

    /// A whole number with all its digits as far as a double is exact, any other as short as it can be told from the
    /// next; NaN, +Inf and -Inf.
    static KCONTROL_DECL std::string number(double value);

private:
    KCONTROL_DECL void line(std::string_view suffix, labels with, label last, const std::string& value);
    void add(char& before, const label& one);

    std::string name_, head_, out_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/metrics/impl/exposition.ipp>
#endif
