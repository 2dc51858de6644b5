#include "service/history_file.hpp"

#include <kcontrol/runtime/wait.hpp>

#include <utility>

namespace gpu_labeler {
namespace {

// Of 16 GPUs all slots, and room for more metrics.
constexpr std::size_t largest = std::size_t{16} << 20;

}  // namespace

history_file::history_file(kcontrol::environment& env, history& past, std::string path, replace_function replace,
                           kcontrol::logger log)
    : env_(env), past_(past), path_(std::move(path)), replace_(std::move(replace)), log_(std::move(log)) {}

void history_file::load() {
    const auto text = env_.read_file(path_, largest);
    if (!text) {
        // Of the first start there is none.
        log_.info("there is no past of the GPUs; it begins now", {{"error", text.error().message()}});
        return;
    }
    const auto done = past_.restore(*text, env_.wall_now());
    if (!done) {
        log_.warning("the past of the GPUs can't be read; it begins now",
                     {{"file", path_}, {"error", done.error().message()}});
        return;
    }
    log_.info("the past of the GPUs is read", {{"file", path_}, {"gpus", std::to_string(past_.gpus().size())}});
}

kcontrol::awaitable<void> history_file::keep(std::stop_token stop) {
    while (!stop.stop_requested()) {
        co_await kcontrol::sleep_for(env_, between_saves, stop);
        save();
    }
}

void history_file::save() {
    const auto done = replace_(path_, past_.save());
    const auto why = done ? std::string() : done.error().message();
    if (!why.empty() && complaint_.empty()) {
        log_.error("the past of the GPUs can't be saved", {{"error", why}});
    }
    if (why.empty() && !complaint_.empty()) log_.info("the past of the GPUs can be saved again", {{"file", path_}});
    complaint_ = why;
}

}  // namespace gpu_labeler
