// The builder of controllers over many clusters: the same words as for one, said once for all that engage.
#pragma once

#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/multicluster/cluster_controllers.hpp>
#include <kcontrol/multicluster/cluster_workers.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

// One reconciler for the controllers of all clusters. It has the calls of F, and no others.
template <class F>
class shared_reconciler {
public:
    explicit shared_reconciler(std::shared_ptr<F> f) : f_(std::move(f)) {}

    template <class... Args>
    requires std::invocable<F&, Args...> std::invoke_result_t<F&, Args...>
    operator()(Args... args) const { return (*f_)(std::move(args)...); }

private:
    std::shared_ptr<F> f_;
};

}  // namespace detail

/// A controller for objects of type T in each cluster, in the making. Its words mean what they mean of a
/// controller_builder_for, for each cluster that engages, now or later: functions and predicates are copied for each,
/// and called where that cluster works; the reconciler is one for all. It is called for several clusters at once where
/// multicluster_options::cluster_executor() spreads them, else never on two threads.
///
/// A request says which cluster it is of, and reconcile_context::get_cluster() gives the client, the caches and the
/// recorders of that. A map or event handler may name requests of other clusters: those go there.
template <class T>
class multicluster_controller_for {
public:
    /// Looks at objects of kind U that a T of the same cluster owns, and reconciles their owner.
    template <detail::typed_kind U, class... A>
    multicluster_controller_for& owns(A... arguments) {
        return step([=](builder& b, controller_host&) { b.template owns<U>(arguments...); });
    }
    /// The same of a kind known at run time, which outlives the manager.
    template <class... A>
    multicluster_controller_for& owns(const resource_info& kind, A... arguments) {
        return step([=, k = &kind](builder& b, controller_host&) { b.owns(*k, arguments...); });
    }

    /// Looks at objects of kind V in the same cluster, and reconciles what `map` makes of each.
    template <detail::typed_kind V, class... A>
    multicluster_controller_for& watches(A... arguments) {
        return step([=](builder& b, controller_host&) { b.template watches<V>(arguments...); });
    }
    /// The same of a kind known at run time, which outlives the manager.
    template <class... A>
    multicluster_controller_for& watches(const resource_info& kind, A... arguments) {
        return step([=, k = &kind](builder& b, controller_host&) { b.watches(*k, arguments...); });
    }

    /// Looks at objects of kind V in the cluster of that name, from each of the clusters: a request that `map` makes
    /// without saying of which cluster it is, is of the one that looks. What it is about is told to a cluster that
    /// engages later as well. While the cluster that is looked at is away, what it had stays.
    template <detail::typed_kind V, class F, class... P>
    multicluster_controller_for& watches_in(std::string cluster, F map, P... predicates) {
        detail::allow_options_alone<P...>();
        const auto feed = make_feed<V>(std::move(cluster), detail::setting_among<kind_options>(predicates...));
        return step([=](builder& b, controller_host& host) {
            b.watches_source(feed->view(host.get_cluster().get_executor()), handler_on<V>(map),
                             detail::predicates_on<V>(P(predicates)...));
        });
    }

    /// Only events that `p` lets pass count, of whatever kind. Repeatable: all must let it pass.
    template <class P>
    multicluster_controller_for& with_event_filter(P p) {
        return step([=](builder& b, controller_host&) { b.with_event_filter(p); });
    }
    /// Those of each cluster's controller: `max_concurrent_reconciles(4)` is four for each.
    multicluster_controller_for& with_options(controller_options o) {
        return step([=](builder& b, controller_host&) { b.with_options(o); });
    }

    /// In which clusters it reconciles. Default: all. Is asked when one engages.
    multicluster_controller_for& clusters(cluster_controllers::choice wanted) {
        made_->wanted_ = std::move(wanted);
        return *this;
    }
    /// In the clusters of these names alone, whenever they engage; in place of what was said before.
    multicluster_controller_for& clusters(std::vector<std::string> names) {
        return clusters([names = std::move(names)](const engaged_cluster& one) {
            return std::find(names.begin(), names.end(), one.name()) != names.end();
        });
    }
    /// In the clusters whose labels match (see desired_cluster::labels); in place of what was said before.
    multicluster_controller_for& clusters(label_selector labels) {
        return clusters(
            [labels = std::move(labels)](const engaged_cluster& one) { return labels.matches(one.labels()); });
    }
    /// In all clusters but those of these names; in place of what was said before.
    multicluster_controller_for& all_clusters_except(std::vector<std::string> names) {
        return clusters([names = std::move(names)](const engaged_cluster& one) {
            return std::find(names.begin(), names.end(), one.name()) == names.end();
        });
    }
    /// It runs whether this process leads or not; see multicluster_options::leader_election().
    multicluster_controller_for& always() { return made_->always_ = true, *this; }

