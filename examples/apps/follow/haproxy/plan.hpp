// From the endpoints that there are and the servers that HAProxy has to the commands between them. Pure.
#pragma once

#include "haproxy/server.hpp"
#include "values/view.hpp"

#include <span>
#include <string>
#include <vector>

namespace follow::haproxy {

/// The servers that these endpoints should be, sorted by name: `kc_ADDRESS:PORT`. Ready ones are ready; those that
/// terminate but still serve are drained; all others are in maintenance. An address that is no IP address is left out,
/// as HAProxy adds no names at run time.
std::vector<server> wanted_servers(std::span<const endpoint> endpoints);

/// What a command does, as its failure means something else.
enum class command_kind {
    add,     ///< answers "New server registered."
    change,  ///< of a state, silent; of an address, answers with what it changed
    remove,  ///< refused while connections are open: to be asked again later
};

/// A line for the runtime API.
class command {
public:
    command(command_kind k, std::string t) : kind(k), text(std::move(t)) {}

    command_kind kind;
    std::string text;

    friend bool operator==(const command&, const command&) = default;
};

/// The commands that make `present` what is `wanted`; both are sorted by name, and have only servers of this program.
/// New servers come first and those that go away last, so that there is always one that is ready if there may be. A
/// server that is not ready is not added. `options` stand behind each new server's address, like "check inter 2s"; with
/// the word `check` its health checks are enabled, too.
std::vector<command> plan(std::span<const server> wanted, std::span<const server> present, const std::string& backend,
                          const std::string& options);

}  // namespace follow::haproxy
