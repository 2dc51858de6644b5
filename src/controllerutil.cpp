#include <kcontrol/controllerutil/impl/crds.ipp>
#include <kcontrol/controllerutil/impl/create_or.ipp>
#include <kcontrol/controllerutil/impl/finalizers.ipp>
#include <kcontrol/controllerutil/impl/owner.ipp>
#include <kcontrol/controllerutil/impl/phases.ipp>
#include <kcontrol/controllerutil/impl/pods.ipp>
#include <kcontrol/controllerutil/impl/retry.ipp>
#include <kcontrol/controllerutil/impl/status_machine.ipp>
