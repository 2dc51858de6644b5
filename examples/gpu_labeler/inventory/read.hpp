// Asks NVML what is there.
#pragma once

#include <kcontrol/base/result.hpp>

#include "inventory/inventory.hpp"
#include "nvml/call_watch.hpp"
#include "nvml/library.hpp"

#include <functional>
#include <memory>
#include <string>

namespace gpu_labeler {

/// NVML in use by one thread at a time; reads block for as long as the driver does.
class nvml_session {
public:
    /// Reads a small file of sysfs; nothing where it can't.
    using file_reader = std::function<std::optional<std::string>(const std::string& path)>;

    /// `library_path` as for nvml::library::open; `sysfs` is where sysfs is mounted, usually /sys.
    nvml_session(const kcontrol::environment& env, std::string library_path, std::string sysfs, file_reader read_file);

    /// What is there now. Loads and initialises NVML where that is not done, and does so anew after a failure: after a
    /// driver's reload all that it gave before is stale.
    ///
    /// A GPU that answers with an error is among the lost ones, and the others are read all the same.
    /// Errors: unavailable: no NVML, no driver, or one that is being reloaded; worth trying again later.
    kcontrol::result<inventory> read();

    const nvml::call_watch& watch() const noexcept { return watch_; }

private:
    kcontrol::error failed(const char* what, int status);
    kcontrol::result<void> initialize();
    kcontrol::result<gpu> read_gpu(unsigned index, nvml::device handle);
    void read_mig(gpu& g, nvml::device handle);
    void read_fabric(gpu& g, nvml::device handle);
    void read_pci(gpu& g, nvml::device handle);

    nvml::call_watch watch_;
    std::string path_;
    std::string sysfs_;
    file_reader read_file_;
    std::shared_ptr<const nvml::library> nvml_;
    bool initialized_ = false;
};

}  // namespace gpu_labeler
