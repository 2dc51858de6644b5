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
class runnable {
public:
    using function = std::function<awaitable<result<void>>(std::stop_token)>;

    runnable(std::string n, function f, run_group g = run_group::leading)
        : name(std::move(n)), run(std::move(f)), group(g) {}

    std::string name;
    function run;
    run_group group;
};

}  // namespace kcontrol
