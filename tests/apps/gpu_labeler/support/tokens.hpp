// Tokens as an API server makes them for the pods of a kubelet, but for the signature.
#pragma once

#include <kcontrol/base/base64.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gpu_labeler_test {

inline std::string base64_of_url(std::string_view text) {
    std::string out = kcontrol::encode_base64(text);
    while (!out.empty() && out.back() == '=') out.pop_back();
    for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return out;
}

inline std::string token_of(std::string_view payload) {
    return base64_of_url(R"({"alg":"RS256","kid":"k"})") + "." + base64_of_url(payload) + ".c2lnbmF0dXJl";
}

/// For an hour, as kubelets ask for them; `node` is JSON, such as R"({"name":"n","uid":"u"})", or empty: Kubernetes
/// before 1.30.
inline std::string pod_token(std::int64_t issued, std::string_view node = {}) {
    const std::string named = node.empty() ? "" : R"("node":)" + std::string(node) + ",";
    return token_of(R"({"aud":["https://kubernetes.default.svc"],"exp":)" + std::to_string(issued + 31'536'000) +
                    R"(,"iat":)" + std::to_string(issued) + R"(,"kubernetes.io":{"namespace":"gpu-labeler",)" + named +
                    R"("pod":{"name":"p","uid":"1"},"warnafter":)" + std::to_string(issued + 3607) +
                    R"(},"sub":"system:serviceaccount:gpu-labeler:gpu-labeler"})");
}

}  // namespace gpu_labeler_test
