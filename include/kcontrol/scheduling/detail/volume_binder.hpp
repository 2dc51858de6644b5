// volume_binder: VolumeBinding that also writes what it decides, before the pod is bound.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/placement.hpp>
#include <kcontrol/scheduling/status.hpp>
#include <kcontrol/scheduling/volume_binding.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include <memory>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

/// What a volume_binder works with. Plugins may outlive their scheduler, so they share it.
struct volume_access {
    volume_access(environment& e, client c) : env(e), writer(std::move(c)) {}

    environment& env;
    client writer;
    volume_catalog objects;
    std::stop_token stop;  // of the term
};

/// Writes the claims into the volumes that it chose, and the node into the claims for which a volume is to be made
/// there. The pod is bound once all claims are.
/// Source: https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
///
/// Thread-safety: it belongs to the client's executor.
class volume_binder : public volume_binding {
public:
    struct state : volume_binding::state {
        volume_decision decided;
    };

    explicit volume_binder(std::shared_ptr<volume_access> with)
        : volume_binding(with->objects), with_(std::move(with)) {}

    KCONTROL_DECL status reserve(state& of_pod, placement& of, const node_info& node);
    KCONTROL_DECL void unreserve(state& of_pod, const placement& of) noexcept;
    KCONTROL_DECL awaitable<status> pre_bind(state& of_pod, placement& of);

private:
    KCONTROL_DECL awaitable<result<void>> write(const volume_decision& decided, std::string node);

    std::shared_ptr<volume_access> with_;
};

}  // namespace kcontrol::scheduling::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/volume_binder.ipp>
#endif
