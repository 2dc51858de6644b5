// Keeps the past of the GPUs in a file, so that a restart does not lose it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "history/history.hpp"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

namespace gpu_labeler {

/// The file is as large as the past that it holds: some 0.1 MB a GPU, of 16 GPUs at most. It is replaced as a whole.
/// That it can't be written is logged when it begins and when it is over.
///
/// Thread-safety: shared objects unsafe. Object lifetime: environment and past outlive it.
class history_file {
public:
    static constexpr auto between_saves = std::chrono::minutes(5);

    using replace_function = std::function<kcontrol::result<void>(const std::string& path, std::string_view text)>;

    history_file(kcontrol::environment& env, history& past, std::string path, replace_function replace,
                 kcontrol::logger log);

    /// What the file holds becomes the past. A file that can't be read, or is broken, is logged, and left as it is
    /// until the next save.
    void load();

    /// Saves every five minutes, and when it is stopped.
    kcontrol::awaitable<void> keep(std::stop_token stop);

private:
    void save();

    kcontrol::environment& env_;
    history& past_;
    std::string path_;
    replace_function replace_;
    kcontrol::logger log_;
    std::string complaint_;
};

}  // namespace gpu_labeler
