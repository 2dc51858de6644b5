// The executors by name: what spec.executor may say. A new one is a class, and a line here.
#pragma once

#include <array>
#include <memory>
#include <string_view>

namespace training_operator {

class job_executor;  // executors/job_executor.hpp

std::unique_ptr<job_executor> make_pods_executor();
std::unique_ptr<job_executor> make_batch_job_executor();
std::unique_ptr<job_executor> make_pytorchjob_executor();

struct executor_entry {
    std::string_view name;
    std::unique_ptr<job_executor> (*make)();
};

/// The first one is the default.
inline constexpr std::array executor_table{
    executor_entry{"pods", make_pods_executor},
    executor_entry{"batch-job", make_batch_job_executor},
    executor_entry{"pytorchjob", make_pytorchjob_executor},
};

inline constexpr auto executor_names = [] {
    std::array<std::string_view, executor_table.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = executor_table[i].name;
    return names;
}();

}  // namespace training_operator
