#include "web/history_answer.hpp"

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "messages.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gpu_labeler {
namespace {

using kcontrol::result;

struct asked {
    const metric_info* metric = nullptr;
    std::optional<std::string> gpu;  ///< UUID
    std::optional<std::int64_t> since;
};

std::string metric_names() {
    std::string out;
    for (const auto& m : metrics) out += (out.empty() ? "" : ", ") + std::string(m.name);
    return out;
}

std::string gpu_names(const std::vector<history::known_gpu>& known) {
    if (known.empty()) return "none is known so far";
    std::string out = "known are ";
    for (const auto& g : known) {
        if (&g != &known.front()) out += ", ";
        out += std::to_string(g.index) + " (" + g.uuid + ")";
    }
    return out;
}

result<std::string> find_gpu(const std::vector<history::known_gpu>& known, const std::string& text) {
    unsigned index = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool is_index = failed == std::errc() && end == text.data() + text.size();
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& g) { return is_index ? g.index == index : g.uuid == text; });
    if (found == known.end()) {
        return bad_argument("parameter gpu: " + in_quotes(text) + " is no GPU's index or UUID; " + gpu_names(known));
    }
    return found->uuid;
}

result<std::int64_t> read_since(const std::string& text) {
    const auto time = kcontrol::parse_time(text);
    if (!time) {
        return bad_argument("parameter since: " + in_quotes(text) +
                            " is not an RFC 3339 time such as 2026-11-21T14:00:00Z (a '+' is written %2B)");
    }
    // Points have whole seconds; one of 14:00:00 is not since 14:00:00.5.
    return std::chrono::ceil<std::chrono::seconds>(*time).time_since_epoch().count();
}

result<asked> read(const history& past, std::string_view query) {
    asked out;
    std::string seen;
    for (const auto& [name, value] : kcontrol::http::parse_query(query)) {
        if (name != "metric" && name != "gpu" && name != "since") {
            return bad_argument("unknown parameter " + in_quotes(name) + "; allowed are metric, gpu, since");
        }
        if (seen.find(name) != std::string::npos) return bad_argument("parameter " + name + ": give it once");
        seen += name + " ";
        if (name == "metric") {
            out.metric = find_metric(value);
            if (!out.metric) {
                return bad_argument("parameter metric: " + in_quotes(value) + " is not one of " + metric_names());
            }
        } else if (name == "gpu") {
            auto uuid = find_gpu(past.gpus(), value);
            if (!uuid) return uuid.error();
            out.gpu = std::move(*uuid);
        } else {
            const auto since = read_since(value);
            if (!since) return since.error();
            out.since = *since;
        }
    }
    if (!out.metric) return bad_argument("parameter metric is missing; it is one of " + metric_names());
    return out;
}

// As few digits as tell one float from the next: 71.3 is not 71.30000305175781.
void write_float(kcontrol::json::writer& out, float value) {
    if (!std::isfinite(value)) return out.null();
    char text[64];
    const auto [end, failed] = std::to_chars(std::begin(text), std::end(text), value, std::chars_format::fixed);
    if (failed != std::errc()) return out.value(static_cast<double>(value));
    out.raw(std::string_view(text, static_cast<std::size_t>(end - text)));
}

}  // namespace

kcontrol::http::response history_answer(const history& past, std::string_view query) {
    const auto wanted = read(past, query);
    if (!wanted) return kcontrol::http::error_response(400, wanted.error().message());
    kcontrol::json::writer out;
    out.begin_object();
    out.member("metric", wanted->metric->name);
    out.member("unit", wanted->metric->unit);
    begin_array(out, "items");
    for (const auto& gpu : past.gpus()) {
        if (wanted->gpu && gpu.uuid != *wanted->gpu) continue;
        out.begin_object();
        out.member("gpu", gpu.uuid);
        begin_array(out, "points");
        for (const auto& point : past.points(gpu.uuid, wanted->metric->which, wanted->since)) {
            out.begin_array();
            out.value(point.time);
            write_float(out, point.value);
            out.end_array();
        }
        out.end_array();
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return kcontrol::http::json_response(200, out.take() + "\n");
}

}  // namespace gpu_labeler
