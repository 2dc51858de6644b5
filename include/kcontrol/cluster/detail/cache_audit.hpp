// Compares the caches of a cluster with its server now and then: for who does not trust them.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/cluster/detail/audit_rule.hpp>
#include <kcontrol/cluster/read_counts.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

class informer_set;

namespace detail {

/// Lists the metadata of what each watch of a set holds, one watch after another, and looks whether the stores have the
/// same versions. What differs is looked at again, alone, so that what is merely on its way is no difference; a true
/// one is logged once and counted. It changes nothing.
///
/// Thread-safety: shared objects unsafe; use it on the set's executor. Object lifetime: its coroutine keeps it; the set
/// detaches it when it goes.
class cache_audit final : public std::enable_shared_from_this<cache_audit> {
public:
    KCONTROL_DECL cache_audit(environment& env, executor ex, logger log, informer_set& set, duration period);

    /// Begins; the first audit is a period later.
    KCONTROL_DECL void start(std::stop_token stop);
    /// Waits until its work has returned after the stop.
    KCONTROL_DECL awaitable<void> join();
    /// The set goes.
    void detach() noexcept { set_ = nullptr; }
    const audit_counts_by_kind& counts() const noexcept { return counts_; }

private:
    // One watch in one audit.
    struct subject {
        std::shared_ptr<any_informer> watched;
        informer_options options;
    };
    enum class verdict { well, differs, unknown };

    static awaitable<void> run(std::shared_ptr<cache_audit> self, std::stop_token stop);
    KCONTROL_DECL std::vector<subject> subjects() const;
    KCONTROL_DECL const resource_info& metadata_of(const resource_info& info);
    KCONTROL_DECL awaitable<void> audit(const subject& what, std::stop_token stop);
    // What the server has; nothing if it does not say.
    KCONTROL_DECL awaitable<std::optional<versions_by_key>> list(const subject& what, std::string& as_of,
                                                                 std::stop_token stop);
    // The version that the server has of one object, "" if it has none; nothing if it does not say.
    KCONTROL_DECL awaitable<std::optional<std::string>> ask(const resource_info& info, namespaced_name key,
                                                            std::stop_token stop);
    KCONTROL_DECL awaitable<verdict> confirm(const subject& what, audit_finding& found, std::stop_token stop);
    KCONTROL_DECL void conclude(const subject& what, const std::vector<audit_finding>& found);

    environment* env_;
    logger log_;
    informer_set* set_;
    duration period_;
    task_group tasks_;
    std::map<group_version_kind, std::unique_ptr<resource_info>> metadata_;
    std::map<std::pair<group_version_kind, std::string>, audit_journal> told_;  // by kind and scope
    audit_counts_by_kind counts_;
};

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/cache_audit.ipp>
#endif
