// What executors share that leave it to a controller of another kind to make the pods.
#pragma once

#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/model/condition.hpp>

#include "executors/job_executor.hpp"
#include "job/names.hpp"

namespace training_operator {

/// Of objects that hold all ranks; they have conditions, one of which is Failed in the end.
template <resource Object>
class holding_executor : public job_executor {
public:
    awaitable<result<void>> create(client c, training_job job, std::vector<std::int32_t>,
                                   std::stop_token stop) override {
        const auto queue = queue_of(job);
        auto object = make(job, !queue.empty());
        object.metadata.labels[job_label] = job.metadata.name;
        object.metadata.labels[attempt_label] = std::to_string(job.status.attempt);
        if (!queue.empty()) object.metadata.labels[kueue::queue_label] = queue;
        write_options how;
        how.field_manager(operator_name).stop(std::move(stop));
        const auto made = co_await create_owned(c, job, std::move(object), how);
        if (!made) co_return made.error();
        co_return result<void>();
    }

    bool holds_ranks() const override { return true; }

    awaitable<result<std::optional<holder>>> find_holder(client c, training_job job, std::stop_token stop) override {
        get_options how;
        how.stop(std::move(stop));
        std::optional<holder> out;
        auto found = co_await c.live().template get<Object>(key_of(job.metadata), how);
        if (!found && found.error() == api_errc::not_found) co_return out;
        if (!found) co_return found.error();
        if (is_controlled_by(found->metadata, job.metadata)) out = read(*found);
        co_return out;
    }

    awaitable<result<void>> end_holder(client c, training_job job, std::string uid, std::stop_token stop) override {
        delete_options how;
        how.propagation_policy(propagation::background).stop(std::move(stop));
        const auto gone = co_await delete_by_uid<Object>(c, key_of(job.metadata), std::move(uid), how);
        co_return gone;
    }

protected:
    /// Suspended: a queue keeps it from having pods.
    virtual Object make(const training_job& job, bool suspended) const = 0;
    virtual bool is_suspended(const Object& object) const = 0;

private:
    holder read(const Object& from) const {
        holder out;
        out.uid = from.metadata.uid;
        out.attempt = number_of(from.metadata, attempt_label);
        out.leaving = from.metadata.deletion_timestamp.present();
        out.suspended = is_suspended(from);
        const auto* failed = find_condition(from.status.conditions, "Failed");
        out.failed = failed != nullptr && failed->status == "True";
        if (out.failed) out.words = failed->message;
        return out;
    }
};

}  // namespace training_operator
