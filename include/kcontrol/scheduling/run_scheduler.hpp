// Running a scheduler as a program of its own: the flags of run(), and those of a scheduler.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/manager/run_options.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/scheduling/scheduler.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {

/// What a program does besides scheduling.
class scheduler_set_up {
public:
    using before_function = std::function<awaitable<result<void>>(manager&, std::stop_token)>;
    using after_function = std::function<result<void>(manager&, const std::shared_ptr<scheduler>&)>;

    /// Before the scheduler is made: what must be there, such as CustomResourceDefinitions and informers.
    scheduler_set_up& before(before_function f) { return before_ = std::move(f), *this; }
    /// With the scheduler, before the manager runs: controllers, endpoints.
    scheduler_set_up& after(after_function f) { return after_ = std::move(f), *this; }

    const before_function& before() const noexcept { return before_; }
    const after_function& after() const noexcept { return after_; }

private:
    before_function before_;
    after_function after_;
};

/// run() with a scheduler in the manager. Besides its flags there are `--scheduler-name NAME` and `--config FILE`,
/// which come before what the options say and exclude each other. The Lease of --leader-elect is named after the
/// scheduler, or after the first profile, unless --leader-election-id says otherwise. Returns the program's exit
/// status: also 2 for a configuration with an error, which is printed as `FILE:LINE: …`, and for --namespace, since the
/// pods of all namespaces fill the nodes.
///
/// The functions of `program`'s flags, and scheduler_options::plugins(), may be called twice.
KCONTROL_DECL int run_scheduler(int argc, char** argv, scheduler_options how, run_options program = {},
                                scheduler_set_up more = {});

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/run_scheduler.ipp>
#endif
