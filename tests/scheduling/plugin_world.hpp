// A cluster for tests of a plugin, and what the plugin says of its nodes as text.
#pragma once

#include <kcontrol/scheduling/cache.hpp>
#include <kcontrol/scheduling/status.hpp>

#include "scheduling/objects.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

/// Nodes and the pods on them.
class plugin_world {
public:
    /// Each node has kubernetes.io/hostname. Labels are members of a JSON object: `"zone":"a"`.
    plugin_world& node(const std::string& name, const std::string& labels = {}, const std::string& spec = "{}",
                       const std::string& status = R"({"allocatable":{"pods":"110"}})") {
        const std::string all = R"("kubernetes.io/hostname":")" + name + '"' + (labels.empty() ? "" : "," + labels);
        cache_.set_node(object_of<core::node>(R"({"metadata":{"name":")" + name + R"(","labels":{)" + all +
                                              R"(}},"spec":)" + spec + R"(,"status":)" + status + "}"));
        return *this;
    }
    /// A pod on a node; its spec has at least one member.
    plugin_world& pod(const std::string& on, const std::string& name, const std::string& labels = "{}",
                      const std::string& spec = R"({"containers":[]})") {
        return put(pod_of(name, R"({"nodeName":")" + on + R"(",)" + spec.substr(1), labels));
    }
    plugin_world& put(std::shared_ptr<const scheduling::pod_info> pod) {
        cache_.set_pod(std::move(pod));
        return *this;
    }
    plugin_world& namespace_(const std::string& name, const std::string& labels) {
        cache_.set_namespace(
            object_of<core::namespace_>(R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + "}}"));
        return *this;
    }

    scheduling::cache& cache() noexcept { return cache_; }
    const scheduling::snapshot& prepare(const scheduling::pod_info& pod) { return cache_.prepare(pod); }

private:
    scheduling::cache cache_;
};

template <class Plugin>
struct state_of {
    struct type {};
};
template <class Plugin>
requires requires { typename Plugin::state; }
struct state_of<Plugin> {
    using type = typename Plugin::state;
};

