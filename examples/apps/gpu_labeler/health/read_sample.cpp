#include "health/read_sample.hpp"

#include "inventory/mig_profile.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace gpu_labeler {
namespace {

std::optional<std::uint64_t> number_of(const nvml::field_value& field) {
    if (field.status != nvml::success) return std::nullopt;
    const auto as = [&](auto number) -> std::optional<std::uint64_t> {
        std::memcpy(&number, field.value, sizeof(number));
        if (number < decltype(number)()) return std::nullopt;
        return static_cast<std::uint64_t>(number);
    };
    switch (field.value_type) {
    case nvml::field_value::is_double: return as(0.0);
    case nvml::field_value::is_uint: return as(std::uint32_t());
    case nvml::field_value::is_ulong:
    case nvml::field_value::is_ulonglong: return as(std::uint64_t());
    case nvml::field_value::is_longlong: return as(std::int64_t());
    case nvml::field_value::is_int: return as(std::int32_t());
    case nvml::field_value::is_ushort: return as(std::uint16_t());
    default: return std::nullopt;
    }
}

/// Asks one GPU. A question that it has no answer to leaves the field empty; after one that says that the GPU is lost,
/// or NVML stale, no more is asked.
class gpu_questions {
public:
    gpu_questions(nvml_session& session, const nvml::library& nvml, unsigned index)
        : session_(session), nvml_(nvml), watch_(session.watch()) {
        sample_.index = index;
    }

    gpu_sample ask();

private:
    // NVML's functions write the answer where their last argument points to.
    template <class Answer, class Question, class... Arguments>
    std::optional<Answer> get(const Question& question, Arguments... arguments) {
        Answer answer{};
        if (over_ || !answered(question(watch_, handle_, arguments..., &answer))) return std::nullopt;
        return answer;
    }

    // Several fields in one call, of all links where they are about links. A driver is reported to touch one
    // element more than it is asked for, so there is one.
    template <std::size_t Count>
    std::optional<std::array<nvml::field_value, Count + 1>> get_fields(const std::uint32_t (&ids)[Count]) {
        std::array<nvml::field_value, Count + 1> fields{};
        for (std::size_t i = 0; i < Count; ++i) {
            fields[i].id = ids[i];
            const bool of_links =
                ids[i] == nvml::field_value::nvlink_transmitted || ids[i] == nvml::field_value::nvlink_received;
            if (of_links) fields[i].scope = nvml::field_value::all_links;
        }
        if (over_ || !answered(nvml_.device_fields(watch_, handle_, static_cast<int>(Count), fields.data()))) {
            return std::nullopt;
        }
        return fields;
    }

    bool answered(int status);
    void fail(int status);
    void name_it();
    void ask_memory();
    void ask_activity();
    void ask_errors();
    void ask_fields();
    void ask_licence();
    void ask_nvlink();
    void ask_migs();

