// How records of a log look.
#pragma once

namespace kcontrol {

/// `text` is for people, `json` for machines.
enum class log_format { text, json };

}  // namespace kcontrol
