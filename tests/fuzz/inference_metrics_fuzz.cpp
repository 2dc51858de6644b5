// What Prometheus servers and pods say of metrics: one finite number, or a reason with words; and queries with words in
// them.
#include "queries/query.hpp"
#include "require.hpp"
#include "scrape/pod_values.hpp"

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

using namespace inference_autoscaler;
using kcontrol::fuzz::require;

namespace {

void check_reading(const rule_reading& got) {
    if (const auto* value = got.value.known()) return require(std::isfinite(*value));
    require(!got.value.missing()->words.empty());
    require(!got.idle || *got.idle->known() == 0);
}

void check_pods(std::string_view text) {
    pod_metric what;
    what.metric = "h";
    std::set<std::string, std::less<>> wanted;
    for (const char* of : {"Mean", "P95"}) {
        what.of = of;
        add_wanted(wanted, what);
    }
    const auto cut = text.find('\0');
    pods_said looks[2];
    for (int i = 0; i < 2; ++i) {
        const auto read = read_metrics(i == 0 ? text.substr(0, cut) : text.substr(std::min(cut, text.size())), wanted);
        if (!read) return require(read.error().message().starts_with("line "));
        for (const auto& each : read->samples) require(wanted.contains(each.name));
        looks[i].pods["a"] = read->samples;
        looks[i].names = read->names;
    }
    for (const char* of : {"Sum", "Mean", "Max", "P95"}) {
        what.of = of;
        check_reading(value_of(what, looks[1], looks[0]));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 4) {
    case 0: check_pods(text); break;
    case 1: {
        kcontrol::http::response answer(data[0] < 128 ? 200 : 400);
        answer.body = text;
        const auto got = read_instant(answer);
        if (const auto* value = std::get_if<double>(&got)) {
            require(answer.status == 200 && std::isfinite(*value));
        } else {
            require(!std::get<missing_reading>(got).words.empty());
        }
        if (const auto names = read_names(answer)) require(names->size() <= text.size());
        break;
    }
    case 2:
        for (const auto& name : metric_names(text)) require(text.find(name) != text.npos);
        break;
    default: {
        const query_words words{"ns", "{pods}", {std::string(text)}};
        const auto filled = fill_query("{namespace}|{pods}|{name}", words);
        require(filled.starts_with("ns|") && filled.ends_with("|{pods}"));
        require(filled.find_first_of("\"'`\\\n") == filled.npos);
    }
    }
    return 0;
}
