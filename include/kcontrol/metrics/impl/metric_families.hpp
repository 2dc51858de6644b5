// All samples of one text, by family: what a registry holds and what collectors write.
#pragma once

#include <kcontrol/metrics/exposition.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class metric_families final : public metrics_writer {
public:
    void counter(const std::string& name, const std::string& help, const metric_labels& labels, double value) override {
        if (sample* const into = add(name, "counter", help, labels)) into->value = value;
    }
    void gauge(const std::string& name, const std::string& help, const metric_labels& labels, double value) override {
        if (sample* const into = add(name, "gauge", help, labels)) into->value = value;
    }
    void histogram(const std::string& name, const std::string& help, const metric_labels& labels,
                   const std::vector<double>& bounds, const std::vector<std::uint64_t>& counts, double sum) override {
        sample* const into = add(name, "histogram", help, labels);
        if (into == nullptr) return;
        into->bounds = bounds;
        into->counts = counts;
        into->value = sum;
    }

    /// Families by name, and their samples by labels.
    std::string text() && {
        exposition out;
        for (auto& [name, one] : families_) {
            std::stable_sort(one.samples.begin(), one.samples.end(),
                             [](const sample& a, const sample& b) { return a.labels < b.labels; });
            out.family(name, one.type, one.help);
            for (const auto& each : one.samples) write(out, one.type, each);
        }
        return out.take();
    }

private:
    struct sample {
        metric_labels labels;
        std::vector<double> bounds;
        std::vector<std::uint64_t> counts;  // of a histogram only
        double value = 0;                   // the sum of a histogram
    };
    struct family {
        std::string_view type;
        std::string help;
        std::vector<sample> samples;
    };

    // The one that wrote first says of what type the family is, the one that wrote last what its help is. Null for a
    // sample of another type: one such would cost Prometheus the whole text.
    sample* add(const std::string& name, std::string_view type, const std::string& help, const metric_labels& labels) {
        auto& into = families_[name];
        if (into.type.empty()) into.type = type;
        if (into.type != type) return nullptr;
        into.help = help;
        into.samples.push_back({labels, {}, {}, 0});
        return &into.samples.back();
    }

    static void write(exposition& out, std::string_view type, const sample& one) {
        const std::vector<exposition::label> labels(one.labels.begin(), one.labels.end());
        if (type != "histogram") return out.sample(labels, one.value);
        out.sample(labels, one.bounds, one.counts, one.value);
    }

    std::map<std::string, family> families_;
};

}  // namespace kcontrol::detail
