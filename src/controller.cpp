#include <kcontrol/controller/impl/builder.ipp>
#include <kcontrol/controller/impl/controller.ipp>
#include <kcontrol/controller/impl/daemon.ipp>
#include <kcontrol/controller/impl/daemon_set.ipp>
#include <kcontrol/controller/impl/dynamic_predicate.ipp>
#include <kcontrol/controller/impl/event_cause.ipp>
#include <kcontrol/controller/impl/event_handler.ipp>
#include <kcontrol/controller/impl/host.ipp>
#include <kcontrol/controller/impl/object_daemons.ipp>
#include <kcontrol/controller/impl/options.ipp>
#include <kcontrol/controller/impl/predicate.ipp>
#include <kcontrol/controller/impl/reconcile_context.ipp>
#include <kcontrol/controller/impl/selector_predicate.ipp>
#include <kcontrol/controller/impl/stats.ipp>
#include <kcontrol/controller/impl/stats_metrics.ipp>

namespace kcontrol::inline v0_1 {

template detail::work_sides<request> detail::make_work<request>(environment&, reconciler<request>,
                                                                const controller_options&);
template class basic_controller<request>;

}  // namespace kcontrol
