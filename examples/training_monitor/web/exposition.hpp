// Writes Prometheus' text format.
#pragma once

#include "web/histogram.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace training_monitor {

/// One family after another: family(), then its samples. A family without samples leaves no trace.
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class exposition {
public:
    using label = std::pair<std::string_view, std::string_view>;
    using labels = std::initializer_list<label>;

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

private:
    static std::string number(double value);
    void line(std::string_view suffix, labels with, label last, const std::string& value);
    void add(char& before, const label& one);

    std::string name_, head_, out_;
};

}  // namespace training_monitor
