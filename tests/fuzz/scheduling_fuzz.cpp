// A pod and a node as JSON, each on a line: whatever they say, sums are never negative, and what is taken out is gone.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/scheduling/gang_claim.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include "require.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace {

using kcontrol::fuzz::require;
using kcontrol::scheduling::node_info;
using kcontrol::scheduling::pod_info;
using kcontrol::scheduling::resource_amounts;
namespace core = kcontrol::api::core::v1;

void require_amounts(const resource_amounts& amounts) {
    require(amounts.cpu_milli >= 0 && amounts.memory >= 0 && amounts.ephemeral_storage >= 0 && amounts.pods >= 0);
    for (const auto& one : amounts.extended()) require(one.amount > 0 && !one.resource.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const auto line = all.find('\n');
    auto pod = kcontrol::from_json<core::pod>(all.substr(0, line));
    if (!pod) return 0;
    const pod_info info(std::make_shared<const core::pod>(std::move(*pod)));
    require_amounts(info.requests());
    require(info.requests().pods == 1 && info.scored_cpu_milli() >= 0 && info.scored_memory() >= 0);
    require(info.invalid() == nullptr || info.invalid()->message().starts_with("pod "));
    if (const auto claim = kcontrol::scheduling::gang_claim_of(info.pod()); claim && claim->terms) {
        require(claim->terms->minimum >= 1 && claim->terms->timeout > kcontrol::duration::zero());
        require(claim->wrong.empty() || claim->wrong.starts_with("pod "));
    }
    auto node = line == std::string_view::npos ? kcontrol::result<core::node>(core::node())
                                               : kcontrol::from_json<core::node>(all.substr(line + 1));
    if (!node) return 0;
    node_info on(std::make_shared<const core::node>(std::move(*node)));
    require_amounts(on.allocatable());
    on.add(info);
    on.add(info);
    require_amounts(on.requested());
    require(on.remove(info));
    require(on.requested() == info.requests());
    require(on.remove(info) && !on.remove(info));
    require(on.requested() == resource_amounts() && on.used_ports().empty() && on.scored_memory() == 0);
    return 0;
}
