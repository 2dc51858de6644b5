#include "fleet_options.hpp"

#include "in_quotes.hpp"

#include <charconv>
#include <string>

namespace training_monitor {
namespace {

using kcontrol::result;

kcontrol::error not_right(std::string_view flag, std::string_view value, std::string_view what) {
    std::string text(flag);
    text.append(": ").append(in_quotes(value)).append(" is not ").append(what);
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(text));
}

result<void> read_number(fleet_options& o, fleet_options& (fleet_options::*set)(std::uint32_t), std::string_view flag,
                         std::string_view value, std::uint32_t least, std::uint32_t most) {
    std::uint32_t n = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (failure != std::errc() || end != value.data() + value.size() || n < least || n > most) {
        return not_right(flag, value, "a number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    (o.*set)(n);
    return {};
}

// The rule for names of namespaces, RFC 1123 labels, which is that of a group's name.
bool is_label(std::string_view name) {
    if (name.empty() || name.size() > 63 || name.front() == '-' || name.back() == '-') return false;
    return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

}  // namespace

result<void> read_shard_group(fleet_options& o, std::string_view value) {
    const auto slash = value.find('/');
    const bool both = slash != std::string_view::npos;
    if (!both || !is_label(value.substr(0, slash)) || !is_label(value.substr(slash + 1))) {
        return not_right("--shard-group", value,
                         "NAMESPACE/NAME, each of lower case letters, digits and '-', such as monitoring/jobs");
    }
    o.shard_group({std::string(value.substr(0, slash)), std::string(value.substr(slash + 1))});
    return {};
}

result<void> read_shard_weight(fleet_options& o, std::string_view value) {
    return read_number(o, &fleet_options::shard_weight, "--shard-weight", value, 1, 1000);
}

result<void> read_rate_limit(fleet_options& o, std::string_view value) {
    return read_number(o, &fleet_options::rate_limit, "--cluster-rate-limit", value, 1, 100'000);
}

result<void> read_max_concurrent_requests(fleet_options& o, std::string_view value) {
    return read_number(o, &fleet_options::max_concurrent_requests, "--cluster-max-concurrent-requests", value, 1,
                       10'000);
}

result<void> read_max_consecutive_failures(fleet_options& o, std::string_view value) {
    return read_number(o, &fleet_options::max_consecutive_failures, "--cluster-max-consecutive-failures", value, 1,
                       1'000);
}

result<void> read_max_objects(fleet_options& o, std::string_view value) {
    return read_number(o, &fleet_options::max_objects, "--cluster-max-objects", value, 1, 1'000'000'000);
}

}  // namespace training_monitor
