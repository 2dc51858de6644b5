// How a profile calls a plugin of any class: a table of functions for each class, made by the compiler.
#pragma once

#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/detail/plugin_states.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/placement.hpp>
#include <kcontrol/scheduling/plugin_point.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/post_filter.hpp>
#include <kcontrol/scheduling/scheduling_queue.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

/// Nodes on their way through the filters.
struct filter_block {
    struct refusal {
        const node_info* node;
        status answer;
        std::size_t plugin;
    };
    std::vector<const node_info*> nodes;  // that no filter has refused yet, in their order
    std::vector<refusal> refused;
    std::size_t plugin = 0;  // that is asked now
};

using node_span = std::span<const node_info* const>;
using gang_span = std::span<const std::shared_ptr<const pod_info>>;

/// Null: the plugin has no such member.
struct plugin_thunks {
    std::string_view name;
    const state_type* state;
    bool follows_after_skip;   // add_pod is called for a pod that pre_filter skipped, and its filter then
    bool is_state_used_later;  // by members that are called after the round
    std::vector<event_kind> (*events)(const void*);
    bool (*may_help)(const void*, const pod_info&, const cluster_event&);
    status (*pre_enqueue)(const void*, const pod_info&);
    queue_rank (*queue_sort)(const void*, const queued_pod&);
    std::uint64_t (*queue_version)(const void*);
    pre_filter_result (*pre_filter)(const void*, void* state, const pod_info&, const snapshot&);
    void (*filter)(const void*, const void* state, const pod_info&, filter_block&);
    void (*add_pod)(const void*, void* state, const pod_info&, const pod_info&, const node_info&);
    void (*remove_pod)(const void*, void* state, const pod_info&, const pod_info&, const node_info&);
    std::vector<std::vector<const node_info*>> (*generate_placements)(const void*, gang_span, std::int32_t,
                                                                      const snapshot&);
    post_filter_result (*post_filter)(const void*, const post_filter_request&);
    status (*pre_score)(const void*, void* state, const pod_info&, const snapshot&, node_span);
    void (*score)(const void*, const void* state, const pod_info&, node_span, std::span<std::int64_t>);
    void (*normalize_score)(const void*, const void* state, std::span<std::int64_t>, node_span);
    status (*reserve)(void*, void* state, placement&, const node_info&);
    void (*unreserve)(void*, void* state, const placement&);
    awaitable<status> (*permit)(void*, void* state, placement&);
    awaitable<status> (*pre_bind)(void*, void* state, placement&);
    awaitable<status> (*bind)(void*, void* state, const placement&);
    void (*post_bind)(void*, const void* state, const placement&);

    constexpr bool has(plugin_point point) const noexcept {
        switch (point) {
        case plugin_point::pre_enqueue: return pre_enqueue != nullptr;
        case plugin_point::queue_sort: return queue_sort != nullptr;
        case plugin_point::pre_filter: return pre_filter != nullptr;
        case plugin_point::filter: return filter != nullptr;
        case plugin_point::post_filter: return post_filter != nullptr;
        case plugin_point::pre_score: return pre_score != nullptr;
        case plugin_point::score: return score != nullptr;
        case plugin_point::normalize_score: return normalize_score != nullptr;
        case plugin_point::reserve: return reserve != nullptr;
        case plugin_point::unreserve: return unreserve != nullptr;
        case plugin_point::permit: return permit != nullptr;
        case plugin_point::pre_bind: return pre_bind != nullptr;
        case plugin_point::bind: return bind != nullptr;
        case plugin_point::post_bind: return post_bind != nullptr;
        case plugin_point::generate_placements: return generate_placements != nullptr;
        }
        return false;
    }
};

struct no_state {};
inline constexpr state_type no_state_type{};

template <class P>
struct state_of_plugin {
    using type = no_state;
};
template <class P>
requires requires { typename P::state; }
struct state_of_plugin<P> {
    using type = typename P::state;
};

// Calls a member with the state first, if the plugin has one and the member takes it. `State` is const or not.
#define KCONTROL_PLUGIN_MEMBER(member)                                                                      \
    template <class P, class State, class... Args>                                                          \
    concept member##_takes_state =                                                                          \
        !std::is_same_v<std::remove_const_t<State>, no_state> && requires(P & p, State & s, Args... args) { \
        p.member(s, args...);                                                                               \
    };                                                                                                      \
    template <class P, class State, class... Args>                                                          \
    concept has_##member = member##_takes_state<P, State, Args...> || requires(P & p, Args... args) {       \
        p.member(args...);                                                                                  \
    };                                                                                                      \
    template <class P, class State, class... Args>                                                          \
    decltype(auto) call_##member(P& p, [[maybe_unused]] State* s, Args... args) {                           \
        if constexpr (member##_takes_state<P, State, Args...>) {                                            \
            return p.member(*s, args...);                                                                   \
        } else {                                                                                            \
            return p.member(args...);                                                                       \
        }                                                                                                   \
    }
