// pod_notes: what is to be written to pods, one request a pod at a time.
#pragma once

#include <kcontrol/scheduling/detail/pod_binder.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

/// A later note replaces an earlier one that waits. It has no Asio and no clock.
///
/// Thread-safety: distinct objects safe.
class pod_notes {
public:
    /// A note, and the version of the pod that it is about.
    struct entry {
        std::shared_ptr<const pod_info> pod;
        pod_note note;
    };

    /// There is something to write. True: nobody writes to the pod, so the caller does, and calls take() until it has
    /// nothing.
    bool add(std::shared_ptr<const pod_info> pod, pod_note note) {
        auto [at, is_new] = waiting_.try_emplace(std::string(pod->uid()));
        auto& last = at->second;
        if (!last) last.emplace();
        last->pod = std::move(pod);
        if (note.refused) last->note.refused = std::move(note.refused);
        if (note.nominated) last->note.nominated = std::move(note.nominated);
        return is_new;
    }
    /// What is to be written to the pod next. None: its writer is done.
    std::optional<entry> take(std::string_view uid) {
        const auto found = waiting_.find(std::string(uid));
        if (found == waiting_.end()) return std::nullopt;
        auto out = std::exchange(found->second, std::nullopt);
        if (!out) waiting_.erase(found);
        return out;
    }
    /// What waits for the pod is not written: it is being bound.
    void drop(std::string_view uid) {
        const auto found = waiting_.find(std::string(uid));
        if (found != waiting_.end()) found->second.reset();
    }
    /// Whether somebody writes to the pod.
    bool is_busy(std::string_view uid) const { return waiting_.contains(std::string(uid)); }

private:
    std::unordered_map<std::string, std::optional<entry>> waiting_;  // by uid of pods that somebody writes to
};

}  // namespace kcontrol::scheduling::detail
