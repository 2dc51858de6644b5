// Writes Prometheus' text format.
#pragma once

#include "shared/histogram.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace examples {

/// One family after another: family(), then its samples. A family without samples leaves no trace.
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class exposition {
public:
    using label = std::pair<std::string_view, std::string_view>;
    /// What a call is given, in the order in which it is written; it lasts no longer than the call.
    class labels {
    public:
        labels(std::initializer_list<label> all) : all_(all.begin(), all.size()) {}  // NOLINT: meant to convert
        labels(const std::vector<label>& all) : all_(all) {}                         // NOLINT
        auto begin() const noexcept { return all_.begin(); }
        auto end() const noexcept { return all_.end(); }

    private:
        std::span<const label> all_;
    };

    void family(std::string_view name, std::string_view type, std::string_view help) {
        name_ = name;
        head_ = "# HELP ";
        head_.append(name)
            .append(" ")
            .append(help)
            .append("\n# TYPE ")
            .append(name)
            .append(" ")
            .append(type)
            .append("\n");
    }

    template <std::integral T>
    void sample(labels with, T value) {
        line("", with, {}, std::to_string(value));
    }
    void sample(labels with, double value) { line("", with, {}, number(value)); }
    /// A number as it is to be written.
    void sample(labels with, const std::string& number) { line("", with, {}, number); }

    template <std::size_t Size>
    void sample(labels with, const histogram<Size>& h) {
        std::uint64_t up_to = 0;
        for (std::size_t i = 0; i < Size; ++i) {
            up_to += h.counts()[i];
            const std::string bound = number(h.bounds()[i]);
            line("_bucket", with, {"le", bound}, std::to_string(up_to));
        }
        line("_bucket", with, {"le", "+Inf"}, std::to_string(h.count()));
        line("_sum", with, {}, number(h.sum()));
        line("_count", with, {}, std::to_string(h.count()));
    }

    std::string take() { return std::move(out_); }

    /// As short as it can be told from the next.
    static std::string number(double value);

private:
    void line(std::string_view suffix, labels with, label last, const std::string& value);
    void add(char& before, const label& one);

    std::string name_, head_, out_;
};

/// A whole number with all its digits as far as a double is exact, any other as short as it can be told from the next.
std::string whole_or_shortest(double value);

}  // namespace examples
