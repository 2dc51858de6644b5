// Everything that starts and stops on real threads and sockets.
#include "lifecycle/real.hpp"
#include "lifecycle/webhooks.hpp"

#define KCONTROL_LIVES \
    server_life, event_stream_life, local_api_server_life, directory_watch_life, process_life, webhook_server_life
#include "lifecycle/suite.hpp"
