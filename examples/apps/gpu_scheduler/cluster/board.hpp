// What the scheduler knows of GPUs and tenants: made of nodes and pods as they are, so that a restart needs nothing
// else.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/scheduling/snapshot.hpp>

#include "allocate/allocate.hpp"
#include "cluster/gpu_claims.hpp"
#include "cluster/pod_claim.hpp"
#include "cluster/settings.hpp"
#include "tenants/accounts.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpu_scheduler {

/// What a pod holds on a node.
struct gpu_holding {
    std::string pod;  ///< "namespace/name"
    std::string uid;  ///< empty: of a claim whose pods are not here
    std::string tenant;
    std::string unit;         ///< its gang, or its uid: what leaves together
    std::int64_t amount = 0;  ///< thousandths of GPUs; what a claim has counts for the first of its pods
    std::int32_t priority = 0;
    std::optional<kcontrol::wall_time> started;
    std::vector<device_hold> devices;  ///< empty: which ones is not known
    demand usual;                      ///< as placement sees it
};

/// What a node can give to a kind of pod.
struct node_answer {
    std::optional<allocation> best;  ///< none: nothing now
    bool could_ever = false;         ///< without any pods it could
};

/// A node with its GPUs, and what pods hold of them.
struct node_state {
    std::uint64_t version = 0;  ///< of the node_info that it was made of
    std::uint64_t edition = 0;  ///< another number each time it is made
    std::uint64_t slices = 0;   ///< the edition of the claims that its devices are of
    std::shared_ptr<const kcontrol::api::core::v1::node> node;
    std::string wrong;  ///< why its GPUs can't be read; empty: they can
    node_ledger without_pods{node_devices()};
    node_ledger ledger{node_devices()};
    std::vector<gpu_holding> holdings;
    std::map<std::size_t, node_answer> answers;  ///< by the kind of the pod

    const std::string& product() const noexcept { return ledger.devices().product; }
    std::int64_t capacity() const;  ///< thousandths of the GPUs that are healthy
};

/// Thread-safety: shared objects unsafe; it belongs to the scheduler's executor.
class board {
public:
    using labels_function = tenant_accounts::labels_function;

    /// The time, for what minRuntimeSeconds protects.
    using clock_function = std::function<kcontrol::wall_time()>;

    board(clock_function now, labels_function labels_of) : now_(std::move(now)), accounts_(std::move(labels_of)) {}

    kcontrol::wall_time now() const { return now_(); }

    /// HAMi's device plugin gives what is decided here.
    void tell_hami() noexcept { tells_hami_ = true; }
    /// Claims count from now on. Called once, before anything is known.
    void follow(const std::shared_ptr<gpu_claims::catalog>& claims) { claims_ = std::make_unique<gpu_claims>(claims); }
    gpu_claims* claims() noexcept { return claims_.get(); }  ///< null: they don't count
    /// Whether the kubelet chooses the GPUs of pods there.
    bool is_forecast(const node_state& of) const noexcept {
        const auto source = of.ledger.devices().source;
        return source != device_source::claims && (!tells_hami_ || source != device_source::hami);
    }

    void set(settings all);
    const settings& with() const noexcept { return settings_; }

    /// These tenants count from now on. Without a call there are none, and priorities alone decide.
    void set_tenants(std::vector<tenant> all);
    /// Labels of a namespace may have changed. Whether it is another tenant's now.
    bool forget_namespace(std::string_view name);
    bool has_tenants() const noexcept { return accounts_.has_tenants(); }
    const membership* members() const noexcept { return accounts_.members(); }
    const std::vector<tenant>& tenants() const noexcept { return accounts_.tenants(); }
    const std::string& tenant_of(std::string_view namespace_) { return accounts_.tenant_of(namespace_); }

    /// A version of a pod of this scheduler, for what tenants request: it waits, or not any more.
    void set_waiting(const kcontrol::api::core::v1::pod& pod);
    void remove_waiting(std::string_view uid);

    /// Takes over what has changed of the nodes.
    void refresh(const kcontrol::scheduling::snapshot& nodes);
    /// A node of the snapshot, or a copy of it in a trial. Valid until the next call of a function that is not const.
    node_state& at(const kcontrol::scheduling::node_info& node);
    /// The nodes as of refresh(); null where there is none.
    const std::vector<std::unique_ptr<node_state>>& nodes() const noexcept { return states_; }
    /// What such a node can give to a pod. `kind` is that of kind_of().
    const node_answer& answer(node_state& on, const kcontrol::scheduling::node_info& node, std::size_t kind,
                              const gpu_request& request, std::int64_t cpu_milli);
    std::size_t kind_of(const gpu_request& request, std::int64_t cpu_milli);
    placer& by() { return *placer_; }
    /// The node of that name as of refresh(), or null.
    const node_state* find(std::string_view name) const;
    /// What of its free GPUs the usual pods can't use, in thousandths.
    double unusable(const node_state& on);
    slice_turns& turns() noexcept { return turns_; }

