// That somebody takes care of a job, for all who look: who, since when, and a note. A plain state machine.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "history/attention.hpp"
#include "history/job_record.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace training_monitor {

struct acknowledgement {
    std::string cluster, namespace_, kind, name, uid;
    std::string concern;  ///< what the job needed then, as to_string(concern) has it
    std::string by, note;
    kcontrol::wall_time at{};

    friend bool operator==(const acknowledgement&, const acknowledgement&) = default;
};

/// One a job. It holds until what the job needs is something else, or begins anew; 30 days at most.
///
/// Thread-safety: shared objects unsafe.
class acknowledgements {
public:
    static constexpr auto kept_for = std::chrono::hours(24 * 30);

    /// Which job it is of.
    using key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
    static key key_of(const acknowledgement& a) { return {a.cluster, a.namespace_, a.kind, a.name, a.uid}; }

    /// At most so many; the oldest go first.
    explicit acknowledgements(std::size_t most = 10'000) : most_(most) {}

    /// That of a job which needs that now; null: there is none that holds.
    const acknowledgement* find(const job_record& job, const need& of, kcontrol::wall_time now) const;

    /// Takes the place of the job's earlier one.
    void put(acknowledgement one);
    /// False: there was none.
    bool remove(const job_id& job);
    /// What an earlier run remembered. Of it only that is told which is too old or too much: it is removed.
    void restore(std::vector<acknowledgement> all, kcontrol::wall_time now);

    /// Is told of each that is put or removed, for who keeps them.
    void on_changed(std::function<void(const acknowledgement&, bool removed)> f) { changed_ = std::move(f); }

    std::size_t size() const noexcept { return all_.size(); }

private:
    static key key_of(const job_id& j);
    void erase(std::map<key, acknowledgement>::iterator at);
    void make_room();

    std::size_t most_;
    std::map<key, acknowledgement> all_;
    std::function<void(const acknowledgement&, bool)> changed_;
};

}  // namespace training_monitor
