#include "haproxy/plan.hpp"

#include "values/host_port.hpp"

#include <algorithm>

namespace follow::haproxy {
namespace {

server_state state_of(const endpoint& one) {
    if (one.ready) return server_state::ready;
    return one.terminating && one.serving ? server_state::drain : server_state::maint;
}

const server* find(std::span<const server> all, const std::string& name) {
    const auto found = std::lower_bound(all.begin(), all.end(), name,
                                        [](const server& s, const std::string& n) { return s.name < n; });
    return found == all.end() || found->name != name ? nullptr : &*found;
}

bool has_word(std::string_view text, std::string_view word) {
    const std::string padded = " " + std::string(text) + " ";
    return padded.find(" " + std::string(word) + " ") != padded.npos;
}

// The commands of one plan, in the order in which they are given.
class planner {
public:
    planner(const std::string& backend, const std::string& options) : backend_(backend), options_(options) {}

    void add(const server& one) {
        const auto where = host_port(one.address, one.port);
        const auto behind = options_.empty() ? std::string() : " " + options_;
        say(first_, command_kind::add, "add server " + name(one) + " " + where + behind);
        if (has_word(options_, "check")) say(first_, command_kind::change, "enable health " + name(one));
        set_state(first_, one);
    }

    void change(const server& wanted, const server& present) {
        if (wanted.address != present.address || wanted.port != present.port) {
            say(first_, command_kind::change,
                "set server " + name(wanted) + " addr " + wanted.address + " port " + std::to_string(wanted.port));
        }
        if (wanted.state == present.state) return;
        set_state(wanted.state == server_state::ready ? first_ : then_, wanted);
    }

    void remove(const server& present) {
        if (present.state != server_state::maint) {
            server off = present;
            off.state = server_state::maint;
            set_state(then_, off);
        }
        say(last_, command_kind::remove, "del server " + name(present));
    }

    std::vector<command> take() {
        first_.insert(first_.end(), then_.begin(), then_.end());
        first_.insert(first_.end(), last_.begin(), last_.end());
        return std::move(first_);
    }

private:
    std::string name(const server& one) const { return backend_ + "/" + one.name; }

    void set_state(std::vector<command>& to, const server& one) const {
        say(to, command_kind::change, "set server " + name(one) + " state " + std::string(to_string(one.state)));
    }

    static void say(std::vector<command>& to, command_kind kind, std::string text) {
        to.emplace_back(kind, std::move(text));
    }

    const std::string& backend_;
    const std::string& options_;
    std::vector<command> first_, then_, last_;
};

}  // namespace

std::vector<server> wanted_servers(std::span<const endpoint> endpoints) {
    std::vector<server> out;
    for (const auto& one : endpoints) {
        if (!is_ip_address(one.address) || one.port == 0) continue;
        out.emplace_back(std::string(own_prefix) + one.address + ":" + std::to_string(one.port), one.address, one.port,
                         state_of(one));
    }
    std::sort(out.begin(), out.end());
    // Of the same address and port, the one that is ready counts: its state is the least one.
    out.erase(std::unique(out.begin(), out.end(), [](const server& a, const server& b) { return a.name == b.name; }),
              out.end());
    return out;
}

std::vector<command> plan(std::span<const server> wanted, std::span<const server> present, const std::string& backend,
                          const std::string& options) {
    planner out(backend, options);
    for (const auto& one : wanted) {
        const auto* there = find(present, one.name);
        if (there) {
            out.change(one, *there);
        } else if (one.state == server_state::ready) {
            out.add(one);
        }
    }
    for (const auto& one : present) {
        if (!find(wanted, one.name)) out.remove(one);
    }
    return out.take();
}

}  // namespace follow::haproxy
