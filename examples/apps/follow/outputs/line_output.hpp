// Lines of JSON, one for each change.
#pragma once

#include "outputs/output.hpp"

#include <functional>

namespace follow {

/// Writes a text to its end.
using write_function = std::function<kcontrol::awaitable<kcontrol::result<void>>(std::string, std::stop_token)>;

/// Writes to a descriptor, without blocking the loop where it is a pipe or a socket; these are put into non-blocking
/// mode until the function is destroyed. Other descriptors are written as they are. Errors: connection_lost with the
/// system's reason (a pipe that nobody reads any more); stopped.
write_function write_to(kcontrol::executor ex, int descriptor);

/// What came and what went is told against the line before. While the reader is slow, changes become one line.
class line_output final : public output {
public:
    explicit line_output(write_function write) : write_(std::move(write)) {}

    std::string name() const override { return "standard output"; }
    kcontrol::awaitable<kcontrol::result<void>> put(view now, std::stop_token stop) override;
    bool is_final(const kcontrol::error& failure) const override;

private:
    write_function write_;
    view before_;
};

}  // namespace follow