    nvml_session& session_;
    const nvml::library& nvml_;
    nvml::call_watch& watch_;
    nvml::device handle_ = nullptr;
    gpu_sample sample_;
    bool over_ = false;
};

bool gpu_questions::answered(int status) {
    if (status == nvml::success) return true;
    const bool lost = status == nvml::gpu_is_lost || status == nvml::reset_required;
    if (lost || makes_handles_stale(status)) fail(status);
    return false;
}

void gpu_questions::fail(int status) {
    (void)session_.failed("a GPU", status);
    over_ = true;
    sample_.health = gpu_health::failed;
    sample_.reason = nvml::describe(status);
    if (session_.initialized()) session_.gpu_is_lost();
}

gpu_sample gpu_questions::ask() {
    if (const int s = nvml_.device_by_index(watch_, sample_.index, &handle_); s != nvml::success) {
        fail(s);
        return sample_;
    }
    std::array<char, nvml::uuid_size> uuid{};
    if (const int s = nvml_.device_uuid(watch_, handle_, uuid.data(), nvml::uuid_size); s != nvml::success) {
        fail(s);
        return sample_;
    }
    sample_.uuid = text_of(uuid);
    name_it();
    ask_memory();
    ask_activity();
    ask_errors();
    ask_fields();
    ask_licence();
    ask_nvlink();
    ask_migs();
    return sample_;
}

void gpu_questions::name_it() {
    std::array<char, nvml::name_size> name{};
    if (answered(nvml_.device_name(watch_, handle_, name.data(), nvml::name_size))) sample_.name = text_of(name);
    if (const auto pci = get<nvml::pci_info>(nvml_.device_pci)) sample_.bus_id = text_of(pci->bus_id);
    sample_.minor = get<unsigned>(nvml_.device_minor);
}

void gpu_questions::ask_memory() {
    if (over_) return;
    nvml::memory_v2 exact{};
    exact.version = nvml::memory_v2::version_2;
    if (answered(nvml_.device_memory_v2(watch_, handle_, &exact))) {
        sample_.memory_total_bytes = exact.total;
        sample_.memory_used_bytes = exact.used;
        sample_.memory_free_bytes = exact.free;
        sample_.memory_reserved_bytes = exact.reserved;
    } else if (const auto memory = get<nvml::memory>(nvml_.device_memory)) {
        sample_.memory_total_bytes = memory->total;
        sample_.memory_used_bytes = memory->used;
        sample_.memory_free_bytes = memory->free;
    }
}

void gpu_questions::ask_activity() {
    if (const auto busy = get<nvml::utilization>(nvml_.device_utilization)) {
        sample_.gpu_percent = busy->gpu;
        sample_.memory_percent = busy->memory;
    }
    unsigned percent = 0;
    unsigned period = 0;
    if (!over_ && answered(nvml_.encoder_utilization(watch_, handle_, &percent, &period))) {
        sample_.encoder_percent = percent;
    }
    if (!over_ && answered(nvml_.decoder_utilization(watch_, handle_, &percent, &period))) {
        sample_.decoder_percent = percent;
    }
    if (const auto degrees = get<unsigned>(nvml_.device_temperature, 0U)) sample_.temperature_celsius = *degrees;
    if (const auto mw = get<unsigned>(nvml_.device_power)) sample_.power_watts = *mw / 1000.0;
    if (const auto mw = get<unsigned>(nvml_.device_power_limit)) sample_.power_limit_watts = *mw / 1000.0;
    if (const auto mj = get<unsigned long long>(nvml_.device_energy)) {
        sample_.energy_joules = static_cast<double>(*mj) / 1000.0;
    }
    sample_.sm_clock_mhz = get<unsigned>(nvml_.device_clock, nvml::sm_clock);
    sample_.memory_clock_mhz = get<unsigned>(nvml_.device_clock, nvml::memory_clock);
}

void gpu_questions::ask_errors() {
    sample_.pcie_replays = get<unsigned>(nvml_.device_pcie_replays);
    const auto ecc = [this](nvml::ecc_kind kind, nvml::ecc_since since) {
        return get<unsigned long long>(nvml_.device_ecc_errors, kind, since);
    };
    sample_.ecc_corrected_volatile = ecc(nvml::corrected, nvml::since_boot);
    sample_.ecc_corrected_aggregate = ecc(nvml::corrected, nvml::since_made);
    sample_.ecc_uncorrected_volatile = ecc(nvml::uncorrected, nvml::since_boot);
    sample_.ecc_uncorrected_aggregate = ecc(nvml::uncorrected, nvml::since_made);
    unsigned corrected = 0;
    unsigned uncorrected = 0;
    unsigned pending = 0;
    unsigned failed = 0;
    if (!over_ && answered(nvml_.device_rows(watch_, handle_, &corrected, &uncorrected, &pending, &failed))) {
        sample_.rows_remapped_corrected = corrected;
        sample_.rows_remapped_uncorrected = uncorrected;
        sample_.row_remap_pending = pending != 0;
        sample_.row_remap_failed = failed != 0;
    } else if (const auto pages = get<unsigned>(nvml_.device_pages_pending)) {
        sample_.pages_pending = *pages != 0;
    }
}

void gpu_questions::ask_fields() {
    const auto fields = get_fields<2>({nvml::field_value::memory_temperature, nvml::field_value::recovery_action});
    if (!fields) return;
    // 0 °C is what boards without the sensor say that have the field.
    if (const auto degrees = number_of((*fields)[0]); degrees && *degrees > 0) {
        sample_.memory_temperature_celsius = static_cast<double>(*degrees);
    }
    if (const auto action = number_of((*fields)[1])) sample_.recovery_action = static_cast<unsigned>(*action);
}

// As DCGM has it: without a licence that is asked for, none is there.
void gpu_questions::ask_licence() {
    const auto found = get<nvml::licensable_features>(nvml_.device_licences);
    if (!found) return;
    sample_.vgpu_licensed = false;
    const auto count = std::min<std::size_t>(found->count, std::size(found->features));
    for (std::size_t i = 0; found->supported != 0 && i < count; ++i) {
        const auto& one = found->features[i];
        if (one.code == nvml::licensable_features::vgpu) sample_.vgpu_licensed = one.licensed != 0;
    }
}

void gpu_questions::ask_nvlink() {
    nvlink_sample found;
    for (unsigned link = 0; link < nvml::most_links && !over_; ++link) {
        unsigned active = 0;
        const int s = nvml_.link_state(watch_, handle_, link, &active);
        if (s == nvml::invalid_argument || s == nvml::not_supported || s == nvml::function_not_found) break;
        if (!answered(s)) continue;
        ++found.links;
        if (active != 0) ++found.active;
    }
    if (over_ || found.links == 0) return;
    const auto fields = get_fields<2>({nvml::field_value::nvlink_transmitted, nvml::field_value::nvlink_received});
    if (over_) return;
    const auto bytes = [](std::optional<std::uint64_t> kib) { return kib ? std::optional(*kib << 10) : std::nullopt; };
    if (fields) found.transmitted_bytes = bytes(number_of((*fields)[0]));
    if (fields) found.received_bytes = bytes(number_of((*fields)[1]));
    sample_.nvlink = found;
}

void gpu_questions::ask_migs() {
    unsigned enabled = 0;
    unsigned pending = 0;
    if (over_ || !answered(nvml_.mig_mode(watch_, handle_, &enabled, &pending)) || enabled != 1) return;
    const auto count = get<unsigned>(nvml_.mig_count);
    const auto gpu_memory = sample_.memory_total_bytes.value_or(0);
    for (unsigned i = 0; i < count.value_or(0); ++i) {
        nvml::device slice = nullptr;
        nvml::attributes parts{};
        std::array<char, nvml::uuid_size> uuid{};
        // Numbers without an instance are usual, and one may go between two questions.
        if (nvml_.mig_by_index(watch_, handle_, i, &slice) != nvml::success ||
            nvml_.mig_attributes(watch_, slice, &parts) != nvml::success ||
            nvml_.device_uuid(watch_, slice, uuid.data(), nvml::uuid_size) != nvml::success) {
            continue;
        }
        mig_sample m;
        m.uuid = text_of(uuid);
        m.profile = mig_profile_name(parts, gpu_memory);
        if (unsigned id = 0; nvml_.mig_gpu_instance(watch_, slice, &id) == nvml::success) m.gpu_instance = id;
        if (nvml::memory memory{}; nvml_.device_memory(watch_, slice, &memory) == nvml::success) {
            m.memory_total_bytes = memory.total;
            m.memory_used_bytes = memory.used;
            m.memory_free_bytes = memory.free;
        }
        sample_.migs.push_back(std::move(m));
    }
}

node_sample broken(const nvml_session& session, const kcontrol::error& why) {
    node_sample node;
    node.state = state_of(session.last_status());
    node.message = why.message();
    return node;
}

}  // namespace

