// What nodes, pods and files say of GPUs: right, or a message; and what is right is written as it was read.
#include "devices/node_sources.hpp"
#include "devices/record.hpp"
#include "require.hpp"
#include "trace/trace.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gpu_scheduler;
    using kcontrol::fuzz::require;
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto check = [](const auto& read) {
        if (!read) return require(!read.error().message().empty());
        std::set<std::string> uuids;
        for (const auto& each : read->gpus) {
            require(!each.uuid.empty() && uuids.insert(each.uuid).second);
            require(each.memory_mib >= 0 && each.cores >= 0);
        }
        require(!read->links || read->links->size() == read->gpus.size());
    };
    switch (data[0] % 4) {
    case 0: check(read_hami(text)); break;
    case 1: check(read_topology(text, 40960, link_costs())); break;
    case 2:
        if (const auto read = read_record(text)) {
            require(read_record(write_record(*read)).value() == *read);
        } else {
            require(read.error().message().starts_with("annotation scheduling.kcontrol.dev/allocation: "));
        }
        break;
    default: {
        const auto nodes = read_trace_nodes("f", text);
        if (!nodes) require(nodes.error().message().starts_with("f:"));
        const auto pods = read_trace_pods("f", text, data[0] >= 128);
        if (!pods) require(pods.error().message().starts_with("f:"));
    }
    }
    return 0;
}
