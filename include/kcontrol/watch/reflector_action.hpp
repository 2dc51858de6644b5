// What a reflector_fsm asks its shell to do next.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

enum class reflector_step {
    identify,  ///< ask which server this is, then call on_identity()
    list,      ///< request a page
    replace,   ///< the list is complete: hand it to the store, then call on_replaced(); a streamed one stays open
    watch,     ///< open a watch
    stream,    ///< open a watch that begins with all objects: a streamed list
    receive,   ///< read it until all have come
    read,      ///< read the next event of the open watch, or wait until due(), then call on_due()
    probe,     ///< ask for a consistent list of one object, while an open watch stays open, then call on_probe()
    sleep,     ///< wait, then call on_timer()
    clear,     ///< the kind is gone: empty the store, then call on_cleared()
};

/// One step with its parameters.
class reflector_action {
public:
    static reflector_action identify() { return reflector_action(reflector_step::identify); }  ///< ask who answers
    /// A page of a list: at least `version`, "0" for any, "" for the newest; of the first page `token` is empty.
    static reflector_action list(std::string version, std::string token, std::int64_t limit) {
        reflector_action a(reflector_step::list);
        a.resource_version = std::move(version);
        a.continue_token = std::move(token);
        a.limit = limit;
        return a;
    }
    /// Hand over the complete list.
    static reflector_action replace(bool by_content = false) {
        reflector_action a(reflector_step::replace);
        a.by_content = by_content;
        return a;
    }
    /// A watch of what follows `version`.
    static reflector_action watch(std::string version) {
        reflector_action a(reflector_step::watch);
        a.resource_version = std::move(version);
        return a;
    }
    /// A streamed list, at least as new as `version`; "" for the newest.
    static reflector_action stream(std::string version) {
        reflector_action a(reflector_step::stream);
        a.resource_version = std::move(version);
        return a;
    }
    static reflector_action receive() { return reflector_action(reflector_step::receive); }  ///< read the streamed list
    static reflector_action read() { return reflector_action(reflector_step::read); }        ///< read the open watch
    /// A consistent list of one object.
    static reflector_action probe() { return reflector_action(reflector_step::probe); }
    /// Wait for that long.
    static reflector_action sleep(duration d) {
        reflector_action a(reflector_step::sleep);
        a.delay = d;
        return a;
    }
    static reflector_action clear() { return reflector_action(reflector_step::clear); }  ///< the kind is gone

    reflector_step step;           ///< says which of the others count
    std::string resource_version;  ///< of list, stream and watch
    std::string continue_token;    ///< of list: not empty on later pages
    std::int64_t limit = 0;        ///< of list: objects a page, 0 for all
    bool by_content = false;       ///< of replace: versions mean nothing, objects are compared by what they hold
    duration delay{};              ///< of sleep

    friend bool operator==(const reflector_action&, const reflector_action&) = default;

private:
    explicit reflector_action(reflector_step s) : step(s) {}
};

KCONTROL_DECL std::ostream& operator<<(std::ostream& out, const reflector_action& a);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/reflector_action.ipp>
#endif
