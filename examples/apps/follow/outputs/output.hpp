// Where a value goes: standard output, a file, HAProxy.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include "values/view.hpp"

#include <optional>
#include <stop_token>
#include <string>

namespace follow {

/// Gets every value that lasts: while one is being put, newer ones wait, and of these only the newest is put.
///
/// Thread-safety: shared objects unsafe; one put() at a time.
class output {
public:
    output() = default;
    output(const output&) = delete;
    output& operator=(const output&) = delete;
    virtual ~output() = default;

    /// For logs.
    virtual std::string name() const = 0;
    /// Makes the output what the view says. It is called again with the same one after a failure, and after again().
    virtual kcontrol::awaitable<kcontrol::result<void>> put(view now, std::stop_token stop) = 0;
    /// After which time a success is to be looked at once more, as the output may have changed by itself.
    virtual std::optional<kcontrol::duration> again() const { return std::nullopt; }
    /// The least time from one put() to the next.
    virtual kcontrol::duration gap() const { return kcontrol::duration::zero(); }
    /// Whether there is no point in another try: the program ends with status 1.
    virtual bool is_final(const kcontrol::error& failure) const {
        static_cast<void>(failure);
        return false;
    }
};

}  // namespace follow
