#include "fleet_options.hpp"

#include "flag_values.hpp"

#include <string>

namespace training_monitor {
namespace {

using kcontrol::result;

result<void> set_number(fleet_options& o, fleet_options& (fleet_options::*set)(std::uint32_t), std::string_view flag,
                        std::string_view value, std::uint32_t most) {
    const auto n = read_number<std::uint32_t>(flag, value, 1, most);
    if (!n) return n.error();
    (o.*set)(*n);
    return {};
}

}  // namespace

result<void> read_shard_group(fleet_options& o, std::string_view value) {
    const auto slash = value.find('/');
    const bool both = slash != std::string_view::npos;  // a group is named as a namespace is
    if (!both || !is_namespace_name(value.substr(0, slash)) || !is_namespace_name(value.substr(slash + 1))) {
        return not_right("--shard-group", value,
                         "NAMESPACE/NAME, each of lower case letters, digits and '-', such as monitoring/jobs");
    }
    o.shard_group({std::string(value.substr(0, slash)), std::string(value.substr(slash + 1))});
    return {};
}

result<void> read_shard_weight(fleet_options& o, std::string_view value) {
    return set_number(o, &fleet_options::shard_weight, "--shard-weight", value, 1000);
}

result<void> read_rate_limit(fleet_options& o, std::string_view value) {
    return set_number(o, &fleet_options::rate_limit, "--cluster-rate-limit", value, 100'000);
}

result<void> read_max_concurrent_requests(fleet_options& o, std::string_view value) {
    return set_number(o, &fleet_options::max_concurrent_requests, "--cluster-max-concurrent-requests", value, 10'000);
}

result<void> read_max_consecutive_failures(fleet_options& o, std::string_view value) {
    return set_number(o, &fleet_options::max_consecutive_failures, "--cluster-max-consecutive-failures", value, 1'000);
}

result<void> read_max_objects(fleet_options& o, std::string_view value) {
    return set_number(o, &fleet_options::max_objects, "--cluster-max-objects", value, 1'000'000'000);
}

}  // namespace training_monitor