    /// Of a pod whose node is not known: as on the nodes with the largest GPUs.
    std::int64_t amount_of(const gpu_request& request) const;
    /// The same, and what its claims take at least that have nothing yet.
    std::int64_t amount_of(const kcontrol::api::core::v1::pod& pod);
    /// What a pod holds, as of refresh().
    std::int64_t held_by(std::string_view uid) const;
    /// The limits of a tenant and of those above it, on nodes of that product.
    std::vector<tenant_limit> limits_of(std::string_view tenant) { return accounts_.limits_of(tenant); }
    int hunger(std::string_view tenant) { return accounts_.hunger(tenant, settings_.hunger); }
    /// Another number: hunger() says something else of a tenant.
    std::uint64_t hunger_version() const noexcept { return hunger_version_; }
    /// Whether a pod may have the place of another one.
    bool may_evict(const kcontrol::scheduling::pod_info& preemptor, const kcontrol::scheduling::pod_info& victim);
    /// Why it may: "priority" within a tenant; between tenants "quota" if the quota covers the pod, else "fair-share".
    std::string_view reason_to_evict(const kcontrol::scheduling::pod_info& preemptor,
                                     const kcontrol::scheduling::pod_info& victim);

    /// When minRuntimeSeconds ends for pods.
    struct runtime_ends {
        bool any = false;                         ///< for one, after `since` and not after `now`
        std::optional<kcontrol::wall_time> next;  ///< the first time after `now`
    };
    runtime_ends runtimes_between(kcontrol::wall_time since, kcontrol::wall_time now);

    /// Products of which tenants have quotas of their own, and "" for all GPUs together.
    const std::set<std::string>& products() const noexcept { return accounts_.products(); }
    const tenant_book& book(const std::string& product) { return accounts_.book(product).all; }
    /// What the pods of a tenant request: what they hold and wait for, and how many wait.
    std::int64_t requested(const std::string& product, const std::string& tenant) const {
        return accounts_.requested(product, tenant);
    }
    std::int64_t pending(const std::string& tenant) const { return accounts_.pending(tenant); }
    std::size_t waiting() const noexcept { return waiting_.size(); }  ///< pods that wait
    bool is_waiting(std::string_view uid) const { return waiting_.contains(std::string(uid)); }
    /// Another number: other pods wait, or something of theirs has changed.
    std::uint64_t waiting_version() const noexcept { return waiting_version_; }

private:
    struct waiting_pod {
        std::string namespace_, tenant, product;
        gpu_request request;
        std::int64_t amount = 0, extended = 0;  // extended: what is of resources that classes stand for
        std::int64_t cpu_milli = 0;
        gpu_claims::claim_names claims;
    };
    // Of pods that wait.
    struct waiting_claim {
        std::set<std::string> pods;  // uids
        std::string tenant, product;
        std::int64_t amount = 0;  // 0 once it has its devices
    };

    bool take_claims();
    bool is_touched(const node_state& of) const;
    void renew(const gpu_claims::claim_name& name, waiting_claim& of);
    void add_claims(node_state& on, const kcontrol::scheduling::pod_info& pod, gpu_claims::claim_names& counted,
                    gpu_holding& to);
    void hold_others(node_state& on, gpu_claims::claim_names& counted);
    void make(node_state& out, const kcontrol::scheduling::node_info& node);
    void hold(node_state& on, const kcontrol::scheduling::pod_info& pod, gpu_claims::claim_names& counted);
    void count(const node_state& of, int times);
    void count(const waiting_pod& of, int times);
    void start_over();
    void renew_placer();
    void renew_amounts();
    void note_hunger();
    tenant_accounts::tenant_product& running_book(const std::string& product, kcontrol::wall_time now);

    clock_function now_;
    bool tells_hami_ = false;
    tenant_accounts accounts_;
    std::unique_ptr<gpu_claims> claims_;
    std::uint64_t slices_ = 0;                                             // the edition that nodes are of
    std::map<gpu_claims::claim_name, std::string> node_of_;                // of claims that hold GPUs
    std::map<std::string, gpu_claims::claim_names, std::less<>> held_on_;  // the same by node
    std::set<std::string, std::less<>> touched_;                           // nodes whose claims have changed
    bool has_new_slices_ = false;
    std::map<gpu_claims::claim_name, waiting_claim> waiting_claims_;
    settings settings_;
    std::vector<std::unique_ptr<node_state>> states_;       // by slot
    const node_state* largest_ = nullptr;                   // of those, by the memory of a GPU
    std::pair<std::int64_t, std::string> largest_gpu_;      // its memory and product, once amounts were made with it
    node_state tried_;                                      // of a copy
    std::unordered_map<std::string, std::size_t> slot_of_;  // of pods that hold GPUs, by uid
    std::unordered_map<std::string, waiting_pod> waiting_;  // by uid: counted unless in slot_of_
    // Pods that wait and request other extended resources, for which classes may stand.
    std::map<std::string, std::shared_ptr<const kcontrol::api::core::v1::pod>> extended_;
    std::map<std::string, std::size_t> kinds_;
    std::uint64_t hunger_version_ = 0, waiting_version_ = 0, editions_ = 0;
    std::unique_ptr<placer> placer_ =
        std::make_unique<placer>(placement_policy::fragmentation, std::vector<usual_pod>());
    std::size_t placer_for_ = 0;  // how many pods it knows
    slice_turns turns_;
};

}  // namespace gpu_scheduler
