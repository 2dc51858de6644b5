// One job of the demo and the pen with which its operator writes its status.
#pragma once

#include <kcontrol/documents/value.hpp>

#include "demo/ledger.hpp"
#include "demo/simulated_cluster.hpp"

#include <string>
#include <string_view>

namespace training_monitor::demo {

/// The kind of a simulated job.
struct job_kind {
    std::string_view api_version;
    std::string_view kind;
    std::string_view group;
    std::string_view plural;
};

/// Writes one object as its operator would. Every write says which state people should see then; the ledger keeps it.
///
/// Thread-safety: shared objects unsafe. Object lifetime: the cluster, the environment and the ledger outlive it.
class simulated_job {
public:
    /// An `unrecorded` job is one that must not be shown.
    simulated_job(kcontrol::environment& env, simulated_cluster& on, ledger& book, job_kind kind, std::string ns,
                  std::string name, bool recorded = true);

    void create(kcontrol::json::object spec, std::string_view state, kcontrol::json::object metadata = {});

    // What the next write() will hold.
    void condition(std::string_view type, std::string_view status, std::string_view reason, std::string_view message);
    void drop_condition(std::string_view type);
    void set(std::string_view member, kcontrol::json::value value) { status_[member] = std::move(value); }
    void set_time(std::string_view member);
    void replicas(std::string_view type, int active, int succeeded, int failed);

    void write(std::string_view state);
    void write_spec(const kcontrol::json::object& patch, std::string_view state);
    void remove();

    const std::string& name() const noexcept { return name_; }
    const std::string& uid() const noexcept { return uid_; }
    const std::string& namespace_() const noexcept { return ns_; }

private:
    std::string now_text() const;
    void record(std::string_view state);

    kcontrol::environment& env_;
    simulated_cluster& cluster_;
    ledger& book_;
    job_kind kind_;
    std::string ns_, name_, uid_;
    bool recorded_;
    kcontrol::json::object status_;
    kcontrol::json::array conditions_;
};

}  // namespace training_monitor::demo
