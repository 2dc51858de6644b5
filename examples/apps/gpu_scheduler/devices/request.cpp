#include "devices/request.hpp"

#include <kcontrol/values/quantity.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace gpu_scheduler {
namespace {

namespace core = kcontrol::api::core::v1;

constexpr std::string_view prefix = "nvidia.com/";
constexpr std::int64_t most_gpus = 64;
constexpr std::int64_t most_mib = std::int64_t{1} << 40U;

// The amounts of a container, with errors that name their field.
class amounts {
public:
    amounts(const core::container& of, std::string path) : resources_(of.resources), path_(std::move(path)) {}

    std::string field(std::string_view name) const {
        return path_ + ".resources.limits[" + std::string(prefix) + std::string(name) + "]";
    }
    // The amount of nvidia.com/NAME, or none if the container doesn't name it.
    result<std::optional<std::int64_t>> get(std::string_view name, std::int64_t least, std::int64_t most) const {
        const auto key = std::string(prefix) + std::string(name);
        const auto* said = resources_.limits.get(key);
        if (said == nullptr) said = resources_.requests.get(key);
        if (said == nullptr) return std::optional<std::int64_t>();
        const auto read = kcontrol::quantity::parse(std::string_view(*said));
        const auto number = read ? read->as_int64() : std::nullopt;
        if (number && *number >= least && *number <= most) return number;
        return bad_value(field(name) + ": " + in_quotes(std::string_view(*said)) + " is no whole number from " +
                         std::to_string(least) + " to " + std::to_string(most));
    }
    // The names behind nvidia.com/ that begin with "mig-".
    std::vector<std::string> slice_names() const {
        std::vector<std::string> out;
        for (const auto* list : {&resources_.limits, &resources_.requests}) {
            for (const auto& [key, amount] : *list) {
                const std::string_view name(key);
                if (!name.starts_with(prefix) || !name.substr(prefix.size()).starts_with("mig-")) continue;
                out.emplace_back(name.substr(prefix.size()));
            }
        }
        std::ranges::sort(out);
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

private:
    const core::resource_requirements& resources_;
    std::string path_;
};

// "mig-1g.10gb.me" is the profile "1g.10gb+me".
std::string profile_of(std::string_view name) {
    std::string out(name.substr(std::string_view("mig-").size()));
    if (out.ends_with(".me")) out.replace(out.size() - 3, 1, "+");
    return out;
}

result<container_request> read_container(const amounts& from) {
    container_request out;
    const auto gpus = from.get("gpu", 0, most_gpus);
    if (!gpus) return gpus.error();
    const auto memory = from.get("gpumem", 1, most_mib);
    if (!memory) return memory.error();
    const auto percent = from.get("gpumem-percentage", 1, 100);
    if (!percent) return percent.error();
    const auto cores = from.get("gpucores", 0, 100);
    if (!cores) return cores.error();
    out.gpus = static_cast<int>(gpus->value_or(0));
    out.is_share = *memory || *percent || *cores;
    if (*memory && *percent) {
        return bad_value(from.field("gpumem-percentage") + ": \"" + std::to_string(**percent) +
                         "\" excludes nvidia.com/gpumem; one of the two is enough");
    }
    if (out.is_share && out.gpus == 0) {
        const auto name = *memory ? "gpumem" : *percent ? "gpumem-percentage" : "gpucores";
        const auto value = *memory ? **memory : *percent ? **percent : **cores;
        return bad_value(from.field(name) + ": \"" + std::to_string(value) + "\" is there without nvidia.com/gpu");
    }
    out.memory_mib = memory->value_or(0);
    if (out.is_share && !*memory) out.memory_percent = static_cast<int>(percent->value_or(100));
    out.cores = static_cast<int>(cores->value_or(0));
    for (const auto& name : from.slice_names()) {
        const auto count = from.get(name, 0, most_gpus * 7);
        if (!count) return count.error();
        out.slices.insert(out.slices.end(), static_cast<std::size_t>(count->value_or(0)), profile_of(name));
    }
    return out;
}

}  // namespace

result<gpu_request> read_request(const core::pod& pod) {
    gpu_request out;
    int whole = 0, most_of_init = 0;
    std::string init_field;
    const auto take = [&](const core::container& container, const std::string& path, bool ends) -> result<void> {
        const amounts from(container, path);
        auto one = read_container(from);
        if (!one) return one.error();
        if (ends) {
            if (one->is_share || !one->slices.empty()) {
                return bad_value(path + ".resources.limits: an init container that ends takes whole GPUs only");
            }
            if (one->gpus > most_of_init) init_field = from.field("gpu");
            most_of_init = std::max(most_of_init, one->gpus);
            return {};
        }
        if (!one->is_share) whole += one->gpus;
        if (one->gpus > 0 || !one->slices.empty()) out.containers.push_back(std::move(*one));
        return {};
    };
    std::size_t place = 0;
    for (const auto& each : pod.spec.init_containers) {
        const auto path = "spec.initContainers[" + std::to_string(place++) + "]";
        if (auto done = take(each, path, each.restart_policy != "Always"); !done) return done.error();
    }
    place = 0;
    for (const auto& each : pod.spec.containers) {
        if (auto done = take(each, "spec.containers[" + std::to_string(place++) + "]", false); !done)
            return done.error();
    }
    if (most_of_init > whole) {
        return bad_value(init_field + ": \"" + std::to_string(most_of_init) + "\" is more than the " +
                         std::to_string(whole) + " GPUs of the containers");
    }
    return out;
}

}  // namespace gpu_scheduler
