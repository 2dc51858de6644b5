// A log whose level may change while it is written.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "json_log.hpp"
#include "options.hpp"

#include <memory>

namespace gpu_labeler {

/// Thread-safety: shared objects unsafe. Object lifetime: the environment outlives it, and the logs that it gave.
class log_with_level {
public:
    /// Writes to standard error, as `o` has the format, the level and the name of the node.
    log_with_level(kcontrol::environment& env, const options& o) : level_(std::make_shared<kcontrol::log_level>()) {
        set(o);
        const auto sink = log_to_standard_error(env, o.log_format());
        log_ = kcontrol::logger(
            [sink, level = level_](const kcontrol::log_record& record) {
                if (record.level >= *level) sink(record);
            },
            kcontrol::log_level::debug);
        if (!o.node_name().empty()) log_ = log_.with("node", o.node_name());
    }

    /// The level of `o` holds from now on, also in logs that were given before.
    void set(const options& o) { *level_ = o.log_level(); }
    const kcontrol::logger& log() const noexcept { return log_; }

private:
    std::shared_ptr<kcontrol::log_level> level_;
    kcontrol::logger log_;
};

}  // namespace gpu_labeler
