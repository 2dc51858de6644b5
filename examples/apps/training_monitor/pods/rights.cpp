#include "pods/rights.hpp"

#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

namespace training_monitor {

std::vector<std::string_view> missing_rights(cluster_rights rights) {
    std::vector<std::string_view> out;
    if (rights.pods == right_state::missing)
        out.push_back("grant list and watch on pods to see the pods, and why they fail or wait");
    if (rights.events == right_state::missing)
        out.push_back("grant list on events to see what the operator and the kubelet report");
    if (rights.usage == right_state::missing)
        out.push_back(
            "grant list on pods and get on pods/proxy in the namespace of the GPU labelers to see how busy the GPUs "
            "are");
    if (rights.logs == right_state::missing)
        out.push_back("grant get on pods/log in the namespace of the job to see the last lines of its pods' logs");
    if (rights.yaml == right_state::missing)
        out.push_back("grant get on its kind in the namespace of the job to see it as YAML");
    return out;
}

std::string access_review(const right_to_get& right) {
    kcontrol::json::writer out;
    out.begin_object();
    out.member("apiVersion", "authorization.k8s.io/v1");
    out.member("kind", "SelfSubjectAccessReview");
    out.key("spec");
    out.begin_object();
    out.key("resourceAttributes");
    out.begin_object();
    out.member("namespace", right.name_space);
    out.member("verb", "get");
    out.member("group", right.group);
    out.member("resource", right.resource);
    out.member("subresource", right.subresource);
    out.end_object();
    out.end_object();
    out.end_object();
    return out.take();
}

right_state reviewed(int status, std::string_view answer) {
    kcontrol::json::document document;
    const auto root = document.parse(answer);
    if (status != 201 || !root || !root->is_object() || !(*root)["status"].is_object()) return right_state::unknown;
    const auto allowed = (*root)["status"]["allowed"];
    if (allowed.kind() != kcontrol::json::kind::boolean) return right_state::unknown;
    return allowed.as_bool() ? right_state::given : right_state::missing;
}

kcontrol::awaitable<right_state> ask_right(kcontrol::client from, right_to_get right, std::stop_token stop) {
    constexpr std::size_t most_bytes = std::size_t{64} << 10;
    kcontrol::http::request question("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    question.headers.set("Accept", "application/json");
    question.headers.set("Content-Type", "application/json");
    question.body = access_review(right);
    kcontrol::http::exchange_options bounds;
    bounds.deadline(std::chrono::seconds(5)).max_body(most_bytes).stop(std::move(stop));
    const auto answer = co_await from.raw(std::move(question), std::move(bounds));
    co_return answer ? reviewed(answer->status, answer->body) : right_state::unknown;
}

}  // namespace training_monitor
