#include "simulate/simulate_command.hpp"

#include <kcontrol/base/flags.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/runtime/staged_file.hpp>
#include <kcontrol/schema/validate.hpp>

#include "api/validation.hpp"
#include "messages.hpp"
#include "simulate/fleet.hpp"
#include "simulate/hpa.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

namespace inference_autoscaler {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 28U;  // of a file
constexpr double slow_ms = 800, flap_seconds = 600, most_seconds = 1e7;
constexpr double memory_used = 0.5;  // it is constant

struct question {
    std::string load, scaler, timeline;
    double start_seconds = 300;
    bool hpa = false;
};

template <class Number>
bool is_number(std::string_view text, Number& to) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), to);
    return failed == std::errc() && end == text.data() + text.size();
}

result<question> read(const std::vector<std::string_view>& arguments) {
    constexpr kcontrol::flag_shape flags[] = {
        {"--load"}, {"--scaler"}, {"--timeline"}, {"--start-seconds"}, {"--policy"}};
    const auto said = kcontrol::split_arguments(arguments, flags, "inference_autoscaler simulate --help");
    if (!said) return said.error();
    question out;
    for (const auto& one : *said) {
        if (one.is_word()) return bad_value(in_quotes(one.text) + " belongs to no flag; files are named by flags");
        const auto flag = flags[one.flag].name;
        if (flag == "--load") out.load = one.text;
        if (flag == "--scaler") out.scaler = one.text;
        if (flag == "--timeline") out.timeline = one.text;
        if (flag == "--start-seconds" &&
            (!is_number(one.text, out.start_seconds) || !(out.start_seconds >= 0 && out.start_seconds <= 86400)))
            return bad_value("--start-seconds " + in_quotes(one.text) + ": give a number from 0 to 86400");
        if (flag == "--policy" && one.text != "ours" && one.text != "hpa")
            return bad_value("--policy " + in_quotes(one.text) + ": give ours or hpa");
        if (flag == "--policy") out.hpa = one.text == "hpa";
    }
    if (out.load.empty()) return bad_value("--load FILE is missing");
    if (out.scaler.empty()) return bad_value("--scaler FILE is missing");
    return out;
}

result<std::vector<load_row>> read_load(const std::string& file, const std::string& text) {
    std::vector<load_row> out;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::string at = file + ":" + std::to_string(++number) + ": ";
        if (line.ends_with('\r')) line.pop_back();
        if (number == 1) {
            if (line != "second,requests,service_ms")
                return bad_value(at + in_quotes(line) + ": the first line is second,requests,service_ms");
            continue;
        }
        if (line.empty()) continue;
        const auto first = line.find(','), second = line.find(',', first == line.npos ? first : first + 1);
        load_row row;
        const std::string_view all = line;
        if (second == line.npos || !is_number(all.substr(0, first), row.second) ||
            !is_number(all.substr(first + 1, second - first - 1), row.requests) ||
            !is_number(all.substr(second + 1), row.service_ms))
            return bad_value(at + in_quotes(line) + ": write three numbers, such as 0,10,200");
        if (row.second < 0 || double(row.second) > most_seconds || (!out.empty() && row.second <= out.back().second))
            return bad_value(at + "second " + std::to_string(row.second) + ": seconds rise, from 0 to 10000000");
        if (row.requests < 0 || row.requests > 100000)
            return bad_value(at + "requests " + std::to_string(row.requests) + ": give 0 to 100000");
        if (!(row.service_ms > 0 && row.service_ms <= 3.6e6))
            return bad_value(at + "service_ms: give more than 0, and at most 3600000");
        out.push_back(row);
    }
    if (out.empty()) return bad_value(file + ":1: there is no load");
    return out;
}

result<inference_scaler_spec> read_scaler(const std::string& file, const std::string& text) {
    const auto documents = kcontrol::json::parse_yaml(text);
    if (!documents) return bad_value(file + ": " + documents.error().message());
    if (documents->size() != 1) return bad_value(file + ":1: write one InferenceScaler");
    const std::string json = kcontrol::json::serialize((*documents)[0]);
    const auto problems = kcontrol::validate_json<inference_scaler>(json);
    if (!problems) return bad_value(file + ":1: " + problems.error().message());
    if (!problems->empty()) return bad_value(file + ":1: " + to_string(*problems));
    const auto object = kcontrol::from_json<inference_scaler>(json);
    if (!object) return bad_value(file + ":1: " + object.error().message());
    if (const auto bad = check(object->spec); !bad.empty()) return bad_value(file + ":1: " + bad);
    if (!object->spec.metrics.pods) return bad_value(file + ":1: spec.metrics: prometheus: a simulation has pods");
    for (const scaling_rule& rule : rules_of(object->spec)) {
        const auto& metric = rule.pods->metric;
        const bool known = metric == "DCGM_FI_DEV_FB_USED" || metric == "vllm:num_requests_waiting" ||
                           (metric == "http_request_duration_seconds" && rule.pods->of == "P95");
        if (!known)
            return bad_value(file + ":1: rule " + rule.name.str() + ": " + metric.str() +
                             ": a simulation has DCGM_FI_DEV_FB_USED, vllm:num_requests_waiting, and P95 of "
                             "http_request_duration_seconds");
    }
    return object->spec;
}

double value_of_rule(const scaling_rule& rule, fleet& all, double now) {
    if (rule.pods->metric == "DCGM_FI_DEV_FB_USED") return memory_used;
    if (rule.pods->of == "P95") return all.p95(now);
    const double sum = double(all.waiting());
    return rule.pods->of == "Sum" ? sum : sum / std::max(1, all.warm(now));
}

