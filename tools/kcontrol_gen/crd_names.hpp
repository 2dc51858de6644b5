// What the inline objects of a CRD are called.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol_gen {

/// The words of a member's name (liveness_probe: probe; secret_key_ref: secret_key_ref) that structurally equal objects
/// must share to be one type: a probe is a probe everywhere, but {name} is not one thing.
std::string family_of(std::string_view member);

/// A name for the type that is found at `paths`: for each place the snake_case words from the kind to the member, with
/// list and map members in the singular; the place nearest to the top comes first. Never empty, not in `taken`, and put
/// there.
///
/// The words that the places' last members have in common at their end (liveness_probe, readiness_probe: probe), or
/// the first place's member. Words that say little (spec, template…) get the member above before them, and so does a
/// name that is taken, as often as it takes.
std::string name_of_type(const std::vector<std::vector<std::string>>& paths, std::set<std::string>& taken);

}  // namespace kcontrol_gen
