#include <kcontrol/runtime/impl/backoff.ipp>
#include <kcontrol/runtime/impl/directory_watch_linux.ipp>
#include <kcontrol/runtime/impl/process_linux.ipp>
#include <kcontrol/runtime/impl/scope.ipp>
#include <kcontrol/runtime/impl/signals.ipp>
#include <kcontrol/runtime/impl/system_environment.ipp>
#include <kcontrol/runtime/impl/task_group.ipp>
#include <kcontrol/runtime/impl/wait.ipp>
