// Selectors: the texts of the query parameters labelSelector and fieldSelector, parsed and matched.
#pragma once

#include <kcontrol/model/field_selector.hpp>
#include <kcontrol/model/label_selector.hpp>
