#pragma once

#include <kcontrol/watch/reflector_action.hpp>

#include <chrono>
#include <ostream>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::ostream& operator<<(std::ostream& out, const reflector_action& a) {
    switch (a.step) {
    case reflector_step::identify: return out << "identify";
    case reflector_step::list:
        return out << "list(rv=\"" << a.resource_version << "\", continue=\"" << a.continue_token
                   << "\", limit=" << a.limit << ")";
    case reflector_step::replace: return out << (a.by_content ? "replace by content" : "replace");
    case reflector_step::watch: return out << "watch(rv=\"" << a.resource_version << "\")";
    case reflector_step::stream: return out << "stream(rv=\"" << a.resource_version << "\")";
    case reflector_step::receive: return out << "receive";
    case reflector_step::read: return out << "read";
    case reflector_step::probe: return out << "probe";
    case reflector_step::sleep:
        return out << "sleep(" << std::chrono::duration_cast<std::chrono::milliseconds>(a.delay).count() << "ms)";
    case reflector_step::clear: return out << "clear";
    }
    return out;
}

}  // namespace kcontrol
