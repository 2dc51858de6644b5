#include "memory/open_memory.hpp"

namespace training_monitor {

kcontrol::result<std::unique_ptr<memory>> open_memory(kcontrol::environment& env, kcontrol::executor ex,
                                                      kcontrol::executor worker, const state_options& how,
                                                      history& past, gpu_hours& hours, const kcontrol::logger& log) {
    if (how.file().empty()) return std::unique_ptr<memory>();
    const auto begin = env.now();
    auto file = state_file::open(how.file(), state_file::use::monitor);
    if (!file) return file.error();
    auto settings = memory_options().retain_for(how.retain_for()).retain_size(how.retain_size());
    auto out = std::make_unique<memory>(env, std::move(ex), std::move(worker), std::move(*file), past, log, settings);
    out->keep(hours);
    const auto started = out->start();
    if (!started) return started.error();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(env.now() - begin);
    log.info(
        "the state file is open",
        {{"file", how.file()}, {"jobs", std::to_string(past.size())}, {"milliseconds", std::to_string(took.count())}});
    return out;
}

}  // namespace training_monitor
