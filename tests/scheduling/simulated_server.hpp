// An API server of pods and nodes for models of a scheduler: it has the truth, shows it late and in order, and carries
// bindings out late or never; its answers, and what is read after them, come late, too.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/scheduling/cache.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/text.hpp>

#include "scheduling/objects.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

class simulated_server {
public:
    using pod_object = std::shared_ptr<const api::core::v1::pod>;
    using node_object = std::shared_ptr<const api::core::v1::node>;

    /// A version of a pod or of a node, or its deletion.
    struct watch_event {
        pod_object pod;
        node_object node;
        bool is_deleted = false;
    };
    /// The binding of a decision.
    struct request {
        scheduling::assumption of;
        std::string node;
        dict<text> annotations;
    };
    enum class outcome { bound, refused, conflict, lost };
    struct answer {
        scheduling::assumption of;
        outcome how = outcome::bound;
    };
    /// What was read of the pod after a lost answer; null: it does not exist.
    struct read {
        scheduling::assumption of;
        pod_object found;
    };

    explicit simulated_server(std::uint64_t seed) : random(seed) {}

    std::uint64_t below(std::uint64_t n) { return random() % n; }

    void put(core::pod pod) {
        auto made = std::make_shared<const core::pod>(std::move(pod));
        events.push_back({made, nullptr, false});
        pods[made->metadata.name] = std::move(made);
    }
    void put(node_object node) {
        events.push_back({nullptr, node, false});
        nodes[node->metadata.name] = std::move(node);
    }
    void erase_pod(const std::string& name) {
        const auto found = pods.find(name);
        events.push_back({found->second, nullptr, true});
        pods.erase(found);
    }
    void erase_node(const std::string& name) {
        const auto found = nodes.find(name);
        if (found == nodes.end()) return;
        events.push_back({nullptr, found->second, true});
        nodes.erase(found);
    }
    /// Some pod, or null.
    pod_object some_pod() {
        if (pods.empty()) return nullptr;
        return std::next(pods.begin(), static_cast<std::ptrdiff_t>(below(pods.size())))->second;
    }

    std::optional<watch_event> next_event() {
        if (events.empty()) return std::nullopt;
        auto out = std::move(events.front());
        events.pop_front();
        return out;
    }

    /// Carries out one of the bindings; `refuses` says in how many of 100 cases nobody does, or a webhook refuses it,
    /// and `loses` in how many the answer is lost.
    void carry_out(std::uint64_t refuses, std::uint64_t loses) {
        if (requests.empty()) return;
        const request one = take_any(requests);
        if (below(100) < refuses) {
            answers.push_back({one.of, below(2) == 0 ? outcome::refused : outcome::lost});
            return;
        }
        if (before_binding && !before_binding(one)) {
            answers.push_back({one.of, outcome::refused});
            return;
        }
        const auto& asked = one.of.pod()->pod();
        const auto found = pods.find(asked.metadata.name);
        const bool fits = found != pods.end() && found->second->metadata.uid == asked.metadata.uid &&
                          found->second->spec.node_name.empty() && found->second->status.phase == "Pending";
        if (fits) {
            core::pod bound = *found->second;
            bound.spec.node_name = one.node;
            for (const auto& [key, value] : one.annotations) bound.metadata.annotations[key] = value;
            put(std::move(bound));
        }
        const bool is_lost = below(100) < loses;
        answers.push_back({one.of, is_lost ? outcome::lost : (fits ? outcome::bound : outcome::conflict)});
    }
    std::optional<answer> any_answer() { return answers.empty() ? std::nullopt : std::optional(take_any(answers)); }
    /// The pod is read, which takes its time: see any_read().
    void ask_for(const scheduling::assumption& of) {
        const auto& asked = of.pod()->pod();
        const auto found = pods.find(asked.metadata.name);
        const bool is_there = found != pods.end() && found->second->metadata.uid == asked.metadata.uid;
        reads.push_back({of, is_there ? found->second : nullptr});
    }
    std::optional<read> any_read() { return reads.empty() ? std::nullopt : std::optional(take_any(reads)); }

    /// The scheduler is gone: what was sent may still be carried out, and nobody waits for the answer.
    void cut_off(std::uint64_t refuses) {
        while (!requests.empty()) carry_out(refuses, 0);
        answers.clear();
        reads.clear();
        events.clear();
    }

    /// What is written before a binding; false: it fails. Empty: nothing.
    std::function<bool(const request&)> before_binding;
    std::mt19937_64 random;
    std::map<std::string, pod_object> pods;
    std::map<std::string, node_object> nodes;
    std::deque<watch_event> events;
    std::vector<request> requests;
    std::vector<answer> answers;
    std::vector<read> reads;

private:
    template <class T>
    T take_any(std::vector<T>& from) {
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(below(from.size()));
        T out = std::move(*at);
        from.erase(at);
        return out;
    }
};

}  // namespace kcontrol::test
