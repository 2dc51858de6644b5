// How records of a program's log look.
#pragma once

namespace examples {

enum class log_format { text, json };

}  // namespace examples
