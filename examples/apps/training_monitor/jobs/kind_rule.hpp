// A kind of jobs that no type of this program stands for: what it is called, and how its objects are read.
#pragma once

#include "jobs/field_path.hpp"
#include "jobs/job_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

/// The state of a job that has this condition, and this in that field: of what is empty nothing is asked.
struct state_rule {
    job_state state = job_state::unknown;
    std::string condition;            ///< its type
    std::string status = "True";      ///< of the condition
    field_path field;                 ///< a place that says something (says_yes), in one of its values
    std::vector<std::string> values;  ///< or one of these
};

/// A line of a job's replicas, or with `items` one for each of a list or map.
struct replica_rule {
    std::string type;    ///< what the line is called; empty with items
    field_path items;    ///< a map by type, or a list
    std::string name;    ///< of a list: the member that has the type, here and in counts
    field_path desired;  ///< in the item, or in the object; numbers at several places are added
    std::int64_t desired_otherwise = 1;
    field_path counts;  ///< where the numbers are, likewise a map by type or a list; empty: in the object
    field_path active, succeeded, failed;  ///< in one of counts, or in the object
};

/// Pods that ask for GPUs: so many times what a template of theirs does, of the object, or of each of a list or map.
struct gpu_rule {
    field_path items;
    std::vector<field_path> templates;  ///< the first that is there
    std::vector<field_path> times;      ///< numbers to be multiplied; one that is not there is 1
    std::int64_t less = 0;              ///< taken from the last of them
};

/// The labels of its pods.
struct pod_rule {
    std::string label;  ///< whose value is the job's name
    std::string type;   ///< the replica type; may be empty
    std::string index;  ///< the number among those of its type; may be empty
};

struct kind_rule {
    std::string group, kind, plural;
    std::vector<std::string> versions;  ///< one or two; the first that a cluster serves counts
    std::string name;                   ///< what the monitor calls it: the kind, where nothing else was said
    std::vector<state_rule> states;     ///< the first that fits decides
    job_state otherwise = job_state::created;
    field_path conditions, reason, message, suspend, start_time, completion_time;
    std::vector<replica_rule> replicas;
    bool replicas_are_pods = true;  ///< and not groups of them
    std::vector<gpu_rule> gpus;
    std::optional<pod_rule> pods;
};

}  // namespace training_monitor
