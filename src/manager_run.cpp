#include <kcontrol/manager/impl/find_config.ipp>
#include <kcontrol/manager/impl/run.ipp>
#include <kcontrol/manager/impl/run_command_line.ipp>
#include <kcontrol/manager/impl/setup_step.ipp>
