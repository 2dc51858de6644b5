// From the hardware to what is said of the node.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "options.hpp"
#include "reader/gpu_reader.hpp"
#include "service/labeler.hpp"

#include <stop_token>
#include <string>
#include <vector>

namespace gpu_labeler {

/// Thread-safety, cancellation and object lifetime: as gpu_reader.
class gpu_marks {
public:
    gpu_marks(kcontrol::environment& env, kcontrol::executor ex, const options& o);

    /// If only how the GPUs are connected can't be read, the labels are as good; the annotation is then what was read
    /// last of the same GPUs, or missing. Errors: those of gpu_reader::read.
    kcontrol::awaitable<kcontrol::result<reading>> read(std::stop_token stop);

    /// Labels as `o` has them from now on; the time of the start stays.
    void change(const options& o);

    gpu_reader& reader() noexcept { return reader_; }

private:
    kcontrol::awaitable<void> annotate(reading& out, std::stop_token stop);

    kcontrol::environment& env_;
    std::int64_t started_;  ///< seconds since 1970
    label_options as_;
    bool annotated_;  // the other places for labels have none for annotations
    gpu_reader reader_;
    std::vector<gpu> connected_;  ///< the GPUs that topology_ is of
    std::string topology_;
};

}  // namespace gpu_labeler
