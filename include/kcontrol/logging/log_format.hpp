// How records of a log look.
#pragma once

namespace kcontrol::inline v0_1 {

/// `text` is for people, `json` for machines.
enum class log_format { text, json };

}  // namespace kcontrol
