#include "labels/gpu_labels.hpp"

#include "labels/label_value.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace gpu_labeler {
namespace {

const std::string whole_gpu = "nvidia.com/gpu";

std::string_view family(compute_version v) {
    switch (v.major) {
    case 1: return "tesla";
    case 2: return "fermi";
    case 3: return "kepler";
    case 5: return "maxwell";
    case 6: return "pascal";
    case 7: return v.minor < 5 ? "volta" : "turing";
    case 8: return v.minor < 9 ? "ampere" : "ada-lovelace";
    case 9: return "hopper";
    case 10:
    case 12: return "blackwell";
    case 13: return "rubin";
    default: return "undefined";
    }
}

std::string_view name_of(sharing_kind kind) {
    switch (kind) {
    case sharing_kind::time_slicing: return "time-slicing";
    case sharing_kind::mps: return "mps";
    case sharing_kind::none: break;
    }
    return "none";
}

std::string_view name_of(mig_strategy strategy) { return strategy == mig_strategy::single ? "single" : "mixed"; }

// Whether pods see its MIG devices and not the whole.
bool is_divided(const gpu& g) { return g.mig_enabled.value_or(false); }

// Writes the labels of one resource, `nvidia.com/gpu.count` and the like. Those of an earlier call stay where a later
// one has no such label.
class resource_labels {
public:
    resource_labels(label_map& labels, std::string resource) : labels_(labels), resource_(std::move(resource)) {}

    void set(std::string_view suffix, std::string_view value) {
        labels_[resource_ + "." + std::string(suffix)] = label_value(value);
    }
    void set(std::string_view suffix, std::uint64_t value) { set(suffix, std::to_string(value)); }

    // A model's name and what is special. Where that is too long, the model's name is cut.
    void product(std::string_view model, std::initializer_list<std::string_view> marks) {
        std::string suffix;
        for (const auto mark : marks) {
            if (!mark.empty()) suffix += "-" + label_value(mark);
        }
        set("product",
            label_value(model).substr(0, longest_label_value - std::min(suffix.size(), longest_label_value)) + suffix);
    }

