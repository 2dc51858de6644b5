// What the program is asked to do, by its command line.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/logging/log_format.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace follow {

/// What is followed.
enum class followed { endpoints, pods, leader };

/// What becomes of the outputs when the value is too old.
enum class on_stale {
    keep,   ///< nothing
    empty,  ///< they get no endpoints
    exit    ///< the program ends with status 3
};

/// Each member is the flag of that name; the defaults are those of --help.
class options {
public:
    options() = default;

    bool help = false, version = false;

    followed what = followed::endpoints;
    std::string in_namespace;  ///< of the Service, the pods or the Lease
    std::string name;          ///< of the Service or the Lease
    std::string port;          ///< a name or a number; empty: not said
    std::string selector;      ///< of pods

    std::string template_file, out_file, check, reload;
    std::string haproxy, backend, server_options;

    bool once = false;
    std::optional<kcontrol::duration> timeout;  ///< nothing: without an end
    kcontrol::duration stale_after = std::chrono::seconds(10);
    kcontrol::duration max_stale = std::chrono::seconds(60);
    on_stale when_stale = on_stale::keep;
    std::string cache;

    std::string kubeconfig, context;
    kcontrol::log_format log_format = kcontrol::log_format::text;
    kcontrol::log_level log_level = kcontrol::log_level::info;

    /// "endpoints shop/web", for logs.
    std::string target() const;
};

/// Reads the command line, without the program's name. Errors: invalid_argument, with the flag, its value and the
/// remedy. With --help or --version nothing else is checked.
kcontrol::result<options> parse_options(const std::vector<std::string_view>& arguments);

/// What --help prints.
std::string_view help_text() noexcept;

}  // namespace follow
