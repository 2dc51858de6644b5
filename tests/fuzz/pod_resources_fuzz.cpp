// What a kubelet answers about pods and devices: the message, and the HTTP/2 that carries it.
#include <kcontrol/service/detail/grpc_call.hpp>
#include <kcontrol/service/pod_resources.hpp>

#include "require.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kcontrol::service;
    using kcontrol::fuzz::require;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto pods = decode_pod_resources_list(bytes);
    require(pods || !pods.error().message().empty());
    require(decode_pod_resources(bytes).has_value() == pods.has_value());

    constexpr std::size_t most = 1000;
    detail::grpc_call call("/v1.PodResourcesLister/List", "", most);
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
