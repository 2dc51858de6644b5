// What happened to an object, as people shall read it in `kubectl describe`.
#pragma once

#include <kcontrol/record/object_reference.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The content of an Event. What is longer than the API takes is cut off: 128 bytes of reason and action, 1,024 of the
/// message.
///
/// Source: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class event_note {
public:
    /// Something went as it should. `reason`: one word in CamelCase, for machines; `message`: for people.
    static event_note normal(std::string reason, std::string message) {
        return {"Normal", std::move(reason), std::move(message)};
    }
    /// Somebody may have to do something.
    static event_note warning(std::string reason, std::string message) {
        return {"Warning", std::move(reason), std::move(message)};
    }

    /// What was done or tried, in one word; by default the reason.
    event_note& action(std::string a) { return action_ = std::move(a), *this; }
    /// A second object, as the node that a pod was bound to.
    event_note& related(object_reference r) { return related_ = std::move(r), *this; }

    /// An annotation of the Event, for who reads Events by program. A repeat of the Event keeps what the first had.
    event_note& annotation(std::string key, std::string value) {
        return annotations_.emplace_back(std::move(key), std::move(value)), *this;
    }

    const std::string& type() const noexcept { return type_; }        ///< "Normal" or "Warning"
    const std::string& reason() const noexcept { return reason_; }    ///< one word in CamelCase; not cut off yet
    const std::string& message() const noexcept { return message_; }  ///< for people; not cut off yet
    const std::string& action() const noexcept { return action_.empty() ? reason_ : action_; }
    const std::optional<object_reference>& related() const noexcept { return related_; }
    /// In the order of the calls.
    const std::vector<std::pair<std::string, std::string>>& annotations() const noexcept { return annotations_; }

private:
    event_note(std::string type, std::string reason, std::string message)
        : type_(std::move(type)), reason_(std::move(reason)), message_(std::move(message)) {}

    std::string type_, reason_, message_, action_;
    std::optional<object_reference> related_;
    std::vector<std::pair<std::string, std::string>> annotations_;
};

}  // namespace kcontrol
