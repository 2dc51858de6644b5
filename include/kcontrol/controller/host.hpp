// What a controller builder asks of the place where controllers live: a cluster, and that it takes the controller.
#pragma once

#include <kcontrol/cluster/cluster.hpp>
#include <kcontrol/controller/controller.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Gives builders the cluster that controllers work on, and runs the controllers. A manager is one, and so is each
/// engaged cluster of a multicluster_manager.
///
/// Thread-safety: shared objects unsafe; use it on the cluster's executor.
class controller_host {
public:
    virtual ~controller_host() = default;

    /// The cluster whose objects the controllers are for. Controllers of one host share its informers.
    virtual cluster& get_cluster() noexcept = 0;

    /// A builder is about to make a controller with these options: where the host's own count unless they say
    /// otherwise.
    virtual void adjust(controller_options& /*of*/) const {}

    /// A builder has made this controller, and is about to add it.
    virtual void prepare(controller& /*made*/) {}

    /// Takes a controller to run. Errors: invalid_argument (its name is taken), unavailable (the host is stopping).
    virtual result<void> add(std::shared_ptr<any_controller> added) = 0;
};

/// The controllers of a host: no two have the same name, because metrics and logs carry it.
class controller_list {
public:
    /// Errors: invalid_argument (its name is taken).
    KCONTROL_DECL result<void> add(std::shared_ptr<any_controller> added);

    /// Lets go of all; one that nobody else holds is destroyed, and stops.
    void clear() noexcept { controllers_.clear(); }

    auto begin() const noexcept { return controllers_.begin(); }
    auto end() const noexcept { return controllers_.end(); }

private:
    std::vector<std::shared_ptr<any_controller>> controllers_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/host.ipp>
#endif
