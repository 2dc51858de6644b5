#include "inventory/read.hpp"

#include "inventory/mig_profile.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gpu_labeler {
namespace {

using kcontrol::result;

std::string hex_uuid(const std::uint8_t (&bytes)[16]) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

std::optional<std::uint32_t> hex_number(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    std::uint32_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

class inventory_reader {
public:
    inventory_reader(nvml_session& session, const nvml::library& nvml)
        : session_(session), nvml_(nvml), watch_(session.watch()) {}

    result<inventory> read();

private:
    result<gpu> read_gpu(unsigned index);
    void read_mig(gpu& g, nvml::device handle);
    void read_fabric(gpu& g, nvml::device handle);
    void read_pci(gpu& g, nvml::device handle);

    nvml_session& session_;
    const nvml::library& nvml_;
    nvml::call_watch& watch_;
};

result<inventory> inventory_reader::read() {
    inventory found;
    std::array<char, nvml::version_size> version{};
    if (const int s = nvml_.driver_version(watch_, version.data(), nvml::version_size); s != nvml::success) {
        return session_.broken("the driver's version", s);
    }
    found.driver_version = text_of(version);
    if (int cuda = 0; nvml_.cuda_version(watch_, &cuda) == nvml::success) found.cuda_version = cuda;
    unsigned count = 0;
    if (const int s = nvml_.device_count(watch_, &count); s != nvml::success) {
        return session_.broken("the number of GPUs", s);
    }
    for (unsigned i = 0; i < count; ++i) {
        if (const auto hangs = session_.hanging_gpus.find(i); hangs != session_.hanging_gpus.end()) {
            found.lost.push_back({i, hangs->second});
            continue;
        }
        watch_.about(i);
        auto g = read_gpu(i);
        if (!session_.initialized()) return g.error();
        if (g) {
            found.gpus.push_back(std::move(*g));
        } else {
            found.lost.push_back({i, g.error().message()});
            session_.gpu_is_lost();
        }
    }
    return found;
}

result<gpu> inventory_reader::read_gpu(unsigned index) {
    nvml::device handle = nullptr;
    if (const int s = nvml_.device_by_index(watch_, index, &handle); s != nvml::success) {
        return session_.failed("its handle", s);
    }
    gpu g;
    g.index = index;
    std::array<char, nvml::uuid_size> uuid{};
    if (const int s = nvml_.device_uuid(watch_, handle, uuid.data(), nvml::uuid_size); s != nvml::success) {
        return session_.failed("its UUID", s);
    }
    g.uuid = text_of(uuid);
    std::array<char, nvml::name_size> name{};
    if (const int s = nvml_.device_name(watch_, handle, name.data(), nvml::name_size); s != nvml::success) {
        return session_.failed("its name", s);
    }
    g.name = text_of(name);
    // Without memory of its own (an integrated GPU) this is not supported.
    nvml::memory memory{};
    const int s = nvml_.device_memory(watch_, handle, &memory);
    if (s != nvml::success && s != nvml::not_supported) return session_.failed("its memory", s);
    g.memory_bytes = memory.total;
    if (int major = 0, minor = 0; nvml_.compute_capability(watch_, handle, &major, &minor) == nvml::success) {
        g.compute = compute_version{major, minor};
    }
    read_pci(g, handle);
    read_fabric(g, handle);
    read_mig(g, handle);
    return g;
}

void inventory_reader::read_pci(gpu& g, nvml::device handle) {
    nvml::pci_info pci{};
    if (nvml_.device_pci(watch_, handle, &pci) != nvml::success) return;
    g.bus_id = text_of(pci.bus_id);
    if (const auto text = session_.sysfs_of(g.bus_id, "class")) g.pci_class = hex_number(*text);
}

void inventory_reader::read_fabric(gpu& g, nvml::device handle) {
    nvml::fabric_info fabric{};
    fabric.version = nvml::fabric_info::version_2;
    if (nvml_.device_fabric(watch_, handle, &fabric) != nvml::success) return;
    const bool named = std::any_of(std::begin(fabric.cluster_uuid), std::end(fabric.cluster_uuid),
                                   [](std::uint8_t b) { return b != 0; });
    if (fabric.state != nvml::fabric_info::completed || fabric.status != nvml::success || !named) return;
    g.fabric = fabric_place{hex_uuid(fabric.cluster_uuid), fabric.clique_id};
}

void inventory_reader::read_mig(gpu& g, nvml::device handle) {
    unsigned enabled = 0;
    unsigned pending = 0;
    if (nvml_.mig_mode(watch_, handle, &enabled, &pending) != nvml::success) return;
    g.mig_enabled = enabled == 1;
    unsigned count = 0;
    if (!*g.mig_enabled || nvml_.mig_count(watch_, handle, &count) != nvml::success) return;
    for (unsigned i = 0; i < count; ++i) {
        nvml::device slice = nullptr;
        nvml::attributes parts{};
        std::array<char, nvml::uuid_size> uuid{};
        // Numbers without an instance are usual, and one may go between two questions.
        if (nvml_.mig_by_index(watch_, handle, i, &slice) != nvml::success ||
            nvml_.mig_attributes(watch_, slice, &parts) != nvml::success ||
            nvml_.device_uuid(watch_, slice, uuid.data(), nvml::uuid_size) != nvml::success) {
            continue;
        }
        g.migs.push_back({text_of(uuid), mig_profile_name(parts, g.memory_bytes), parts.memory_mib,
                          parts.multiprocessors, parts.gpu_slices, parts.compute_slices, parts.copy_engines,
                          parts.decoders, parts.encoders, parts.jpeg_decoders, parts.ofa_engines});
    }
}

}  // namespace

result<inventory> read_inventory(nvml_session& session) {
    const auto ready = session.initialize();
    if (!ready) return ready.error();
    return inventory_reader(session, **ready).read();
}

}  // namespace gpu_labeler
