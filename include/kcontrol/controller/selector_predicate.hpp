// A predicate on labels.
#pragma once

#include <kcontrol/controller/predicate.hpp>
#include <kcontrol/model/label_selector.hpp>

namespace kcontrol::inline v0_1 {

/// Drops events about objects that the selector selects neither before the change nor after it. One that leaves the
/// selection is told by the update in which it does. For objects that nobody else here needs, give the selector to the
/// informer instead: that saves memory and bandwidth as well.
KCONTROL_DECL predicate labels_match(label_selector selector);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/selector_predicate.ipp>
#endif
