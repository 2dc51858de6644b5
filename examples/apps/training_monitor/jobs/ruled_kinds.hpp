// The kinds that are read by rules: those that come with the program, and those of the user's rule file.
//
// Jobs hold views of their kind's name, so there is one list of them for the whole program. It is complete before the
// first cluster is watched, and does not change after that.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/resource.hpp>

#include "jobs/kind_rule.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// A kind, and the library's description of each of its versions.
///
/// Thread-safety: safe; immutable.
class ruled_kind {
public:
    explicit ruled_kind(kind_rule of);
    ruled_kind(const ruled_kind&) = delete;
    ruled_kind& operator=(const ruled_kind&) = delete;

    struct version {
        kcontrol::resource_info info;
        std::string api_version;  ///< "group/version"
    };

    const kind_rule rule;
    std::vector<version> versions;  ///< as many as the rule has
};

/// All of them, those of the program first. Jobs point to names in them.
///
/// Thread-safety: safe, but not beside the life's begin or end of extra_kinds.
const std::vector<std::shared_ptr<const ruled_kind>>& ruled_kinds();

/// The one that the monitor calls so (case counts), or null.
const ruled_kind* find_ruled_kind(std::string_view name);

/// The rules that come with the program, as the text of a rule file.
std::string shipped_kinds();

/// Kinds of a rule file: they are among ruled_kinds() as long as this lives, which is longer than any job.
class extra_kinds {
public:
    /// Errors: invalid_config: all that is wrong, a line each with the field, the value and the remedy.
    static kcontrol::result<std::unique_ptr<extra_kinds>> read(std::string_view text);
    ~extra_kinds();
    extra_kinds(const extra_kinds&) = delete;
    extra_kinds& operator=(const extra_kinds&) = delete;

    /// What the monitor calls them.
    const std::vector<std::string>& names() const noexcept { return names_; }

private:
    extra_kinds() = default;

    std::vector<std::string> names_;
};

}  // namespace training_monitor
