#include "nvml/session.hpp"

#include <chrono>

namespace gpu_labeler {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

namespace {

constexpr auto between_restarts = std::chrono::minutes(1);

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

result<void> nvml_session::initialize() {
    watch_.about(std::nullopt);
    if (!nvml_) {
        auto loaded = nvml::library::open(path_);
        if (!loaded) {
            last_status_ = nvml::library_not_found;
            return loaded.error();
        }
        nvml_ = std::move(*loaded);
    }
    if (stale_) close();
    if (initialized_) return {};
    if (const int s = nvml_->init(watch_); s != nvml::success) return broken("NVML can't start", s);
    initialized_ = true;
    return {};
}

void nvml_session::close() {
    if (initialized_) (void)nvml_->shutdown(watch_);
    initialized_ = false;
    stale_ = false;
}

error nvml_session::broken(const char* what, int status) {
    last_status_ = status;
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
}

}  // namespace gpu_labeler
