#include <kcontrol/service/impl/connection.ipp>
#include <kcontrol/service/impl/label_keeper.ipp>
#include <kcontrol/service/impl/label_machine.ipp>
#include <kcontrol/service/impl/lead.ipp>
#include <kcontrol/service/impl/loop.ipp>
#include <kcontrol/service/impl/own_pod.ipp>
#include <kcontrol/service/impl/registration.ipp>
#include <kcontrol/service/impl/registration_machine.ipp>
