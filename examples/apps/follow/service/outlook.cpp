#include "service/outlook.hpp"

namespace follow {

decision decide(const view& known, const ages& of, kcontrol::duration max_stale, on_stale when) {
    decision out;
    if (known.version != 0) out.publish = known;
    if (when == on_stale::keep || known.state == freshness::live) return out;
    if (of.age < max_stale) {
        out.again_in = max_stale - of.age;
        return out;
    }
    if (of.grace > kcontrol::duration::zero()) {
        out.publish.reset();
        out.again_in = of.grace;
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
