#include "topology/read_topology.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace gpu_labeler {
namespace {

using kcontrol::result;

/// A device at the far end of an NVLink that says what it is, or at least where.
struct far_end {
    std::optional<unsigned> type;
    std::string bus_id;
    std::uint32_t vendor = 0;
};

class topology_reader {
public:
    topology_reader(nvml_session& session, const nvml::library& nvml)
        : session_(session), nvml_(nvml), watch_(session.watch()) {}

    result<topology> read();

private:
    result<connected_gpu> read_gpu(unsigned index);
    void read_links(connected_gpu& gpu, nvml::device handle);
    std::optional<unsigned> read_numa_node(const std::string& bus_id, nvml::device handle);
    void classify_untyped();
    void connect(topology& t);

    nvml_session& session_;
    const nvml::library& nvml_;
    nvml::call_watch& watch_;
    std::vector<nvml::device> handles_;
    std::vector<connected_gpu> gpus_;
    std::vector<std::vector<far_end>> untyped_;  // by GPU: ends of links of which the driver does not say the type
};

result<topology> topology_reader::read() {
    unsigned count = 0;
    if (const int s = nvml_.device_count(watch_, &count); s != nvml::success) {
        return session_.broken("the number of GPUs", s);
    }
    for (unsigned i = 0; i < count; ++i) {
        if (session_.hanging_gpus.contains(i)) continue;
        watch_.about(i);
        const auto gpu = read_gpu(i);
        if (!session_.initialized()) return gpu.error();
        if (!gpu) session_.gpu_is_lost();
    }
    classify_untyped();
    topology t;
    connect(t);
    t.gpus = std::move(gpus_);
    return t;
}

result<connected_gpu> topology_reader::read_gpu(unsigned index) {
    connected_gpu gpu;
    gpu.index = index;
    nvml::device handle = nullptr;
    if (const int s = nvml_.device_by_index(watch_, index, &handle); s != nvml::success) {
        return session_.failed("its handle", s);
    }
    std::array<char, nvml::uuid_size> uuid{};
    if (const int s = nvml_.device_uuid(watch_, handle, uuid.data(), nvml::uuid_size); s != nvml::success) {
        return session_.failed("its UUID", s);
    }
    gpu.uuid = text_of(uuid);
    if (nvml::pci_info pci{}; nvml_.device_pci(watch_, handle, &pci) == nvml::success) gpu.bus_id = text_of(pci.bus_id);
    unsigned enabled = 0;
    unsigned pending = 0;
    gpu.divided = nvml_.mig_mode(watch_, handle, &enabled, &pending) == nvml::success && enabled == 1;
    gpu.numa_node = read_numa_node(gpu.bus_id, handle);
    untyped_.emplace_back();
    read_links(gpu, handle);
    handles_.push_back(handle);
    gpus_.push_back(gpu);
    return gpu;
}

void topology_reader::read_links(connected_gpu& gpu, nvml::device handle) {
    for (unsigned link = 0; link < nvml::most_links; ++link) {
        unsigned active = 0;
        const int s = nvml_.link_state(watch_, handle, link, &active);
        if (s == nvml::invalid_argument || s == nvml::not_supported || s == nvml::function_not_found) return;
        if (s != nvml::success || active == 0) continue;
        far_end end;
        unsigned type = 0;
        if (nvml_.link_remote_type(watch_, handle, link, &type) == nvml::success && type != nvml::end_unknown) {
            end.type = type;
        }
        if (nvml::pci_info pci{}; nvml_.link_remote_pci(watch_, handle, link, &pci) == nvml::success) {
            end.bus_id = text_of(pci.bus_id);
            end.vendor = pci.device_and_vendor & 0xffff;
        }
        if (!end.type) {
            untyped_.back().push_back(std::move(end));
        } else if (*end.type == nvml::ends_at_gpu) {
            gpu.gpu_links.push_back(std::move(end.bus_id));
        } else if (*end.type == nvml::ends_at_switch) {
            ++gpu.switch_links;
        }
    }
}

// Old drivers say only where a link ends. At no GPU of ours, but at something of NVIDIA's: a switch.
void topology_reader::classify_untyped() {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        for (const auto& end : untyped_[i]) {
            const bool at_gpu = std::any_of(gpus_.begin(), gpus_.end(),
                                            [&](const connected_gpu& gpu) { return gpu.bus_id == end.bus_id; });
            if (at_gpu) {
                gpus_[i].gpu_links.push_back(end.bus_id);
            } else if (end.vendor == nvml::nvidia_vendor) {
                ++gpus_[i].switch_links;
            }
        }
    }
}

std::optional<unsigned> topology_reader::read_numa_node(const std::string& bus_id, nvml::device handle) {
    if (const auto text = session_.sysfs_of(bus_id, "numa_node")) {
        unsigned node = 0;
        const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), node);
        if (failed == std::errc()) return node;
        return std::nullopt;  // -1: the machine has no nodes
    }
    unsigned long mask = 0;
    if (nvml_.memory_affinity(watch_, handle, 1U, &mask, 0U) != nvml::success || mask == 0) return std::nullopt;
    return static_cast<unsigned>(std::countr_zero(mask));
}

void topology_reader::connect(topology& t) {
    const auto size = gpus_.size();
    t.nvlinks.assign(size, std::vector<unsigned>(size));
    t.paths.assign(size, std::vector<std::optional<pcie_path>>(size));
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = i + 1; j < size; ++j) {
            t.nvlinks[i][j] = t.nvlinks[j][i] = nvlinks_between(gpus_[i], gpus_[j]);
            unsigned level = 0;
            if (nvml_.common_ancestor(watch_, handles_[i], handles_[j], &level) != nvml::success) continue;
            t.paths[i][j] = t.paths[j][i] = path_of(level);
        }
    }
}

}  // namespace

std::optional<pcie_path> path_of(unsigned level) noexcept {
    switch (level) {
    case 0: return pcie_path::same_board;
    case 10: return pcie_path::one_switch;
    case 20: return pcie_path::switches;
    case 30: return pcie_path::host_bridge;
    case 40: return pcie_path::numa_node;
    case 50: return pcie_path::system;
    default: return std::nullopt;
    }
}

result<topology> read_topology(nvml_session& session) {
    const auto ready = session.initialize();
    if (!ready) return ready.error();
    return topology_reader(session, **ready).read();
}

}  // namespace gpu_labeler
