// Other names for the names in objects, so that their decisions can be shown to others.
#pragma once

#include <kcontrol/documents/value.hpp>

#include "messages.hpp"

#include <map>
#include <string>
#include <string_view>

namespace gpu_scheduler {

/// Equal texts get equal pseudonyms, "n1", "n2", …, in the order in which they come.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class pseudonyms {
public:
    /// Replaces the texts of an object that may be names. It keeps keys, numbers, quantities, times, the words of the
    /// API and of hardware; of annotations those that the scheduler reads, with other names for nodes and GPUs.
    void replace(kcontrol::json::value& object);
    /// The same of a selector such as "team=vision": of its values. Errors: invalid_argument for other forms.
    result<std::string> selector(std::string_view text);

private:
    void walk(std::string_view key, kcontrol::json::value& at);
    void annotations(kcontrol::json::object& at);
    void attributes(kcontrol::json::object& at);
    std::string in_text(std::string_view text);
    const std::string& of(std::string_view name);

    std::map<std::string, std::string, std::less<>> names_;
};

}  // namespace gpu_scheduler