    /// Makes the controllers: at once in the clusters that have engaged, and in each that will. The reconciler is what
    /// it is for controller_builder_for::complete(). On the manager's executor. Errors: invalid_argument (the name is
    /// taken).
    template <class F>
    result<std::shared_ptr<cluster_controllers>> complete(F reconcile) {
        detail::assert_reconciles<F, request, detail::reconciled_object<T>>();
        const detail::shared_reconciler<F> shared(std::make_shared<F>(std::move(reconcile)));
        return add(shared);
    }
    /// The same where the clusters share workers, and other controllers if they are given these, too: a reconcile
    /// begins when it is its cluster's turn. See cluster_workers.
    template <class F>
    result<std::shared_ptr<cluster_controllers>> complete(F reconcile, std::shared_ptr<shared_workers> workers) {
        detail::assert_reconciles<F, request, detail::reconciled_object<T>>();
        const detail::reconciler_in_turn<F> shared(std::make_shared<F>(std::move(reconcile)), std::move(workers));
        return add(shared);
    }

private:
    friend class multicluster_controller;
    using builder = controller_builder_for<T>;
    using builder_step = std::function<void(builder&, controller_host&)>;
    using builder_begin = std::function<builder(controller_host&)>;

    multicluster_controller_for(multicluster_manager& m, std::shared_ptr<cluster_controllers> made)
        : manager_(&m), made_(std::move(made)) {}

    template <class Shared>
    result<std::shared_ptr<cluster_controllers>> add(Shared shared) {
        made_->make_ = [begin = begin_, steps = std::move(steps_), shared](controller_host& host) {
            builder b = begin(host);
            for (const auto& each : steps) each(b, host);
            return b.complete(shared);
        };
        const result<void> taken = manager_->add(made_);
        if (!taken) return taken.error();
        return made_;
    }
    multicluster_controller_for& step(builder_step s) { return steps_.push_back(std::move(s)), *this; }
    template <detail::typed_kind V>
    std::shared_ptr<detail::cluster_feed> make_feed(std::string cluster, const kind_options* how) {
        auto feed = std::make_shared<detail::cluster_feed>(
            made_->env_, std::move(cluster), resource_of<V>(),
            how == nullptr ? std::nullopt : std::optional<kind_options>(*how), made_->log_);
        made_->feeds_.push_back(feed);
        return feed;
    }

    multicluster_manager* manager_;
    std::shared_ptr<cluster_controllers> made_;
    builder_begin begin_;
    std::vector<builder_step> steps_;
};

/// Begins to build a controller over all clusters of a manager:
/// `multicluster_controller(m, "jobs").for_<job>().owns<pod>().complete(reconcile)`.
class multicluster_controller {
public:
    /// `name` appears in logs and metrics, and is unique in every cluster. On the manager's executor.
    multicluster_controller(multicluster_manager& m, std::string name) : manager_(&m), name_(std::move(name)) {}

    /// The kind the controllers are for, of their own clusters' objects; arguments as of controller_builder::for_.
    template <detail::typed_kind T, class... A>
    multicluster_controller_for<T> for_(A... arguments) {
        return begun<T>([name = name_, arguments...](controller_host& host) {
            return controller_builder(host, name).for_<T>(arguments...);
        });
    }
    /// Of a kind known at run time, which outlives the manager.
    template <class... A>
    multicluster_controller_for<any_object> for_(const resource_info& kind, A... arguments) {
        return begun<any_object>([name = name_, k = &kind, arguments...](controller_host& host) {
            return controller_builder(host, name).for_(*k, arguments...);
        });
    }
    /// For the objects of the cluster of that name, in each of the clusters: every object is a request of each cluster,
    /// which engages with requests of all of them. The reconciler gets the object of that cluster and, from its
    /// context, the cluster that is to follow. One that is to hear of deletions takes request and object.
    template <detail::typed_kind T, class... P>
    multicluster_controller_for<T> for_in(std::string cluster, P... predicates) {
        detail::allow_options_alone<P...>();
        auto out = begun<T>(nullptr);
        const auto feed =
            out.template make_feed<T>(std::move(cluster), detail::setting_among<kind_options>(predicates...));
        out.begin_ = [name = name_, feed, predicates...](controller_host& host) {
            const auto source = feed->view(host.get_cluster().get_executor());
            return controller_builder(host, name).for_source<T>(source, predicates...);
        };
        return out;
    }

private:
    template <class T>
    multicluster_controller_for<T> begun(typename multicluster_controller_for<T>::builder_begin begin) {
        auto made = std::make_shared<cluster_controllers>(manager_->env(), name_, manager_->log());
        multicluster_controller_for<T> out(*manager_, std::move(made));
        out.begin_ = std::move(begin);
        return out;
    }

    multicluster_manager* manager_;
    std::string name_;
};

}  // namespace kcontrol
