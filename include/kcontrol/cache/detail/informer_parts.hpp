// What a value that is derived from an informer uses of it.
#pragma once

#include <kcontrol/runtime/executor.hpp>

#include <memory>

namespace kcontrol::inline v0_1 {
class environment;
class guarded_calls;
class store;
class task_group;
}  // namespace kcontrol

namespace kcontrol::inline v0_1::detail {

// References are valid as long as `hold`, which keeps the store and its objects, but no watch.
struct informer_parts {
    std::shared_ptr<const void> hold;
    environment& env;
    executor ex;
    guarded_calls& calls;
    task_group& tasks;
    const store& objects;
};

}  // namespace kcontrol::detail
