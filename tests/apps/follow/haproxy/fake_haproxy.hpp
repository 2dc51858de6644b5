// A HAProxy with one backend, as its runtime API shows it.
#pragma once

#include "haproxy/runtime_api.hpp"
#include "haproxy/server.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace follow::tests {

/// Answers as HAProxy 2.6.12 does. Object lifetime: outlives the functions of ask().
class fake_haproxy {
public:
    explicit fake_haproxy(std::string backend = "web") : backend_(std::move(backend)) {}

    std::map<std::string, haproxy::server> servers;
    std::set<std::string> busy;         ///< servers with open connections
    std::vector<std::string> commands;  ///< all but `show`
    bool running = true;
    bool admin = true;  ///< `level admin`

    haproxy::ask_function ask() {
        return [this](std::string command, std::stop_token) { return answer_later(std::move(command)); };
    }

    std::string answer(const std::string& command) {
        if (command.starts_with("show servers state ")) return table(command.substr(19));
        commands.push_back(command);
        if (!admin) return "Permission denied";
        const auto slash = command.find('/');
        const auto end = std::min(command.find(' ', slash), command.size());
        const auto name = command.substr(slash + 1, end - slash - 1);
        if (command.starts_with("add server ")) return add(name, command.substr(std::min(end + 1, command.size())));
        if (!servers.contains(name)) return "No such server.";
        if (command.starts_with("del server ")) return remove(name);
        auto& one = servers.at(name);
        if (command.ends_with(" state ready")) one.state = haproxy::server_state::ready;
        if (command.ends_with(" state drain")) one.state = haproxy::server_state::drain;
        if (command.ends_with(" state maint")) one.state = haproxy::server_state::maint;
        return "";
    }

private:
    kcontrol::awaitable<kcontrol::result<std::string>> answer_later(std::string command) {
        if (!running) co_return kcontrol::error(kcontrol::errc::connection_refused, "/sock: Connection refused");
        co_return answer(command);
    }

    std::string add(const std::string& name, const std::string& where) {
        if (servers.contains(name)) return "Already exists a server with the same name in backend.";
        if (where.ends_with("nonsense")) return "unknown keyword 'nonsense'.";
        servers[name] = haproxy::server(name, where.substr(0, where.rfind(':')),
                                        static_cast<std::uint16_t>(std::stoi(where.substr(where.rfind(':') + 1))),
                                        haproxy::server_state::maint);
        return "New server registered.";
    }

    std::string remove(const std::string& name) {
        if (servers.at(name).state != haproxy::server_state::maint) {
            return "Only servers in maintenance mode can be deleted.";
        }
        if (busy.contains(name)) return "Server still has connections attached to it, cannot remove it.";
        servers.erase(name);
        return "Server deleted.";
    }

    std::string table(const std::string& of) const {
        if (of != backend_) return "Can't find backend.";
        std::string out =
            "1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_port srv_fqdn\n";
        for (const auto& [name, one] : servers) {
            const int admin_state = one.state == haproxy::server_state::ready   ? 0
                                    : one.state == haproxy::server_state::drain ? 8
                                                                                : 1;
            out += "3 " + backend_ + " 1 " + name + " " + one.address + " 2 " + std::to_string(admin_state) + " " +
                   std::to_string(one.port) + " -\n";
        }
        return out;
    }

    std::string backend_;
};

}  // namespace follow::tests
