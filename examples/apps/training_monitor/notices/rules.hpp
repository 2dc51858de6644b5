// Who is notified of what: the rules of the configuration, as a pure function.
#pragma once

#include <kcontrol/model/label_selector.hpp>

#include "notices/notice.hpp"
#include "notices/recipient.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor::notices {

/// Whether `text` is what `pattern` says: letter by letter, `*` for any number of characters.
bool fits_pattern(std::string_view pattern, std::string_view text);

/// A rule fits a notice when all its lists do; an empty list does not restrict.
struct rule {
    std::vector<std::string> clusters, namespaces;  ///< patterns
    std::vector<std::string> kinds;
    std::vector<standing> from, to;
    kcontrol::label_selector labels;
    std::vector<std::size_t> receivers;  ///< by their place in the configuration; none: silence
    bool goes_on = false;                ///< look at the rules after it, too
    kcontrol::duration lasting{};        ///< `for`: only of a state that has lasted so long; zero: at once
    std::size_t restarts = 0;            ///< only if the job restarted so often within `restarts_within`
    kcontrol::duration restarts_within{};
    std::vector<job_condition> conditions;  ///< only of jobs that one of them holds of; `lasting` says for how long
    rule_manner manner{};

    bool is_about(job_condition c) const;

    bool fits(const notice& n) const;
};

/// The receivers of a notice, each once, but for those of rules with `for:`: those of the first rule that fits, and of
/// the ones after it as long as the last one that fitted goes on.
std::vector<recipient> receivers_of(const std::vector<rule>& rules, const notice& n);

/// One who is told of a state only if it lasts.
struct delayed_receiver {
    std::size_t receiver = 0;
    kcontrol::duration after{};
    std::size_t rule = 0;

    friend bool operator==(const delayed_receiver&, const delayed_receiver&) = default;
};

/// Those of the rules with `for:` that fit, each once for each time. Such rules neither end the search of the others
/// nor are ended by them.
std::vector<delayed_receiver> delayed_receivers_of(const std::vector<rule>& rules, const notice& n);

}  // namespace training_monitor::notices
