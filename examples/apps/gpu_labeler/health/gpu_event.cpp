#include "health/gpu_event.hpp"

#include <array>
#include <map>

namespace gpu_labeler {
namespace {

constexpr unsigned one_wait_ms = 200;
constexpr std::uint64_t wanted = nvml::ecc_double_bit | nvml::xid_reported | nvml::mig_changed | nvml::poison |
                                 nvml::fatal_poison | nvml::gpu_unavailable | nvml::recovery_changed;

gpu_event_kind kind_of(std::uint64_t type) {
    switch (type) {
    case nvml::mig_changed: return gpu_event_kind::mig_changed;
    case nvml::gpu_unavailable: return gpu_event_kind::lost;
    case nvml::recovery_changed: return gpu_event_kind::recovery;
    case nvml::xid_reported: return gpu_event_kind::xid;
    default: return gpu_event_kind::memory_error;
    }
}

/// A set with the GPUs that can be watched.
class event_source {
public:
    event_source(nvml_session& session, const nvml::library& nvml)
        : session_(session), nvml_(nvml), watch_(session.watch()), status_(nvml_.event_set_create(watch_, &set_)) {}
    ~event_source() {
        if (status_ == nvml::success && session_.initialized()) (void)nvml_.event_set_free(watch_, set_);
    }
    event_source(const event_source&) = delete;
    event_source& operator=(const event_source&) = delete;

    int watch_all() {
        if (status_ != nvml::success) return status_;
        unsigned count = 0;
        if (const int s = nvml_.device_count(watch_, &count); s != nvml::success) return s;
        for (unsigned i = 0; i < count; ++i) {
            if (session_.hanging_gpus.contains(i)) continue;
            watch_.about(i);
            watch_one(i);
        }
        watch_.about(std::nullopt);
        return gpus_.empty() ? nvml::not_supported : nvml::success;
    }

    // Nothing: the time was over.
    std::optional<gpu_event> wait(int& status) {
        nvml::event_data data{};
        status = nvml_.event_wait(watch_, set_, &data, one_wait_ms);
        if (status != nvml::success) return std::nullopt;
        gpu_event event;
        event.kind = kind_of(data.type);
        if (event.kind == gpu_event_kind::xid) event.xid = data.data;
        if (data.gpu_instance != nvml::event_data::not_told) event.gpu_instance = data.gpu_instance;
        if (const auto gpu = gpus_.find(data.gpu); gpu != gpus_.end()) {
            event.index = gpu->second.first;
            event.uuid = gpu->second.second;
        }
        return event;
    }

private:
    void watch_one(unsigned index) {
        nvml::device gpu = nullptr;
        std::array<char, nvml::uuid_size> uuid{};
        unsigned long long supported = 0;
        if (nvml_.device_by_index(watch_, index, &gpu) != nvml::success ||
            nvml_.device_uuid(watch_, gpu, uuid.data(), nvml::uuid_size) != nvml::success ||
            nvml_.device_event_types(watch_, gpu, &supported) != nvml::success || (supported & wanted) == 0 ||
            nvml_.register_events(watch_, gpu, supported & wanted, set_) != nvml::success) {
            return;
        }
        gpus_[gpu] = {index, text_of(uuid)};
    }

    nvml_session& session_;
    const nvml::library& nvml_;
    nvml::call_watch& watch_;
    nvml::event_set set_ = nullptr;
    int status_;
    std::map<nvml::device, std::pair<unsigned, std::string>> gpus_;
};

}  // namespace

int wait_for_events(nvml_session& session, event_listener& listener) {
    const auto ready = session.initialize();
    if (!ready) return session.last_status();
    int status = nvml::success;
    bool waited = false;
    {
        event_source source(session, **ready);
        status = source.watch_all();
        while (status == nvml::success && !listener.is_over() && !session.should_close()) {
            listener.watching();
            if (auto event = source.wait(status)) listener.notify(std::move(*event));
            if (status == nvml::timed_out) status = nvml::success;
            waited = waited || status == nvml::success;
        }
        if (status == nvml::success && waited) listener.watching();
    }
    session.close();
    // One that was lost from the beginning is no event.
    if (status != nvml::gpu_is_lost || !waited) return status;
    gpu_event lost;
    lost.kind = gpu_event_kind::lost;
    listener.notify(std::move(lost));
    return status;
}

}  // namespace gpu_labeler
