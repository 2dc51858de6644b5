#include <kcontrol/runtime/impl/backoff.ipp>
#include <kcontrol/runtime/impl/detached_thread.ipp>
#include <kcontrol/runtime/impl/process.ipp>
#include <kcontrol/runtime/impl/scope.ipp>
#include <kcontrol/runtime/impl/signals.ipp>
#include <kcontrol/runtime/impl/system_environment.ipp>
#include <kcontrol/runtime/impl/task_group.ipp>
#include <kcontrol/runtime/impl/wait.ipp>
