// Links from a job to other programs that know of it: logs of deleted pods, dashboards, experiment trackers.
#pragma once

#include <kcontrol/base/result.hpp>

#include "jobs/job_view.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// "[KIND/]NAME=URL". The URL has words in braces for what the job says: {cluster}, {namespace}, {kind}, {name}, {uid},
/// {label:KEY}, and {from} and {to}, the milliseconds since the epoch at which the job began and ended ("now" while it
/// goes on).
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class link_template {
public:
    /// Errors: invalid_argument, saying what is wrong: the URL is neither http nor https, has no host, a word in its
    /// host, a word that is not known, or a character that does not belong in a URL.
    static kcontrol::result<link_template> parse(std::string_view text);

    const std::string& name() const noexcept { return name_; }

    /// The URL for that job, its words escaped. Nothing for another kind, or where the job lacks a word, such as a
    /// label or a start.
    std::optional<std::string> url_of(const job_view& job) const;

private:
    struct piece {
        std::string text;  ///< as it stands, or the word
        bool is_word = false;
    };
    std::string_view kind_;  ///< static text; empty: of any kind
    std::string name_;
    std::vector<piece> pieces_;
};

/// A link as it is shown.
struct job_link {
    std::string name, url;
    friend bool operator==(const job_link&, const job_link&) = default;
};

/// Those that fit the job, in the order of the templates.
std::vector<job_link> links_of(const std::vector<link_template>& templates, const job_view& job);

}  // namespace training_monitor
