// What happened to an object.
#pragma once

namespace kcontrol::inline v0_1::testing {

/// What a write did: it made the object, replaced it or ended it.
enum class change { added, modified, deleted };

}  // namespace kcontrol::testing