KCONTROL_PLUGIN_MEMBER(pre_filter)
KCONTROL_PLUGIN_MEMBER(filter)
KCONTROL_PLUGIN_MEMBER(add_pod)
KCONTROL_PLUGIN_MEMBER(remove_pod)
KCONTROL_PLUGIN_MEMBER(pre_score)
KCONTROL_PLUGIN_MEMBER(score)
KCONTROL_PLUGIN_MEMBER(normalize_score)
KCONTROL_PLUGIN_MEMBER(reserve)
KCONTROL_PLUGIN_MEMBER(unreserve)
KCONTROL_PLUGIN_MEMBER(permit)
KCONTROL_PLUGIN_MEMBER(pre_bind)
KCONTROL_PLUGIN_MEMBER(bind)
KCONTROL_PLUGIN_MEMBER(post_bind)
#undef KCONTROL_PLUGIN_MEMBER

template <class P>
constexpr plugin_thunks thunks_for() {
    using state = typename state_of_plugin<P>::type;
    using const_state = const state;
    using scores = std::span<std::int64_t>;
    constexpr bool has_name = requires { std::string_view(P::name); };
    static_assert(has_name,
                  "kcontrol: a plugin has a name: `static constexpr std::string_view name = \"PackByLabel\";`");
    static_assert(std::copyable<state> && std::default_initializable<state>,
                  "kcontrol: the class `state` of a plugin can be made without arguments, and copied: a dry run "
                  "changes a copy of it");
    plugin_thunks out{};
    if constexpr (has_name) out.name = P::name;
    out.state = std::is_same_v<state, no_state> ? &no_state_type : &state_type_of<state>;
    out.events = [](const void* p) -> std::vector<event_kind> {
        if constexpr (requires(const P& q) { q.events(); }) {
            return static_cast<const P*>(p)->events();
        } else if constexpr (has_filter<const P, const_state, const pod_info&, const node_info&> ||
                             has_pre_filter<const P, state, const pod_info&, const snapshot&> ||
                             has_reserve<P, state, placement&, const node_info&> || has_permit<P, state, placement&> ||
                             requires(const P& q, const pod_info& pod) { q.pre_enqueue(pod); }) {
            return {{interned_name("*"), event_actions::all}};
        } else {
            return {};  // it refuses nothing
        }
    };
    if constexpr (requires(const P& q, const pod_info& pod, const cluster_event& e) { q.may_help(pod, e); }) {
        out.may_help = [](const void* p, const pod_info& pod, const cluster_event& event) -> bool {
            return static_cast<const P*>(p)->may_help(pod, event);
        };
    }
    if constexpr (requires(const P& q, const pod_info& pod) { q.pre_enqueue(pod); }) {
        out.pre_enqueue = [](const void* p, const pod_info& pod) -> status {
            return static_cast<const P*>(p)->pre_enqueue(pod);
        };
    }
    if constexpr (requires(const P& q, const queued_pod& pod) { q.queue_sort(pod); }) {
        out.queue_sort = [](const void* p, const queued_pod& pod) -> queue_rank {
            return static_cast<const P*>(p)->queue_sort(pod);
        };
    }
    if constexpr (requires(const P& q) { q.queue_version(); }) {
        out.queue_version = [](const void* p) -> std::uint64_t { return static_cast<const P*>(p)->queue_version(); };
    }
    if constexpr (requires(const P& q, gang_span members, const snapshot& nodes) {
                      q.generate_placements(members, std::int32_t(), nodes);
                  }) {
        out.generate_placements = [](const void* p, gang_span members, std::int32_t needed, const snapshot& nodes) {
            return static_cast<const P*>(p)->generate_placements(members, needed, nodes);
        };
    }
    if constexpr (has_pre_filter<const P, state, const pod_info&, const snapshot&>) {
        out.pre_filter = [](const void* p, void* s, const pod_info& pod, const snapshot& nodes) -> pre_filter_result {
            return call_pre_filter<const P, state, const pod_info&, const snapshot&>(
                *static_cast<const P*>(p), static_cast<state*>(s), pod, nodes);
        };
    }
    if constexpr (has_filter<const P, const_state, const pod_info&, const node_info&>) {
        out.filter = [](const void* p, const void* s, const pod_info& pod, filter_block& block) {
            std::size_t kept = 0;
            for (const node_info* const node : block.nodes) {
                status said = call_filter<const P, const_state, const pod_info&, const node_info&>(
                    *static_cast<const P*>(p), static_cast<const_state*>(s), pod, *node);
                if (said.ok()) {
                    block.nodes[kept++] = node;
                } else {
                    block.refused.push_back({node, std::move(said), block.plugin});
                }
            }
            block.nodes.resize(kept);
        };
    }
    if constexpr (has_add_pod<const P, state, const pod_info&, const pod_info&, const node_info&>) {
        out.add_pod = [](const void* p, void* s, const pod_info& pod, const pod_info& other, const node_info& node) {
            call_add_pod<const P, state, const pod_info&, const pod_info&, const node_info&>(
                *static_cast<const P*>(p), static_cast<state*>(s), pod, other, node);
        };
    }
    if constexpr (requires { P::follows_after_skip; }) out.follows_after_skip = P::follows_after_skip;
    if constexpr (has_remove_pod<const P, state, const pod_info&, const pod_info&, const node_info&>) {
        out.remove_pod = [](const void* p, void* s, const pod_info& pod, const pod_info& other, const node_info& node) {
            call_remove_pod<const P, state, const pod_info&, const pod_info&, const node_info&>(
                *static_cast<const P*>(p), static_cast<state*>(s), pod, other, node);
        };
    }
    if constexpr (requires(const P& q, const post_filter_request& request) { q.post_filter(request); }) {
        out.post_filter = [](const void* p, const post_filter_request& request) -> post_filter_result {
            return static_cast<const P*>(p)->post_filter(request);
        };
    }
    if constexpr (has_pre_score<const P, state, const pod_info&, const snapshot&, node_span>) {
        out.pre_score = [](const void* p, void* s, const pod_info& pod, const snapshot& nodes,
                           node_span feasible) -> status {
            return call_pre_score<const P, state, const pod_info&, const snapshot&, node_span>(
                *static_cast<const P*>(p), static_cast<state*>(s), pod, nodes, feasible);
        };
    }
    if constexpr (has_score<const P, const_state, const pod_info&, const node_info&>) {
        out.score = [](const void* p, const void* s, const pod_info& pod, node_span nodes, scores to) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                to[i] = call_score<const P, const_state, const pod_info&, const node_info&>(
                    *static_cast<const P*>(p), static_cast<const_state*>(s), pod, *nodes[i]);
            }
        };
    }
    if constexpr (has_normalize_score<const P, const_state, scores, node_span>) {
        out.normalize_score = [](const void* p, const void* s, scores of, node_span nodes) {
            call_normalize_score<const P, const_state, scores, node_span>(*static_cast<const P*>(p),
                                                                          static_cast<const_state*>(s), of, nodes);
        };
    } else if constexpr (has_normalize_score<const P, const_state, scores>) {
        out.normalize_score = [](const void* p, const void* s, scores of, node_span) {
            call_normalize_score<const P, const_state, scores>(*static_cast<const P*>(p), static_cast<const_state*>(s),
                                                               of);
        };
    }
    if constexpr (has_reserve<P, state, placement&, const node_info&>) {
        out.reserve = [](void* p, void* s, placement& of, const node_info& node) -> status {
            return call_reserve<P, state, placement&, const node_info&>(*static_cast<P*>(p), static_cast<state*>(s), of,
                                                                        node);
        };
    }
    if constexpr (has_unreserve<P, state, const placement&>) {
        out.unreserve = [](void* p, void* s, const placement& of) {
            call_unreserve<P, state, const placement&>(*static_cast<P*>(p), static_cast<state*>(s), of);
        };
    }
    if constexpr (has_permit<P, state, placement&>) {
        out.permit = [](void* p, void* s, placement& of) -> awaitable<status> {
            return call_permit<P, state, placement&>(*static_cast<P*>(p), static_cast<state*>(s), of);
        };
    }
    if constexpr (has_pre_bind<P, state, placement&>) {
        out.pre_bind = [](void* p, void* s, placement& of) -> awaitable<status> {
            return call_pre_bind<P, state, placement&>(*static_cast<P*>(p), static_cast<state*>(s), of);
        };
    }
    if constexpr (has_bind<P, state, const placement&>) {
        out.bind = [](void* p, void* s, const placement& of) -> awaitable<status> {
            return call_bind<P, state, const placement&>(*static_cast<P*>(p), static_cast<state*>(s), of);
        };
    }
    if constexpr (has_post_bind<P, const_state, const placement&>) {
        out.post_bind = [](void* p, const void* s, const placement& of) {
            call_post_bind<P, const_state, const placement&>(*static_cast<P*>(p), static_cast<const_state*>(s), of);
        };
    }
    out.is_state_used_later = reserve_takes_state<P, state, placement&, const node_info&> ||
                              unreserve_takes_state<P, state, const placement&> ||
                              permit_takes_state<P, state, placement&> || pre_bind_takes_state<P, state, placement&> ||
                              bind_takes_state<P, state, const placement&> ||
                              post_bind_takes_state<P, const_state, const placement&>;
    return out;
}

template <class P>
inline constexpr plugin_thunks plugin_thunks_of = thunks_for<P>();

}  // namespace kcontrol::scheduling::detail
