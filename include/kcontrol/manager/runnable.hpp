// Something that a manager runs beside its controllers.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/manager/run_group.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <functional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Work that runs until its stop token is triggered. It is called again when the manager is started again. An error
/// ends the whole manager; returning early without one does not. An exception is an error.
///
/// It is called when every informer that the manager then has is in sync, so that it may read the caches. An informer
/// whose kind is not installed, or which may not read, is not waited for. run_group::serving waits for none.
class runnable {
public:
    /// The work; it is to return soon after its token is triggered.
    using function = std::function<awaitable<result<void>>(std::stop_token)>;

    /// In this order: the name, the work, when it runs.
    runnable(std::string n, function f, run_group g = run_group::leading)
        : name(std::move(n)), run(std::move(f)), group(g) {}

    std::string name;  ///< for messages; stands before its errors
    function run;      ///< called on the manager's executor, anew at each start
    run_group group;   ///< what it waits for
};

}  // namespace kcontrol
