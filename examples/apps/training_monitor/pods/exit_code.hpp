// What an exit code of a container means, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace training_monitor {

/// `reason` is the kubelet's. "killed (SIGKILL), out of memory", "segmentation fault (SIGSEGV)"…; empty where the code
/// says nothing but that it failed. Above 128 a code is a signal's number and 128, as shells write it. That memory was
/// the reason is said where the kubelet says so (OOMKilled), and nowhere else.
std::string exit_meaning(std::int64_t code, std::string_view reason);

}  // namespace training_monitor
