// The cluster of one client: what a manager runs against, or a program without one.
#pragma once

#include <kcontrol/cluster/cache_options.hpp>
#include <kcontrol/cluster/cluster.hpp>
#include <kcontrol/cluster/informer_report.hpp>
#include <kcontrol/cluster/informer_set.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

class recorder_set;  // record/recorder_set.hpp

/// A cluster whose client is given and stays. start() and stop() of informers() and recorders() are its owner's
/// business; a manager does it when it runs.
///
/// Thread-safety: shared objects unsafe; see cluster.
class home_cluster final : public cluster {
public:
    /// `options` are those of the informers: namespaces, selectors, page size… Their logger is `log`, with the
    /// cluster's name where it has one.
    KCONTROL_DECL home_cluster(environment& env, executor ex, client cl, cache_options options, logger log = {},
                               std::string name = {});

    KCONTROL_DECL ~home_cluster() override;
    home_cluster(const home_cluster&) = delete;
    home_cluster& operator=(const home_cluster&) = delete;

    KCONTROL_DECL const std::string& name() const noexcept override;
    KCONTROL_DECL environment& env() const noexcept override;  ///< that it was made with
    KCONTROL_DECL executor get_executor() const override;
    KCONTROL_DECL const logger& log() const noexcept override;  ///< that it was made with, and the cluster's name
    KCONTROL_DECL client& get_client() noexcept override;
    KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> informers_of(const resource_info& kind) override;
    KCONTROL_DECL std::shared_ptr<cached_source> source_of(const resource_info& kind) override;
    KCONTROL_DECL result<std::shared_ptr<cached_source>> source_with(const resource_info& kind,
                                                                     const kind_options& how) override;
    KCONTROL_DECL awaitable<result<void>> remove_informers_of(const resource_info& kind) override;
    KCONTROL_DECL std::shared_ptr<event_recorder> recorder_of(const event_recorder_options& options) override;

    /// Where each informer stands, in the order of informer_set::all().
    KCONTROL_DECL std::vector<informer_report> informer_reports() const;

    informer_set& informers() noexcept { return informers_; }  ///< started and stopped by its owner, or by a manager
    const informer_set& informers() const noexcept { return informers_; }  ///< the same, to look at
    recorder_set& recorders() noexcept { return *recorders_; }  ///< started and stopped by its owner, or by a manager
    const recorder_set& recorders() const noexcept { return *recorders_; }  ///< the same, to look at

private:
    environment* env_;
    executor ex_;
    logger log_;
    std::string name_;
    informer_set informers_;
    std::unique_ptr<recorder_set> recorders_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/home_cluster.ipp>
#endif
