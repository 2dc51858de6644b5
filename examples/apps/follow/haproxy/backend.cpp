#include "haproxy/backend.hpp"

#include "messages.hpp"

#include <optional>

namespace follow::haproxy {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

enum class meaning { done, pending, refused };

// The runtime API answers in words; there are no codes.
meaning meaning_of(command_kind kind, std::string_view answer) {
    switch (kind) {
    case command_kind::add: return answer == "New server registered." ? meaning::done : meaning::refused;
    case command_kind::change:
        return answer.empty() || answer.find("by 'stats socket command'") != answer.npos ? meaning::done
                                                                                         : meaning::refused;
    case command_kind::remove: break;
    }
    if (answer == "Server deleted." || answer == "No such server.") return meaning::done;
    return answer.find("still has connections") != answer.npos ? meaning::pending : meaning::refused;
}

error refused(const std::string& command, std::string_view answer) {
    const bool rights = answer.find("Permission denied") != answer.npos;
    return error(errc::protocol_error, "HAProxy refused " + in_quotes(command) + ": " + in_quotes(answer) +
                                           (rights ? "; its socket needs `level admin`" : ""));
}

}  // namespace

backend::backend(ask_function ask, std::string name, std::string options, kcontrol::logger log)
    : ask_(std::move(ask)), name_(std::move(name)), options_(std::move(options)), log_(std::move(log)) {}

kcontrol::awaitable<result<outcome>> backend::apply(std::vector<endpoint> endpoints, std::stop_token stop) {
    const std::string show = "show servers state " + name_;
    const auto table = co_await ask_(show, stop);
    if (!table) co_return table.error();
    if (table->starts_with("Can't find backend")) {
        co_return error(errc::invalid_argument,
                        "--backend " + in_quotes(name_) + ": HAProxy has no backend of that name");
    }
    const auto present = parse_servers(*table);
    if (!present) co_return present.error();
    const auto wanted = wanted_servers(endpoints);
    outcome out;
    std::optional<error> first;
    for (const auto& each : plan(wanted, *present, name_, options_)) {
        const auto answer = co_await ask_(each.text, stop);
        if (!answer) co_return answer.error();
        ++out.commands;
        const auto means = meaning_of(each.kind, *answer);
        log_.debug("HAProxy", {{"command", each.text}, {"answer", *answer}});
        if (means == meaning::pending) ++out.pending;
        if (means == meaning::refused && !first) first = refused(each.text, *answer);
    }
    if (first) co_return *first;
    co_return out;
}

}  // namespace follow::haproxy
