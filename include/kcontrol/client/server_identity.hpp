// Which server answers, and how far its history is: to notice another one behind the same address.
#pragma once

#include <string>

namespace kcontrol::inline v0_1 {

/// What a consistent read of the namespace kube-system says. Every cluster has that namespace from its first start on,
/// and nobody can delete it, so that its uid stands for the cluster.
class server_identity {
public:
    std::string uid;               ///< of the namespace kube-system
    std::string resource_version;  ///< of the server's store at that time; empty if only the namespace may be read
};

}  // namespace kcontrol
