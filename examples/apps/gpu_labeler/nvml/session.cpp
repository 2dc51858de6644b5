#include "nvml/session.hpp"

#include <kcontrol/base/ascii.hpp>

#include <algorithm>
#include <chrono>

namespace gpu_labeler {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

namespace {

// 00000000:3B:00.0, as NVML writes it, is 0000:3b:00.0 in sysfs.
std::string sysfs_name(std::string bus_id) {
    bus_id = kcontrol::ascii_lower(bus_id);
    const auto colon = bus_id.find(':');
    return colon != bus_id.npos && colon > 4 ? bus_id.substr(colon - 4) : bus_id;
}

constexpr auto between_restarts = std::chrono::minutes(5);

}  // namespace

bool makes_handles_stale(int status) {
    return status == nvml::uninitialized || status == nvml::version_mismatch || status == nvml::driver_not_loaded;
}

nvml_session::nvml_session(const kcontrol::environment& env, std::string library_path, std::string sysfs,
                           file_reader read_file)
    : env_(env),
      watch_(env),
      path_(std::move(library_path)),
      sysfs_(std::move(sysfs)),
      read_file_(std::move(read_file)) {}

std::optional<std::string> nvml_session::sysfs_of(const std::string& bus_id, const std::string& name) const {
    if (bus_id.empty() || bus_id.find('/') != bus_id.npos) return std::nullopt;
    const nvml::call_watch::mark mark(watch_, "a read of sysfs");
    return read_file_(sysfs_ + "/bus/pci/devices/" + sysfs_name(bus_id) + "/" + name);
}

result<std::shared_ptr<const nvml::library>> nvml_session::open_library() {
    const nvml::call_watch::mark mark(watch_, "loading NVML's library");
    return nvml::library::open(path_);
}

result<const nvml::library*> nvml_session::initialize() {
    watch_.about(std::nullopt);
    if (!nvml_) {
        auto loaded = open_library();
        if (!loaded) {
            last_status_ = nvml::library_not_found;
            return loaded.error();
        }
        nvml_ = std::move(*loaded);
    }
    if (stale_ && users->is_alone()) close();
    if (initialized_) return nvml_.get();
    if (!users->enter(env_.now())) {
        last_status_ = nvml::not_ready;
        return error(errc::unavailable, "NVML is started anew as soon as all threads let go of it");
    }
    if (const int s = nvml_->init(watch_); s != nvml::success) {
        users->leave();
        return broken("NVML can't start", s);
    }
    initialized_ = true;
    return nvml_.get();
}

void nvml_session::close() {
    if (initialized_) {
        (void)nvml_->shutdown(watch_);
        users->leave();
    }
    initialized_ = false;
    stale_ = false;
}

error nvml_session::broken(const char* what, int status) {
    last_status_ = status;
    if (initialized_) users->want_restart(env_.now());
    close();
    return error(errc::unavailable, std::string(what) + ": " + nvml::describe(status));
}

error nvml_session::failed(const char* what, int status) {
    if (makes_handles_stale(status)) return broken(what, status);
    last_status_ = status;
    return error(errc::unavailable, std::string(what) + ": " + nvml::describe(status));
}

void nvml_session::gpu_is_lost() {
    const auto now = env_.now();
    if (restarted_ && now - *restarted_ < between_restarts) return;
    restarted_ = now;
    stale_ = true;
    users->want_restart(now);
}

}  // namespace gpu_labeler
