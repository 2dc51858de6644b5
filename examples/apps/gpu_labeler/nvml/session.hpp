// NVML as one thread uses it: loaded, initialised, and initialised anew where what it said before is stale.
#pragma once

#include <kcontrol/base/result.hpp>

#include "nvml/call_watch.hpp"
#include "nvml/library.hpp"
#include "nvml/users.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gpu_labeler {

/// NVML in use by one thread at a time; calls of it block for as long as the driver does.
class nvml_session {
public:
    /// Reads a small file of sysfs; nothing where it can't.
    using file_reader = std::function<std::optional<std::string>(const std::string& path)>;

    /// `library_path` as for nvml::library::open; `sysfs` is where sysfs is mounted, usually /sys. Sessions that use
    /// NVML at the same time share `users`.
    /// Loading the library and reading sysfs may block as well, and are watched like its calls.
    nvml_session(const kcontrol::environment& env, std::string library_path, std::string sysfs, file_reader read_file);

    /// NVML, for one group of questions: loaded and initialised where that is not done. It lives as long as the
    /// session. Errors: unavailable: no NVML, no driver, or one that is being reloaded; worth trying again later.
    kcontrol::result<const nvml::library*> initialize();

    /// The error for a question about NVML as a whole that failed; the next initialize() starts anew.
    kcontrol::error broken(const char* what, int status);

    /// The error for a question about one GPU that failed. Where the status says that all handles are stale,
    /// initialized() is false from then on, and what was read so far is worth nothing.
    kcontrol::error failed(const char* what, int status);

    /// Some GPU is lost. One that was reset meanwhile is seen only after a new start, which this asks for, but not more
    /// often than every five minutes: a start may take a second, and events are missed in it.
    void gpu_is_lost();

    /// Another session of the same users waits until this one releases NVML.
    bool should_close() const { return users->restart_is_wanted(); }

    /// Releases NVML.
    void close();

    bool initialized() const noexcept { return initialized_; }
    /// The status of the last failure of initialize(), broken() or failed().
    int last_status() const noexcept { return last_status_; }

    nvml::call_watch& watch() noexcept { return watch_; }
    /// What sysfs has about the device at this place of the bus, as NVML writes it, under this name.
    std::optional<std::string> sysfs_of(const std::string& bus_id, const std::string& name) const;

    /// GPUs that are not to be touched, as other threads hang in calls about them: index, and why.
    std::map<unsigned, std::string> hanging_gpus;

    /// Who else uses NVML in this process; not changed while this one does.
    std::shared_ptr<nvml_users> users = std::make_shared<nvml_users>();

private:
    kcontrol::result<std::shared_ptr<const nvml::library>> open_library();

    const kcontrol::environment& env_;
    mutable nvml::call_watch watch_;  // also of reads of files, which change nothing else
    std::string path_;
    std::string sysfs_;
    file_reader read_file_;
    std::shared_ptr<const nvml::library> nvml_;
    bool initialized_ = false;
    bool stale_ = false;
    int last_status_ = nvml::success;
    std::optional<kcontrol::time_point> restarted_;
};

/// A text that NVML wrote into a buffer of its own size; it ends with a zero, but a broken one might not.
template <class Buffer>
std::string text_of(const Buffer& buffer) {
    const std::string_view all(std::data(buffer), std::size(buffer));
    return std::string(all.substr(0, all.find('\0')));
}

/// After these all handles are stale.
bool makes_handles_stale(int status);

}  // namespace gpu_labeler
