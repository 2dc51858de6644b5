// Tables of phases that can't be meant, and a step to a phase that is not in the table.
// expect(UNKNOWN): kcontrol: a phase leads to one that is not in this table: correct the name in to(), or add the phase
// expect(UNREACHABLE): kcontrol: no steps lead from the first phase of this table to one of the others
// expect(TWICE): kcontrol: a phase names one phase twice in to()
// expect(SAME_NAME): kcontrol: two phases of this table have the same name
// expect(TO_ITSELF): kcontrol: a phase leads to itself; staying in a phase is no transition
// expect(DEAD_END): kcontrol: a phase leads nowhere: say where in to(), or that this is meant with terminal()
// expect(TERMINAL): kcontrol: a terminal() phase has a to()
// expect(NAME): kcontrol: a phase's name is letters, digits and '_', a letter first
// expect(NO_CONDITIONS): kcontrol: this kind has no status.conditions
// expect(NO_PHASE): kcontrol: this kind has no status.phase
// expect(MISSPELT): kcontrol: the table has no phase of this name
#include <kcontrol/controllerutil/status_machine.hpp>

using kcontrol::phase;

#if defined(UNKNOWN)
constexpr kcontrol::phase_table phases(phase("On").to("Of"), phase("Off").to("On"));
#elif defined(UNREACHABLE)
constexpr kcontrol::phase_table phases(phase("On").to("Off"), phase("Off").to("On"), phase("Lost").to("On"));
#elif defined(TWICE)
constexpr kcontrol::phase_table phases(phase("On").to("Off", "Off"), phase("Off").to("On"));
#elif defined(SAME_NAME)
constexpr kcontrol::phase_table phases(phase("On").to("Off"), phase("Off").to("On"), phase("Off").terminal());
#elif defined(TO_ITSELF)
constexpr kcontrol::phase_table phases(phase("On").to("On", "Off"), phase("Off").to("On"));
#elif defined(DEAD_END)
constexpr kcontrol::phase_table phases(phase("On").to("Off"), phase("Off"));
#elif defined(TERMINAL)
constexpr kcontrol::phase_table phases(phase("On").to("Off"), phase("Off").to("On").terminal());
#elif defined(NAME)
constexpr kcontrol::phase_table phases(phase("On").to("Switched off"), phase("Switched off").to("On"));
#elif defined(NO_CONDITIONS)
constexpr kcontrol::phase_table phases(phase("On").to("Off").holds("Lit"), phase("Off").to("On"));
#else
constexpr kcontrol::phase_table phases(phase("On").to("Off"), phase("Off").to("On"));
#endif

struct lamp_status {
#if !defined(NO_PHASE)
    kcontrol::text phase;
#else
    kcontrol::text state;
#endif
};

struct lamp {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Lamp", "lamps"};
    kcontrol::object_meta metadata;
    lamp_status status;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("status", &lamp::status)); }
};
template <>
struct kcontrol::field_list_of<lamp_status> {
#if !defined(NO_PHASE)
    static constexpr auto get() { return fields(field("phase", &lamp_status::phase)); }
#else
    static constexpr auto get() { return fields(field("state", &lamp_status::state)); }
#endif
};

#if defined(MISSPELT)
auto use(kcontrol::client c, const lamp& l) { return kcontrol::advance<phases>(c, l, "Onn"); }
#else
auto use(kcontrol::client c, const lamp& l) { return kcontrol::advance<phases>(c, l, "On"); }
#endif
