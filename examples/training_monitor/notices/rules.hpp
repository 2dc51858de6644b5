// Who is notified of what: the rules of the configuration, as a pure function.
#pragma once

#include <kcontrol/model/label_selector.hpp>

#include "notices/notice.hpp"

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

    bool fits(const notice& n) const;
};

/// The receivers of a notice, each once: those of the first rule that fits, and of the ones after it as long as the
/// last one that fitted goes on.
std::vector<std::size_t> receivers_of(const std::vector<rule>& rules, const notice& n);

}  // namespace training_monitor::notices
