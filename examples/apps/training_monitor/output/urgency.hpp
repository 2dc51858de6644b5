// Which jobs a terminal shows first, and which of them a search finds. Pure functions.
#pragma once

#include "table/job_table.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// The words of a search, in lower case. A job fits if each of them is in its name, namespace, cluster, kind, state,
/// reason, why or labels ("team=nlp"), whatever the case: as the page searches.
class job_search {
public:
    job_search() = default;
    explicit job_search(std::string_view text);

    bool empty() const noexcept { return words_.empty(); }
    bool fits(const job_view& job) const;

private:
    std::vector<std::string> words_;
};

/// How a list is sorted: the urgent first, or by one column, the largest or latest first and names from a to z.
enum class list_order { urgency, name, started, duration, gpus };
std::string_view to_string(list_order order) noexcept;
void sort_by(std::vector<const job_view*>& jobs, list_order order, kcontrol::wall_time now);

/// The jobs that fit: first those that failed within a day, the newest first, then those that restart or are stuck,
/// wait, run, are suspended, failed earlier, succeeded; each as jobs() sorts them. Pointers are good until the table
/// changes.
std::vector<const job_view*> by_urgency(const job_table& table, const job_search& search, kcontrol::wall_time now);

/// The first of each group of jobs that failed within a day for one cause, and of how many others it is the row.
using rows_of_causes = std::map<const job_view*, std::size_t>;

/// Takes the others of such groups out of by_urgency()'s list.
rows_of_causes fold_causes(std::vector<const job_view*>& jobs, kcontrol::wall_time now);

}  // namespace training_monitor
