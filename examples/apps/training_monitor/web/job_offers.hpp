// What readers may ask for about a job beyond what is served anyway.
#pragma once

namespace training_monitor {

/// Each is offered where the monitor has the right in the cluster of the job, as far as is known.
class job_offers {
public:
    job_offers() = default;
    /// The last lines of logs.
    job_offers& logs(bool v) { return logs_ = v, *this; }
    /// The object as YAML.
    job_offers& yaml(bool v) { return yaml_ = v, *this; }

    bool logs() const noexcept { return logs_; }
    bool yaml() const noexcept { return yaml_; }

private:
    bool logs_ = false, yaml_ = false;
};

}  // namespace training_monitor
