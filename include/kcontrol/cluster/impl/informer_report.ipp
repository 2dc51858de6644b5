#pragma once

#include <kcontrol/cluster/informer_report.hpp>

namespace kcontrol {

KCONTROL_DECL std::string informer_report::name() const {
    std::string out = gvk.kind + " (" + gvk.api_version() + ")";
    if (!namespace_.empty()) out += " in " + namespace_;
    return out;
}

KCONTROL_DECL std::string informer_report::describe() const {
    std::string out = name() + ": ";
    out += to_string(status.state);
    if (!status.reason.empty()) out += ", " + status.reason;
    if (status.synced) out += ", " + std::to_string(status.objects) + (status.objects == 1 ? " object" : " objects");
    if (status.invalid != 0) out += ", " + std::to_string(status.invalid) + " invalid";
    return out;
}

}  // namespace kcontrol
