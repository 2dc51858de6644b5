// What a kubelet answers about pods and devices: the message, and the HTTP/2 that carries it.
#include "pods/grpc_call.hpp"
#include "pods/pod_resources.hpp"
#include "require.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gpu_labeler;
    using kcontrol::fuzz::require;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto users = decode_pod_resources(bytes);
    require(users || !users.error().message().empty());
    if (users) {
        for (const auto& user : *users) require(user.device.find("::") == std::string::npos);
    }

    constexpr std::size_t most = 1000;
    grpc_call call("/v1.PodResourcesLister/List", "", most);
    (void)call.send();
    for (std::size_t at = 0; at < size && !call.outcome(); at += 64) {
        call.receive(bytes.substr(at, 64));
        require(call.send().size() < 1 << 20);
    }
    call.closed();
    require(call.outcome().has_value());
    if (*call.outcome()) require((*call.outcome())->size() <= most);
    return 0;
}
