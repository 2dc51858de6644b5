#include "options.hpp"

#include <kcontrol/model/api_duration.hpp>

#include "messages.hpp"

#include <algorithm>
#include <iterator>

namespace gpu_labeler {
namespace {

using kcontrol::result;

result<void> set_strategy(options& o, std::string_view value) {
    if (value == "none") {
        o.strategy = mig_strategy::none;
    } else if (value == "single") {
        o.strategy = mig_strategy::single;
    } else if (value == "mixed") {
        o.strategy = mig_strategy::mixed;
    } else {
        return bad_argument("--mig-strategy: " + quoted(value) + " is not a strategy; use none, single or mixed");
    }
    return {};
}

result<void> set_timeout(options& o, std::string_view value) {
    const auto length = kcontrol::parse_duration(value);
    if (!length) return length.error().with_context("--nvml-timeout");
    if (length->count() <= 0)
        return bad_argument("--nvml-timeout: " + quoted(value) + " is no time to wait; use for example 5s");
    o.nvml_timeout = *length;
    return {};
}

template <std::string options::*Field>
result<void> set_text(options& o, std::string_view value) {
    o.*Field = std::string(value);
    return {};
}

template <bool options::*Field, bool Value>
result<void> set_switch(options& o, std::string_view) {
    o.*Field = Value;
    return {};
}

struct flag {
    std::string_view name;
    bool takes_value;
    result<void> (*set)(options& o, std::string_view value);
};

constexpr flag flags[] = {
    {"--dry-run", false, set_switch<&options::dry_run, true>},
    {"--no-timestamp", false, set_switch<&options::timestamp, false>},
    {"--help", false, set_switch<&options::help, true>},
    {"-h", false, set_switch<&options::help, true>},
    {"--version", false, set_switch<&options::version, true>},
    {"--mig-strategy", true, set_strategy},
    {"--nvml", true, set_text<&options::nvml>},
    {"--nvml-timeout", true, set_timeout},
    {"--machine-type-file", true, set_text<&options::machine_type_file>},
    {"--sysfs", true, set_text<&options::sysfs>},
};

}  // namespace

result<options> parse_options(const std::vector<std::string_view>& arguments) {
    options o;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto equals = arguments[i].find('=');
        const auto name = arguments[i].substr(0, equals);
        const auto* known =
            std::find_if(std::begin(flags), std::end(flags), [&](const flag& f) { return f.name == name; });
        if (known == std::end(flags)) {
            const auto* what = arguments[i].starts_with('-') ? "unknown flag " : "no such command: ";
            return bad_argument(what + quoted(name) + "; see gpu_labeler --help");
        }
        std::string_view value;
        if (!known->takes_value) {
            if (equals != name.npos) return bad_argument(std::string(name) + " takes no value");
        } else if (equals != name.npos) {
            value = arguments[i].substr(equals + 1);
        } else if (++i == arguments.size()) {
            return bad_argument(std::string(name) + " needs a value; see gpu_labeler --help");
        } else {
            value = arguments[i];
        }
        if (const auto done = known->set(o, value); !done) return done.error();
    }
    return o;
}

std::string_view help_text() noexcept {
    return R"(gpu_labeler: a GPU node's truth as labels.

usage: gpu_labeler --dry-run [flags]
       gpu_labeler schedule "SPEC" [--from RFC3339] [--count N]

  --dry-run                 print the node's labels, key=value, sorted; talks to
                            no API server
  --mig-strategy NAME       none, single or mixed (default none)
  --nvml PATH               NVML's library (default: the driver's, as the system
                            finds it)
  --nvml-timeout DURATION   for one call into the driver (default 5s)
  --machine-type-file PATH  has the machine's model
                            (default /sys/class/dmi/id/product_name)
  --sysfs PATH              where sysfs is (default /sys)
  --no-timestamp            no label nvidia.com/gfd.timestamp
  --version, --help

Commands:
  schedule   prints when a cron schedule fires; see gpu_labeler schedule --help

Exit codes: 0 ok (also: NVML is there and finds no GPU), 1 failure, 2 usage.
)";
}

}  // namespace gpu_labeler
