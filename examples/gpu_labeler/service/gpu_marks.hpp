// From the hardware to what is said of the node.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "options.hpp"
#include "reader/gpu_reader.hpp"
#include "service/labeler.hpp"

#include <stop_token>

namespace gpu_labeler {

/// Thread-safety, cancellation and object lifetime: as gpu_reader.
class gpu_marks {
public:
    gpu_marks(kcontrol::environment& env, kcontrol::executor ex, const options& o);

    /// Errors: those of gpu_reader::read.
    kcontrol::awaitable<kcontrol::result<reading>> read(std::stop_token stop);

    gpu_reader& reader() noexcept { return reader_; }

private:
    label_options as_;
    bool annotated_;  // the other places for labels have none for annotations
    gpu_reader reader_;
};

}  // namespace gpu_labeler
