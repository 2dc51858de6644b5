#include "values/json_line.hpp"

#include <kcontrol/json/members.hpp>

#include <algorithm>
#include <iterator>

namespace follow {
namespace {

void write_endpoint(kcontrol::json::writer& out, const endpoint& one) {
    out.begin_object();
    out.member("address", one.address);
    out.member("port", one.port);
    out.member("ready", one.ready);
    out.member("serving", one.serving);
    out.member("terminating", one.terminating);
    out.member("zone", one.zone);
    out.member("node", one.node);
    out.member("pod", one.pod);
    out.end_object();
}

void write_endpoints(kcontrol::json::writer& out, std::string_view name, const std::vector<endpoint>& all) {
    begin_array(out, name);
    for (const auto& one : all) write_endpoint(out, one);
    out.end_array();
}

// Both are sorted.
std::vector<endpoint> without(const std::vector<endpoint>& all, const std::vector<endpoint>& others) {
    std::vector<endpoint> out;
    std::set_difference(all.begin(), all.end(), others.begin(), others.end(), std::back_inserter(out));
    return out;
}

}  // namespace

std::string json_line(const view& now, const view& before) {
    kcontrol::json::writer out;
    out.begin_object();
    out.member("version", now.version);
    out.member("state", to_string(now.state));
    out.member("ageMs", now.age.count());
    if (now.is_leader) {
        out.member("holder", now.holder);
        out.member("address", now.address);
    } else {
        write_endpoints(out, "endpoints", now.endpoints);
        write_endpoints(out, "added", without(now.endpoints, before.endpoints));
        write_endpoints(out, "removed", without(before.endpoints, now.endpoints));
    }
    out.end_object();
    return out.take() + "\n";
}

}  // namespace follow