    // Of a resource that pods can ask for.
    void shared(const sharing& how, std::string_view model, std::string_view profile = {}) {
        const auto at = how.resources.find(resource_);
        const auto replicas = at == how.resources.end() ? 1 : std::max(at->second.replicas, 1U);
        const bool mark = replicas > 1 && !at->second.renamed;
        product(model, {profile.empty() ? "" : "MIG", profile, mark ? "SHARED" : ""});
        set("replicas", replicas);
        set("sharing-strategy", replicas > 1 ? name_of(how.kind) : "none");
    }

private:
    label_map& labels_;
    std::string resource_;
};

void add_versions(label_map& labels, const inventory& found) {
    std::vector<std::string> parts(1);
    for (const char c : found.driver_version) {
        if (c == '.') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    if (parts.size() == 2 || parts.size() == 3) {
        const auto revision = parts.size() == 3 ? parts[2] : "";
        resource_labels driver(labels, "nvidia.com/cuda.driver-version");
        driver.set("major", parts[0]);
        driver.set("minor", parts[1]);
        driver.set("revision", revision);
        driver.set("full", found.driver_version);
        resource_labels old(labels, "nvidia.com/cuda.driver");
        old.set("major", parts[0]);
        old.set("minor", parts[1]);
        old.set("rev", revision);
    }
    if (found.cuda_version) {
        const auto major = std::to_string(*found.cuda_version / 1000);
        const auto minor = std::to_string(*found.cuda_version % 1000 / 10);
        resource_labels runtime(labels, "nvidia.com/cuda.runtime-version");
        runtime.set("major", major);
        runtime.set("minor", minor);
        runtime.set("full", major + "." + minor);
        resource_labels old(labels, "nvidia.com/cuda.runtime");
        old.set("major", major);
        old.set("minor", minor);
    }
}

// A GPU that stands for all of its model.
void add_model(label_map& labels, const gpu& g, std::size_t count, const sharing& how) {
    resource_labels out(labels, whole_gpu);
    if (is_divided(g)) {  // pods can't ask for it as a whole
        out.product(g.name, {});
        out.set("replicas", 0U);
        out.set("sharing-strategy", "none");
    } else {
        out.shared(how, g.name);
    }
    out.set("count", count);
    if (const auto mib = g.memory_bytes >> 20; mib != 0) out.set("memory", mib);
    if (g.compute && g.compute->major != 0) {
        out.set("family", family(*g.compute));
        out.set("compute.major", std::to_string(g.compute->major));
        out.set("compute.minor", std::to_string(g.compute->minor));
    }
}

void add_gpus(label_map& labels, const inventory& found, const sharing& how) {
    const auto whole = std::find_if_not(found.gpus.begin(), found.gpus.end(), is_divided);
    const auto& chosen = whole == found.gpus.end() ? found.gpus.front() : *whole;
    const auto count =
        std::count_if(found.gpus.begin(), found.gpus.end(), [&](const gpu& g) { return g.name == chosen.name; });
    add_model(labels, chosen, static_cast<std::size_t>(count), how);
}

struct mig_kind {
    const gpu* parent;
    const mig_device* first;
    std::size_t count;
};

// By profile, with '+' as resource names have it: 1g.5gb.me.
std::map<std::string, mig_kind> mig_kinds(const inventory& found) {
    std::map<std::string, mig_kind> kinds;
    for (const auto& g : found.gpus) {
        for (const auto& m : g.migs) {
            auto profile = m.profile;
            std::replace(profile.begin(), profile.end(), '+', '.');
            const auto [at, fresh] = kinds.try_emplace(profile, mig_kind{&g, &m, 0});
            ++at->second.count;
        }
    }
    return kinds;
}

void add_mig(label_map& labels, const std::string& resource, const std::string& profile, const mig_kind& kind,
             const sharing& how) {
    resource_labels out(labels, resource);
    const auto& m = *kind.first;
    out.shared(how, kind.parent->name, profile);
    out.set("count", kind.count);
    out.set("memory", m.memory_mib);
    out.set("multiprocessors", m.multiprocessors);
    out.set("slices.gi", m.gpu_slices);
    out.set("slices.ci", m.compute_slices);
    out.set("engines.copy", m.copy_engines);
    out.set("engines.decoder", m.decoders);
    out.set("engines.encoder", m.encoders);
    out.set("engines.jpeg", m.jpeg_decoders);
    out.set("engines.ofa", m.ofa_engines);
}

// With the strategy `single` all GPUs must be divided, and all in the same way.
void add_single(label_map& labels, const inventory& found, const sharing& how) {
    const auto first = std::find_if(found.gpus.begin(), found.gpus.end(), is_divided);
    if (first == found.gpus.end()) return;  // as with `none`
    const bool uniform = std::all_of(found.gpus.begin(), found.gpus.end(),
                                     [](const gpu& g) { return is_divided(g) && !g.migs.empty(); });
    const auto kinds = mig_kinds(found);
    if (uniform && kinds.size() == 1) {
        add_mig(labels, whole_gpu, kinds.begin()->first, kinds.begin()->second, how);
        return;
    }
    resource_labels out(labels, whole_gpu);
    out.product(first->name, {"MIG", "INVALID"});
    for (const auto* suffix : {"count", "replicas", "memory"}) out.set(suffix, 0U);
    out.set("sharing-strategy", "");
}

void add_mig_strategy(label_map& labels, const inventory& found, const label_options& options) {
    if (options.strategy() == mig_strategy::none) return;
    labels["nvidia.com/mig.strategy"] = name_of(options.strategy());
    if (options.strategy() == mig_strategy::single) {
        add_single(labels, found, options.shared());
        return;
    }
    for (const auto& [profile, kind] : mig_kinds(found)) {
        add_mig(labels, "nvidia.com/mig-" + profile, profile, kind, options.shared());
    }
}

// By the PCI class, where all have the same.
std::string_view mode_of(const inventory& found) {
    const auto first = found.gpus.front().pci_class;
    const bool same =
        std::all_of(found.gpus.begin(), found.gpus.end(), [&](const gpu& g) { return g.pci_class == first; });
    if (!same || !first) return "unknown";
    return *first == 0x030000 ? "graphics" : *first == 0x030200 ? "compute" : "unknown";
}

// A node is in one clique of one cluster, or says nothing.
void add_clique(label_map& labels, const inventory& found) {
    std::optional<fabric_place> place;
    for (const auto& g : found.gpus) {
        if (!g.fabric) continue;
        if (place && *place != *g.fabric) return;
        place = g.fabric;
    }
    if (place) labels["nvidia.com/gpu.clique"] = label_value(place->cluster + "." + std::to_string(place->clique));
}

}  // namespace

label_map gpu_labels(const inventory& found, const label_options& options) {
    label_map labels;
    if (options.started()) labels[timestamp_label] = std::to_string(*options.started());
    if (found.gpus.empty()) return labels;
    const auto machine = label_value(options.machine());
    labels["nvidia.com/gpu.machine"] = machine.empty() ? "unknown" : machine;
    add_versions(labels, found);
    const bool capable = std::any_of(found.gpus.begin(), found.gpus.end(), [](const gpu& g) { return g.mig_enabled; });
    labels["nvidia.com/mig.capable"] = capable ? "true" : "false";
    const bool divided = std::any_of(found.gpus.begin(), found.gpus.end(), is_divided);
    labels["nvidia.com/mps.capable"] = options.shared().kind == sharing_kind::mps && !divided ? "true" : "false";
    add_gpus(labels, found, options.shared());
    add_mig_strategy(labels, found, options);
    labels["nvidia.com/gpu.mode"] = mode_of(found);
    add_clique(labels, found);
    return labels;
}

}  // namespace gpu_labeler
