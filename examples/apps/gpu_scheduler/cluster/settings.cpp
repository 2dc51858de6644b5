#include "cluster/settings.hpp"

#include <kcontrol/model/label_selector.hpp>

#include <utility>

namespace gpu_scheduler {
namespace {

using kcontrol::scheduling::configuration_part;

constexpr double most_milliseconds = 1e6;

// A number from 0 on.
result<double> read_number(const configuration_part& from, const kcontrol::json::value& value) {
    kcontrol::json::value copy = value;
    const double number = copy.is_number() ? copy.to_number<double>() : -1;
    if (number >= 0 && number <= most_milliseconds) return number;
    return from.wrong(kcontrol::json::serialize(value).substr(0, 80) + " is no number from 0 to 1000000");
}

result<std::pair<double, double>> read_two(const configuration_part& of, const char* words) {
    const auto* both = of.value()->if_array();
    if (both == nullptr || both->size() != 2) return of.wrong(std::string("two numbers are expected: ") + words);
    const auto first = read_number(of, (*both)[0]);
    if (!first) return first.error();
    const auto second = read_number(of, (*both)[1]);
    if (!second) return second.error();
    return std::pair(*first, *second);
}

result<void> read_costs(const configuration_part& from, link_costs& to) {
    if (auto known = from.check_keys({"nvlink", "pcie", "numa", "socket", "rack", "far"}); !known) return known;
    const std::pair<const char*, link_cost*> all[] = {{"nvlink", &to.nvlink}, {"pcie", &to.pcie}, {"numa", &to.numa},
                                                      {"socket", &to.socket}, {"rack", &to.rack}, {"far", &to.far}};
    for (const auto& [key, cost] : all) {
        const auto part = from.member(key);
        if (!part) continue;
        const auto read = read_two(part, "[milliseconds per MB, milliseconds]");
        if (!read) return read.error();
        *cost = {read->first, read->second};
    }
    return {};
}

}  // namespace

const std::vector<std::string>& settings::keys() {
    static const std::vector<std::string> all{"placement", "slices", "costs", "messageMB", "topologyKeys", "hunger"};
    return all;
}

result<settings> read_settings(const configuration_part& file) {
    settings out;
    const auto placement = file.text("placement");
    if (!placement) return placement.error();
    if (*placement) {
        const auto read = parse_placement(**placement);
        if (!read) return file.wrong("placement", read.error().message());
        out.placement = *read;
    }
    const auto slices = file.text("slices");
    if (!slices) return slices.error();
    out.takes_turns = *slices == "weighted-round-robin";
    if (*slices && !out.takes_turns && *slices != "best-fit") {
        return file.wrong("slices", in_quotes(**slices) + " is not one of best-fit, weighted-round-robin");
    }
    if (auto done = read_costs(file.member("costs"), out.costs); !done) return done.error();
    if (const auto size = file.member("messageMB")) {
        const auto read = read_number(size, *size.value());
        if (!read) return read.error();
        out.costs.message_mb = *read;
    }
    if (file.member("topologyKeys")) {
        auto keys = file.texts("topologyKeys");
        if (!keys) return keys.error();
        for (const auto& each : *keys) {
            if (!kcontrol::is_label_key(each)) {
                return file.wrong("topologyKeys", in_quotes(each) + " is no key of a label");
            }
        }
        out.topology_keys = std::move(*keys);
    }
    if (const auto hunger = file.member("hunger")) {
        const auto read = read_two(hunger, "[0.3, 0.7]");
        if (!read) return read.error();
        if (read->first > read->second || read->second > 1) {
            return hunger.wrong("two numbers from 0 to 1 are expected, the smaller one first");
        }
        out.hunger = {read->first, read->second};
    }
    return out;
}

}  // namespace gpu_scheduler