reader_state state_of(int status) {
    switch (status) {
    case nvml::library_not_found:
    case nvml::driver_not_loaded: return reader_state::no_driver;
    case nvml::no_gpu: return reader_state::no_device;
    default: return reader_state::failing;
    }
}

node_sample read_sample(nvml_session& session) {
    const auto ready = session.initialize();
    if (!ready) return broken(session, ready.error());
    const nvml::library& nvml = **ready;
    auto& watch = session.watch();
    node_sample node;
    std::array<char, nvml::version_size> version{};
    if (const int s = nvml.driver_version(watch, version.data(), nvml::version_size); s != nvml::success) {
        return broken(session, session.broken("the driver's version", s));
    }
    node.driver_version = text_of(version);
    if (int cuda = 0; nvml.cuda_version(watch, &cuda) == nvml::success) node.cuda_version = cuda;
    unsigned count = 0;
    if (const int s = nvml.device_count(watch, &count); s != nvml::success) {
        return broken(session, session.broken("the number of GPUs", s));
    }
    node.state = count == 0 ? reader_state::no_device : reader_state::ok;
    if (count == 0) node.message = nvml::describe(nvml::no_gpu);
    for (unsigned i = 0; i < count; ++i) {
        if (const auto hangs = session.hanging_gpus.find(i); hangs != session.hanging_gpus.end()) {
            gpu_sample gpu;
            gpu.index = i;
            gpu.health = gpu_health::failed;
            gpu.reason = hangs->second;
            node.gpus.push_back(std::move(gpu));
            continue;
        }
        watch.about(i);
        auto gpu = gpu_questions(session, nvml, i).ask();
        if (!session.initialized()) {
            return broken(session,
                          kcontrol::error(kcontrol::errc::unavailable, "GPU " + std::to_string(i) + ": " + gpu.reason));
        }
        node.gpus.push_back(std::move(gpu));
    }
    return node;
}

}  // namespace gpu_labeler
