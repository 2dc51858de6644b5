// What a delete asks of the in-process API server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::testing {

/// What becomes of an object's dependents.
enum class propagation { unset, background, foreground, orphan };

/// What a delete asks for (metav1.DeleteOptions).
class delete_request {
public:
    /// Deletes only the object with this uid, else fails with Conflict; empty: any.
    delete_request& uid(std::string only) { return uid_ = std::move(only), *this; }
    /// Deletes only the object with this resourceVersion, else fails with Conflict; empty: any.
    delete_request& resource_version(std::string only) { return resource_version_ = std::move(only), *this; }
    /// Checks all and deletes nothing; default false.
    delete_request& dry_run(bool yes) { return dry_run_ = yes, *this; }
    /// propagationPolicy, heeded where garbage is collected; `unset`: finalizers or the kind decide.
    delete_request& dependents(propagation policy) { return dependents_ = policy, *this; }
    /// Seconds that a pod on a node has to end; below 0 is 0. Not said: what the pod says, else 30.
    delete_request& grace_period(std::int64_t seconds) { return grace_period_ = seconds, *this; }

    /// Empty: any.
    const std::string& uid() const noexcept { return uid_; }
    const std::string& resource_version() const noexcept { return resource_version_; }
    bool dry_run() const noexcept { return dry_run_; }
    propagation dependents() const noexcept { return dependents_; }
    /// In seconds; nothing: the object's own. Only pods have one.
    std::optional<std::int64_t> grace_period() const noexcept { return grace_period_; }

private:
    std::string uid_;
    std::string resource_version_;
    bool dry_run_ = false;
    propagation dependents_ = propagation::unset;
    std::optional<std::int64_t> grace_period_;
};

}  // namespace kcontrol::testing
