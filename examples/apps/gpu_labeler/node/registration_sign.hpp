// Whether the Node may have been registered anew, told by the token that the kubelet gives to the pod.
//
// A kubelet registers its Node when it starts, and at no other time. It keeps the tokens of its pods in memory, so that
// after a start it asks for new ones and puts them into the pods' volumes within seconds. From Kubernetes 1.30 on a
// token names the UID of the Node. So a Node that was deleted and registered again shows in a file that the pod has
// anyway: no request to the API server, no connection, no right.
//
// Source: Kubernetes 1.36, pkg/kubelet/kubelet_node_status.go (registerWithAPIServer),
// pkg/kubelet/token/token_manager.go, pkg/registry/core/serviceaccount/storage/token.go, pkg/serviceaccount/claims.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpu_labeler {

/// What a service account's token says of itself. Nothing here is checked: who can write the file needs no lie.
struct token_claims {
    std::optional<std::string> node_uid;  ///< empty: the Node was not there when the token was made
    std::int64_t issued = 0;              ///< seconds since 1970, by the API server's clock
    std::int64_t lifetime = 0;            ///< seconds, after four fifths of which the kubelet asks for the next

    bool operator==(const token_claims&) const = default;
};

/// Reads them. Nothing: this is no JSON Web Token.
std::optional<token_claims> read_token_claims(std::string_view token);

/// Is shown the token again and again, and says when the Node may be another one.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class registration_sign {
public:
    /// True: since the last call the Node may have been registered anew. A token names another Node; or, where tokens
    /// name none (Kubernetes before 1.30), it came long before it was due, and so from a kubelet that started anew.
    bool saw(std::string_view token);

private:
    std::optional<token_claims> last_;
};

}  // namespace gpu_labeler
