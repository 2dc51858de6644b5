// The file with the rules, read again when it changes. A file that can't be read changes nothing.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "policy/rules.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace policy_webhook {

/// Thread-safety: none; use it on the program's executor. Object lifetime: outlives follow().
class rules_file {
public:
    rules_file(kcontrol::environment& env, std::string path, kcontrol::logger log)
        : env_(env), path_(std::move(path)), log_(std::move(log)) {}

    /// Reads the file. Errors: of the file and of parse_rules(), with the path; what there was stays.
    kcontrol::result<void> load();

    /// Looks at the file when its directory changes, and every ten seconds; calls `changed` after each new reading.
    kcontrol::awaitable<kcontrol::result<void>> follow(std::stop_token stop, std::function<void()> changed);

    /// Those read last.
    const rules& current() const noexcept { return *current_; }
    std::uint64_t reloads() const noexcept { return reloads_; }
    std::uint64_t errors() const noexcept { return errors_; }

private:
    bool look();

    kcontrol::environment& env_;
    std::string path_;
    kcontrol::logger log_;
    std::shared_ptr<const rules> current_ = std::make_shared<const rules>();
    std::string text_, complaint_;
    std::uint64_t reloads_ = 0, errors_ = 0;
};

}  // namespace policy_webhook
