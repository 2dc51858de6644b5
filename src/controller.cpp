#include <kcontrol/controller/impl/builder.ipp>
#include <kcontrol/controller/impl/controller.ipp>
#include <kcontrol/controller/impl/event_handler.ipp>
#include <kcontrol/controller/impl/predicate.ipp>

namespace kcontrol {

template class detail::typed_work<request>;
template class basic_controller<request>;

}  // namespace kcontrol
