// What a job's own page shows beyond the list: read from the object that the informer's store holds anyway, so that
// the table keeps a pointer a job and no copy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor {

/// A condition as its cluster wrote it. The time is RFC 3339, or empty.
struct condition_view {
    std::string type, status, reason, message, last_transition_time;

    friend bool operator==(const condition_view&, const condition_view&) = default;
};

/// What a TrainingJob says beyond what all jobs do. Times are RFC 3339, or empty.
struct training_details {
    struct checkpoint {
        std::int64_t step = 0;
        std::string uri, time;
        std::int64_t attempt = 0;
        bool refused = false;  ///< by a rank that began with it
        friend bool operator==(const checkpoint&, const checkpoint&) = default;
    };
    struct gate {
        std::string name;
        std::string wanted;  ///< "accuracy >= 0.85"
        std::string result;  ///< Running, Passed, Failed; empty: it has not begun
        std::string value, message;
        friend bool operator==(const gate&, const gate&) = default;
    };
    struct promotion_progress {
        std::int64_t step = 0, steps = 0;  ///< taken, of all
        std::int64_t weight = 0;           ///< per cent of the traffic that goes to the new model
        bool rolled_back = false;
        std::string time;  ///< of the last step
        friend bool operator==(const promotion_progress&, const promotion_progress&) = default;
    };
    std::string phase, phase_time;        ///< in its own words
    std::int64_t attempt = 0;             ///< the present one; 0: there was none
    std::int64_t attempts = 0;            ///< how many there may be
    std::string dataset_version;          ///< that is pinned; empty: none
    std::vector<checkpoint> checkpoints;  ///< the newest first
    std::vector<gate> gates;              ///< in the order in which they are tried
    std::optional<promotion_progress> promotion;

    friend bool operator==(const training_details&, const training_details&) = default;
};

struct job_details {
    std::vector<condition_view> conditions;    ///< in the object's order
    std::optional<training_details> training;  ///< of a TrainingJob

    friend bool operator==(const job_details&, const job_details&) = default;
};

/// The object a job was read from, and how to read more of it.
///
/// Thread-safety: distinct objects safe; the object is immutable.
class job_source {
public:
    job_source() = default;

    /// `read` gets the object as a pointer to what `object` points to, and `about`, which outlives this.
    job_source(std::shared_ptr<const void> object, job_details (*read)(const void* object, const void* about),
               const void* about = nullptr)
        : object_(std::move(object)), read_(read), about_(about) {}

    job_details details() const { return object_ ? read_(object_.get(), about_) : job_details{}; }

private:
    std::shared_ptr<const void> object_;
    job_details (*read_)(const void*, const void*) = nullptr;
    const void* about_ = nullptr;
};

}  // namespace training_monitor
