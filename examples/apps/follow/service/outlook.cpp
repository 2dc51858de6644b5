#include "service/outlook.hpp"

namespace follow {

decision decide(const view& known, kcontrol::duration age, kcontrol::duration max_stale, on_stale when) {
    decision out;
    if (known.version != 0) out.publish = known;
    if (when == on_stale::keep || known.state == freshness::live) return out;
    if (age < max_stale) {
        out.again_in = max_stale - age;
        return out;
    }
    if (when == on_stale::exit) {
        out.exit = true;
        return out;
    }
    view none = known;
    none.endpoints.clear();
    none.holder.clear();
    none.address.clear();
    out.publish = std::move(none);
    return out;
}

}  // namespace follow
