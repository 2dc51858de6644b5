// A file from a template, with a check before it takes its place and a command after it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "mustache/document.hpp"
#include "outputs/output.hpp"

#include <string>

namespace follow {

/// The file of --out. It is not touched, and no command runs, while its text would be the same.
class file_output final : public output {
public:
    /// `check`, `reload`: commands; empty: none.
    file_output(kcontrol::environment& env, mustache::document text, std::string path, std::string check,
                std::string reload, kcontrol::logger log);

    std::string name() const override { return path_; }
    /// Errors: those of staged_file and run_hook(). If the check fails, the old file stays. If the reload fails, the
    /// new file stays, and the next put() runs the command again.
    kcontrol::awaitable<kcontrol::result<void>> put(view now, std::stop_token stop) override;
    /// Many changes at once are few reloads.
    kcontrol::duration gap() const override;

private:
    kcontrol::environment& env_;
    mustache::document text_;
    std::string path_, check_, reload_;
    kcontrol::logger log_;
    bool reload_due_ = false;
};

}  // namespace follow
