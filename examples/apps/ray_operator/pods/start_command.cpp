#include "pods/start_command.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/quantity.hpp>

#include "api/validation.hpp"

#include <map>
#include <utility>

namespace ray_operator {
namespace {

std::string lower(std::string_view s) {
    std::string out(s);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
}
quantity amount_of(std::string_view text) {
    const auto read = quantity::parse(text);
    return read ? *read : quantity();
}
std::string whole(std::string_view text) { return std::to_string(amount_of(text).value()); }
bool is_nothing(std::string_view text) { return amount_of(text).is_zero(); }

using amounts = std::map<std::string, double>;
std::string in_quotes(const amounts& what) {
    json::object out;
    for (const auto& [name, amount] : what) out[name] = amount;
    return "'" + json::serialize(out) + "'";
}
// The parameter `resources` as people write it: JSON in quotes of some sort. Nothing: it is none.
std::optional<amounts> read_resources(const dict<text>& params) {
    amounts out;
    const text* given = params.get("resources");
    if (given == nullptr) return out;
    std::string_view json = *given;
    const auto first = json.find_first_not_of("'\"` "), last = json.find_last_not_of("'\"` ");
    if (first == std::string_view::npos) return std::nullopt;
    const auto read = json::parse(json.substr(first, last - first + 1));
    if (!read || !read->is_object()) return std::nullopt;
    for (const auto& [name, amount] : read->as_object()) {
        if (!amount.is_number()) return std::nullopt;
        out[std::string(name)] = amount.to_number<double>();
    }
    return out;
}

// What Ray calls the accelerators that are no GPUs to it.
constexpr std::pair<std::string_view, const char*> accelerators[] = {{"aws.amazon.com/neuroncore", "neuron_cores"},
                                                                     {"google.com/tpu", "TPU"}};
// A part of a GPU: Ray can't tell it from another one's by a number of GPUs, so it is a resource of its own name.
bool is_part_of_gpu(std::string_view name) { return name.find("/mig-") != name.npos || name.ends_with(".shared"); }

void add_accelerators(dict<text>& params, const dict<quantity_text>& limits) {
    auto resources = read_resources(params);
    if (!resources) return;
    bool has_accelerator = false, changed = false;
    const bool given = params.contains("resources");
    for (const auto& [name, known] : accelerators) has_accelerator = has_accelerator || resources->contains(known);
    for (const auto& [name, amount] : limits) {
        if (is_nothing(amount)) continue;
        if (is_gpu(name) && !params.contains("num-gpus")) params["num-gpus"] = whole(amount);
        if (is_part_of_gpu(name) && !given) changed = resources->emplace(name, amount_of(amount).as_double()).second;
        for (const auto& [resource, known] : accelerators) {
            if (has_accelerator || name != resource) continue;
            has_accelerator = changed = true;
            (*resources)[known] = amount_of(amount).as_double();
        }
    }
    if (changed) params["resources"] = in_quotes(*resources);
}

}  // namespace

dict<text> group_parameters(dict<text> params, const dict<text>& resources, const dict<text>& labels) {
    amounts others;
    for (const auto& [name, amount] : resources) {
        if (!quantity::parse(amount)) continue;
        const std::string known = lower(name);
        if (known == "cpu" || known == "memory") {
            params[known == "cpu" ? "num-cpus" : "memory"] = whole(amount);
        } else if (is_gpu(known)) {
            params["num-gpus"] = whole(amount);
        } else {
            others[name] = amount_of(amount).as_double();
        }
    }
    if (!others.empty()) params["resources"] = in_quotes(others);
    std::string all;
    for (const auto& [key, value] : labels) all += (all.empty() ? "" : ",") + key.str() + "=" + value.str();
    if (!all.empty()) params["labels"] = all;
    return params;
}

std::string start_command(bool head, dict<text> params, const api::core::v1::resource_requirements& may_use) {
    for (const auto* from : {&may_use.limits, &may_use.requests}) {
        const auto* cpu = from->get("cpu");
        if (cpu != nullptr && !is_nothing(*cpu) && !params.contains("num-cpus")) params["num-cpus"] = whole(*cpu);
    }
    const auto* memory = may_use.limits.get("memory");
    if (memory != nullptr && !is_nothing(*memory) && !params.contains("memory")) params["memory"] = whole(*memory);
    add_accelerators(params, may_use.limits);
    std::string out = head ? "ray start --head " : "ray start ";
    for (const auto& [option, argument] : params) {
        const std::string value = lower(argument);
        const bool is_switch =
            (value == "true" || value == "false") && option != "log-color" && option != "include-dashboard";
        if (!is_switch) out += " --" + option.str() + "=" + argument.str() + " ";
        if (is_switch && value == "true") out += " --" + option.str() + " ";
    }
    return out;
}

}  // namespace ray_operator
