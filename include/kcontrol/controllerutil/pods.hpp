// What controllers that make pods ask of them: why one does not run, how a container ended, and who ended it; and the
// environment that they give to containers.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kcontrol {

/// "Unschedulable: 0/3 nodes are available": a reason and a message, or the one that is not empty; at most so many
/// bytes, and no character is cut in two.
KCONTROL_DECL std::string words_of(std::string_view reason, std::string_view message, std::size_t most = 1000);

/// What a pod waits for: the scheduler's words, or the kubelet's of the first container that waits. Empty: nobody says.
KCONTROL_DECL std::string waiting_words(const api::core::v1::pod_status& pod);

/// How that container ended, or the init container that failed before it could begin. Null: it has not. Points into
/// `pod`.
KCONTROL_DECL const api::core::v1::container_state_terminated* end_of_container(const api::core::v1::pod_status& pod,
                                                                                std::string_view container);

/// Whether a pod that failed was taken away: preempted, evicted, or refused by its kubelet.
KCONTROL_DECL bool is_disrupted(const api::core::v1::pod_status& pod);

/// The variable has that value, in place of whatever it had.
KCONTROL_DECL void set_variable(list<api::core::v1::env_var>& in, std::string_view name, std::string_view value);
/// The same where there is none of that name.
KCONTROL_DECL void set_default_variable(list<api::core::v1::env_var>& in, std::string_view name,
                                        std::string_view value);

/// The variable has what is at that path of its pod, such as "metadata.labels['app']", in place of whatever it had.
KCONTROL_DECL void set_field_variable(list<api::core::v1::env_var>& in, std::string_view name, std::string_view path);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/pods.ipp>
#endif
