// What sources of clusters share that look at kubeconfigs in a directory: when they look, and whom they tell.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/detail/on_change_backoff.hpp>
#include <kcontrol/multicluster/directory_tracker.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Looks when something in the directory has changed, when a grace period of the tracker ends, and every 30 s.
///
/// Thread-safety: shared objects unsafe; use it on the executor. Held by a shared pointer, for who is told may destroy
/// the source.
class kubeconfig_watch : public std::enable_shared_from_this<kubeconfig_watch> {
public:
    using look_function = std::function<result<std::vector<directory_tracker::finding>>()>;

    /// `whose` and `about` stand in the log where on_change() throws.
    KCONTROL_DECL kubeconfig_watch(environment& env, executor ex, std::string directory, look_function look,
                                   std::string whose, std::string about, logger log);

    /// Errors: invalid_argument (it runs already), those of the first look.
    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change);
    KCONTROL_DECL void stop();
    bool runs() const noexcept { return term_ != nullptr; }

private:
    KCONTROL_DECL void sweep();
    static KCONTROL_DECL awaitable<void> run(std::shared_ptr<kubeconfig_watch> self, std::stop_token stop);

    environment& env_;
    executor ex_;
    std::string directory_;
    look_function look_;
    std::string whose_;
    std::string about_;
    logger log_;
    guarded_calls calls_;
    task_group tasks_;
    directory_tracker tracker_;
    std::optional<std::vector<desired_cluster>> published_;
    std::function<void(std::vector<desired_cluster>)> on_change_;
    backoff pause_{on_change_backoff()};
    std::optional<time_point> call_again_;  // it threw
    std::unique_ptr<directory_watch> watch_;
    std::string failure_;  // of the last look, as it was logged
    async_event changed_;
    std::unique_ptr<scope> term_;  // from start() to stop()
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/kubeconfig_watch.ipp>
#endif