/// What a plugin says about one pod. Nodes are in the order of their names.
template <class Plugin>
class plugin_round {
public:
    plugin_round(const Plugin& plugin, plugin_world& world, std::shared_ptr<const scheduling::pod_info> pod)
        : plugin_(plugin), pod_(std::move(pod)), snapshot_(world.prepare(*pod_)), nodes_(snapshot_.nodes()) {
        REQUIRE_MESSAGE(pod_->invalid() == nullptr, pod_->invalid()->message());
        std::sort(nodes_.begin(), nodes_.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
        if constexpr (requires { plugin_.pre_filter(state, *pod_, snapshot_); }) {
            before_ = plugin_.pre_filter(state, *pod_, snapshot_);
        } else if constexpr (requires { plugin_.pre_filter(*pod_, snapshot_); }) {
            before_ = plugin_.pre_filter(*pod_, snapshot_);
        }
    }

    /// `a ok, b -reason + reason, c !reason`: the last one whatever is evicted; or what pre_filter says, after `all `.
    std::string filtered() const {
        if (!before_.answer().ok()) return "all " + text(before_.answer());
        std::string out;
        for (const auto* node : nodes_) {
            const auto& named = before_.nodes();
            if (named && std::find(named->begin(), named->end(), node) == named->end()) continue;
            out.append(out.empty() ? "" : ", ").append(node->name()).append(" ").append(text(filter(*node)));
        }
        return out;
    }

    /// `a 100, b 0`, or `skip`.
    std::string scored() {
        if constexpr (requires { plugin_.pre_score(state, *pod_, snapshot_, nodes_); }) {
            if (const auto said = plugin_.pre_score(state, *pod_, snapshot_, nodes_); !said.ok()) return text(said);
        } else if constexpr (requires { plugin_.pre_score(*pod_, snapshot_, nodes_); }) {
            if (const auto said = plugin_.pre_score(*pod_, snapshot_, nodes_); !said.ok()) return text(said);
        }
        std::vector<std::int64_t> scores;
        for (const auto* node : nodes_) scores.push_back(score(*node));
        normalize(scores);
        std::string out;
        for (std::size_t i = 0; i < scores.size(); ++i) {
            out.append(i == 0 ? "" : ", ").append(nodes_[i]->name()).append(" ").append(std::to_string(scores[i]));
        }
        return out;
    }

    const scheduling::node_info& node(std::string_view name) const { return *snapshot_.find(name); }

    typename state_of<Plugin>::type state;

private:
    static std::string text(const scheduling::status& said) {
        using code = scheduling::status_code;
        if (said.ok()) return "ok";
        if (said.is_skip()) return "skip";
        if (said.code() == code::error) return "error";
        std::vector<std::string> reasons;
        for (std::size_t i = 0; i < said.reason_count(); ++i) reasons.emplace_back(said.reason(i).view());
        std::sort(reasons.begin(), reasons.end());
        std::string out = said.code() == code::unschedulable ? "-" : "!";
        for (const auto& reason : reasons) out.append(out.size() == 1 ? "" : " + ").append(reason);
        return out;
    }
    scheduling::status filter(const scheduling::node_info& node) const {
        if constexpr (requires { plugin_.filter(state, *pod_, node); }) {
            return plugin_.filter(state, *pod_, node);
        } else if constexpr (requires { plugin_.filter(*pod_, node); }) {
            return plugin_.filter(*pod_, node);
        } else {
            return scheduling::status();
        }
    }
    std::int64_t score(const scheduling::node_info& node) const {
        if constexpr (requires { plugin_.score(state, *pod_, node); }) {
            return plugin_.score(state, *pod_, node);
        } else if constexpr (requires { plugin_.score(*pod_, node); }) {
            return plugin_.score(*pod_, node);
        } else {
            return 0;
        }
    }
    void normalize(std::vector<std::int64_t>& scores) const {
        if constexpr (requires { plugin_.normalize_score(state, scores, nodes_); }) {
            plugin_.normalize_score(state, scores, nodes_);
        } else if constexpr (requires { plugin_.normalize_score(state, scores); }) {
            plugin_.normalize_score(state, scores);
        } else if constexpr (requires { plugin_.normalize_score(scores); }) {
            plugin_.normalize_score(scores);
        }
    }

    const Plugin& plugin_;
    std::shared_ptr<const scheduling::pod_info> pod_;
    const scheduling::snapshot& snapshot_;
    std::vector<const scheduling::node_info*> nodes_;
    scheduling::pre_filter_result before_;
};

template <class Plugin>
std::string filtered(const Plugin& plugin, plugin_world& world, std::shared_ptr<const scheduling::pod_info> pod) {
    return plugin_round<Plugin>(plugin, world, std::move(pod)).filtered();
}

/// Pods come and go on five nodes in three zones, from `first` on if it is not null. After each the state that follows
/// them says of `pod` what a new one says. make(random, node) gives the spec and the labels of a pod.
template <class Plugin, class Make>
void check_follows(const Plugin& plugin, unsigned seed, const std::shared_ptr<const scheduling::pod_info>& pod,
                   const std::shared_ptr<const scheduling::pod_info>& first, Make&& make) {
    std::mt19937 random(seed);
    plugin_world world;
    for (int i = 0; i < 5; ++i) world.node("n" + std::to_string(i), R"("zone":"z)" + std::to_string(i / 2) + '"');
    std::vector<std::shared_ptr<const scheduling::pod_info>> there;
    if (first != nullptr) {
        there.push_back(first);
        world.put(first);
    }
    plugin_round<Plugin> followed(plugin, world, pod);
    for (int step = 0; step < 12; ++step) {
        if (there.empty() || random() % 3 != 0) {
            const std::string on = "n" + std::to_string(random() % 5);
            const std::pair<std::string, std::string> made = make(random, on);
            const auto added = pod_of("q" + std::to_string(step), made.first, made.second);
            plugin.add_pod(followed.state, *pod, *added, followed.node(on));
            world.put(added);
            there.push_back(added);
        } else {
            const auto at = there.begin() + static_cast<std::ptrdiff_t>(random() % there.size());
            const auto removed = *at;
            plugin.remove_pod(followed.state, *pod, *removed, followed.node(removed->pod().spec.node_name));
            world.cache().remove_pod(removed->namespace_(), removed->name(), removed->uid());
            there.erase(at);
        }
        CHECK(followed.filtered() == filtered(plugin, world, pod));
    }
}

template <class Plugin>
std::string scored(const Plugin& plugin, plugin_world& world, std::shared_ptr<const scheduling::pod_info> pod) {
    return plugin_round<Plugin>(plugin, world, std::move(pod)).scored();
}

}  // namespace kcontrol::test
