// What a job's own page shows beyond the list: read from the object that the informer's store holds anyway, so that
// the table keeps a pointer a job and no copy.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor {

/// A condition as its cluster wrote it. The time is RFC 3339, or empty.
struct condition_view {
    std::string type, status, reason, message, last_transition_time;

    friend bool operator==(const condition_view&, const condition_view&) = default;
};

struct job_details {
    std::vector<condition_view> conditions;  ///< in the object's order

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
