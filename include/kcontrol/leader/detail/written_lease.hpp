// A Lease as leader election writes it: client-go's five fields, each of them always.
#pragma once

#include <kcontrol/api/coordination/v1.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/model/describe.hpp>
#include <kcontrol/model/field.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/model/rules.hpp>

#include <cstdint>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// LeaseSpec as client-go's LeaderElectionRecordToLeaseSpec makes it. `holderIdentity` is written where it is empty as
/// well, as of a released Lease; the generated type leaves empty texts out.
struct written_lease_spec {
    text holder_identity;
    std::int32_t lease_duration_seconds = 0, lease_transitions = 0;
    micro_time acquire_time, renew_time;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(
            kcontrol::field("holderIdentity", &written_lease_spec::holder_identity, rules().required()),
            kcontrol::field("leaseDurationSeconds", &written_lease_spec::lease_duration_seconds),
            kcontrol::field("leaseTransitions", &written_lease_spec::lease_transitions),
            kcontrol::field("acquireTime", &written_lease_spec::acquire_time),
            kcontrol::field("renewTime", &written_lease_spec::renew_time));
    }
};

struct written_lease {
    static constexpr resource_name kcontrol_resource{"coordination.k8s.io", "v1", "Lease", "leases"};

    object_meta metadata;
    written_lease_spec spec;

    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &written_lease::spec)); }
};

/// The Lease as it is sent. A PUT of it removes what else the spec has (preferredHolder, strategy), as client-go's
/// does.
inline written_lease written(const api::coordination::v1::lease& from) {
    written_lease out;
    out.metadata = from.metadata;
    out.spec.holder_identity = from.spec.holder_identity;
    out.spec.lease_duration_seconds = from.spec.lease_duration_seconds.value_or(0);
    out.spec.lease_transitions = from.spec.lease_transitions.value_or(0);
    out.spec.acquire_time = from.spec.acquire_time;
    out.spec.renew_time = from.spec.renew_time;
    return out;
}

/// The server's answer to it.
inline result<api::coordination::v1::lease> read_back(result<written_lease> answer) {
    if (!answer) return answer.error();
    api::coordination::v1::lease out;
    out.metadata = std::move(answer->metadata);
    out.spec.holder_identity = std::move(answer->spec.holder_identity);
    out.spec.lease_duration_seconds = answer->spec.lease_duration_seconds;
    out.spec.lease_transitions = answer->spec.lease_transitions;
    out.spec.acquire_time = answer->spec.acquire_time;
    out.spec.renew_time = answer->spec.renew_time;
    return out;
}

}  // namespace kcontrol::detail