double percentile(std::vector<double>& of, std::size_t percent) {
    if (of.empty()) return 0;
    const auto at = of.begin() + static_cast<std::ptrdiff_t>((of.size() - 1) * percent / 100);
    std::ranges::nth_element(of, at);
    return *at;
}

class simulation {
public:
    simulation(const question& asked, inference_scaler_spec spec, std::vector<load_row> load)
        : asked_(asked),
          spec_(std::move(spec)),
          rules_(rules_of(spec_)),
          end_(load.back().second + 1),
          fleet_(std::move(load), asked.start_seconds) {
        fleet_.resize(std::max(spec_.min_replicas, 1), -1);
        timeline_ << "second,replicas,warm\n";
    }

    std::string run() {
        const std::int64_t poll = asked_.hpa ? 15 : spec_.poll_seconds;
        for (std::int64_t now = 0; now < end_ || (!fleet_.is_done() && double(now) < 2 * most_seconds); ++now) {
            if (now % poll == 0) look(double(now));
            fleet_.advance(double(now) + 1);
            replica_seconds_ += fleet_.size();
            if (!asked_.timeline.empty())
                timeline_ << now << ',' << fleet_.size() << ',' << fleet_.warm(double(now)) << '\n';
        }
        std::vector<double> latencies = fleet_.latencies();
        const auto slow = std::ranges::count_if(latencies, [](double ms) { return ms > slow_ms; });
        std::ostringstream out;
        out << R"({"requests":)" << latencies.size() << R"(,"sloViolations":)" << slow << R"(,"p50Ms":)"
            << percentile(latencies, 50) << R"(,"p95Ms":)" << percentile(latencies, 95) << R"(,"replicaSeconds":)"
            << replica_seconds_ << R"(,"scaleUps":)" << ups_ << R"(,"scaleDowns":)" << downs_ << R"(,"flaps":)"
            << flaps_ << "}\n";
        return out.str();
    }
    std::string timeline() const { return timeline_.str(); }

private:
    void look(double now) {
        facts seen;
        seen.now = time_point(std::chrono::duration_cast<duration>(std::chrono::duration<double>(now)));
        seen.replicas = fleet_.size();
        seen.warm = fleet_.warm(now);
        seen.values.at = seen.now;
        for (const scaling_rule& rule : rules_) {
            const bool asked = seen.warm > 0;
            seen.values.rules.push_back({asked ? reading{seen.now, value_of_rule(rule, fleet_, now)}
                                               : missing_at(seen.now, missing_reason::empty),
                                         {}});
        }
        seen.values.wake = reading{seen.now, fleet_.is_busy(now) ? 1.0 : 0.0};
        std::int32_t wanted = 0;
        if (asked_.hpa) {
            wanted = hpa_.decide(spec_, rules_, seen);
        } else {
            decision made = decide(spec_, rules_, memory_, seen);
            wanted = made.wanted;
            memory_ = std::move(made.next);
        }
        if (wanted > seen.replicas) ++ups_, flaps_ += lowered_ && now - *lowered_ <= flap_seconds ? 1 : 0;
        if (wanted < seen.replicas) ++downs_, lowered_ = now;
        fleet_.resize(wanted, now);
    }

    const question& asked_;
    inference_scaler_spec spec_;
    std::vector<scaling_rule> rules_;
    std::int64_t end_;
    fleet fleet_;
    memory memory_;
    hpa_policy hpa_;
    std::optional<double> lowered_;
    std::int64_t replica_seconds_ = 0, ups_ = 0, downs_ = 0, flaps_ = 0;
    std::ostringstream timeline_;
};

}  // namespace

result<std::string> simulate_command(const std::vector<std::string_view>& arguments, kcontrol::environment& env) {
    const auto asked = read(arguments);
    if (!asked) return asked.error();
    const auto load_text = env.read_file(asked->load, most_bytes);
    if (!load_text) return bad_value("--load: " + load_text.error().message());
    const auto scaler_text = env.read_file(asked->scaler, most_bytes);
    if (!scaler_text) return bad_value("--scaler: " + scaler_text.error().message());
    auto load = read_load(asked->load, *load_text);
    if (!load) return load.error();
    auto spec = read_scaler(asked->scaler, *scaler_text);
    if (!spec) return spec.error();
    simulation all(*asked, *std::move(spec), *std::move(load));
    std::string line = all.run();
    if (!asked->timeline.empty()) {
        if (auto done = kcontrol::replace_file(asked->timeline, all.timeline()); !done) return done.error();
    }
    return line;
}

std::string_view simulate_help() noexcept {
    return R"(Serves a recorded load by replicas that a scaler sets, and prints how well, as one line of JSON.

usage: inference_autoscaler simulate --load FILE --scaler FILE [flags]

  --load FILE        CSV with the columns second,requests,service_ms
  --scaler FILE      an InferenceScaler whose metrics are of pods, as YAML or JSON
  --start-seconds N  until a new replica is warm (default 300)
  --policy NAME      ours (default), or hpa: a HorizontalPodAutoscaler with its
                     defaults, whose targets are the thresholds
  --timeline FILE    write second,replicas,warm there

Exit codes: 0 ok, 1 the timeline can't be written, 2 a flag, a file or a row that is wrong.
)";
}

}  // namespace inference_autoscaler
