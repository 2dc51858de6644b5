#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/client_state.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// A list of one name needs no more rights than that name, and tells how far the server's store is, which a get does
// not. Without a version it is answered from the store, not from a replica's memory.
inline constexpr const char* identity_list = "/api/v1/namespaces?fieldSelector=metadata.name%3Dkube-system";
inline constexpr const char* identity_get = "/api/v1/namespaces/kube-system";

inline awaitable<result<http::opened_exchange>> ask_identity(shared_client_state state, std::string target,
                                                             time_point deadline, std::stop_token stop) {
    http::request req("GET", state->base_path + target);
    req.headers.set("Accept",
                    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
                    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    http::exchange_options bounds;
    bounds.deadline(deadline - state->env->now()).max_body(std::size_t{1} << 20).stop(std::move(stop));
    return exchange(std::move(state), std::move(req), std::move(bounds));
}

inline result<server_identity> identity_from(const http::response& answer) {
    json::document document;
    const auto root = answer_json(answer, document);
    if (!root) return root.error();
    server_identity out;
    json::node metadata = (*root)["metadata"];
    const json::node items = (*root)["items"];
    if (items.is_array()) {
        if (metadata.is_object()) out.resource_version = answer_text(metadata["resourceVersion"]);
        metadata = json::node();
        for (const json::node item : items.elements()) {
            if (item.is_object() && item["metadata"].is_object()) metadata = item["metadata"];
        }
    }
    if (metadata.is_object() && answer_text(metadata["name"]) == "kube-system") {
        out.uid = server_text(answer_text(metadata["uid"]), 64);
    }
    if (out.uid.empty()) return error(api_errc::not_found, "the server has no namespace kube-system");
    return out;
}

inline awaitable<result<server_identity>> read_identity(shared_client_state state, std::stop_token stop) {
    // Nothing waits longer for this than it must: without it, versions decide.
    const time_point deadline = state->env->now() + std::chrono::seconds(10);
    auto answer = co_await ask_identity(state, identity_list, deadline, stop);
    if (!answer && answer.error() == api_errc::forbidden) {
        answer = co_await ask_identity(state, identity_get, deadline, stop);
    }
    if (!answer) co_return answer.error();
    co_return identity_from(*answer);
}

inline void tell_identity_unknown(client_state& state, const error& why) {
    const bool lasting = why.code() == condition::not_found || why.code() == condition::access_denied;
    if (!lasting || std::exchange(state.told_identity_unknown, true)) return;
    state.log.info(
        "the namespace kube-system can't be read, so another server at this address is noticed by its versions only",
        {{"error", why.what()}});
}

// Whatever happens to the one who asks, the others are answered.
class answer_at_last {
public:
    explicit answer_at_last(identity_question& question) : question_(&question) {}
    ~answer_at_last() {
        if (!question_->answer) question_->answer = error(errc::stopped);
        question_->answered.notify_all();
    }
    answer_at_last(const answer_at_last&) = delete;
    answer_at_last& operator=(const answer_at_last&) = delete;

private:
    identity_question* question_;
};

inline awaitable<result<server_identity>> identify_call(shared_client_state state, time_point not_before,
                                                        std::stop_token stop) {
    for (;;) {
        const auto asked = state->identity;
        if (asked == nullptr || asked->asked < not_before || (asked->answer && asked->answer->has_error())) break;
        if (asked->answer) co_return *asked->answer;
        const wake why = co_await asked->answered.wait(*state->env, stop);
        if (why == wake::stopped) co_return error(errc::stopped);
        // Who asked may have been stopped; all others share its outcome.
        if (asked->answer && (*asked->answer || asked->answer->error() != errc::stopped)) co_return *asked->answer;
    }
    const auto question = std::make_shared<identity_question>();
    question->asked = state->env->now();
    state->identity = question;
    const answer_at_last at_last(*question);
    auto answer = co_await read_identity(state, stop);
    if (!answer) tell_identity_unknown(*state, answer.error());
    question->answer = answer;
    co_return answer;
}

}  // namespace detail

KCONTROL_DECL awaitable<result<server_identity>> client::identify(time_point not_before, std::stop_token stop) {
    return detail::identify_call(state_, not_before, std::move(stop));
}

}  // namespace kcontrol
