// Where c-ares is not: host names come from the hosts file, and a question to a server says at once that none can be
// asked.
#pragma once

#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/transport/impl/dns_question.hpp>

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

class cares_channel {};
struct dns_question::socket_watch {};

inline dns_question::dns_question(environment& env, executor ex, std::function<void()> answered)
    : ex_(std::move(ex)), answered_(std::move(answered)), timer_(env.make_timer(ex_)) {}

KCONTROL_DECL dns_question::~dns_question() = default;

KCONTROL_DECL std::shared_ptr<dns_question> dns_question::ask(environment& env, executor ex,
                                                              const dns_search::question&,
                                                              std::function<void()> answered) {
    auto made = std::make_shared<dns_question>(env, std::move(ex), std::move(answered));
    made->over_ = true;
    made->answer_ = dns_answer::not_built;
    return made;
}

KCONTROL_DECL host_addresses read_hosts_file(environment& env, const std::string& host) {
    constexpr std::size_t most = std::size_t{1} << 20;
    host_addresses out;
    const auto text = env.read_file(env.variable("CARES_HOSTS").value_or("/etc/hosts"), most);
    std::istringstream lines(text ? *text : std::string());
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string address, name;
        error_code bad;
        const auto at = words >> address ? boost::asio::ip::make_address(address, bad) : boost::asio::ip::address();
        while (!bad && words >> name) {
            if (name == host) out.emplace_back(at, std::uint16_t{0});
        }
    }
    if (out.empty() && host == "localhost") out.emplace_back(boost::asio::ip::address_v4::loopback(), std::uint16_t{0});
    return out;
}

}  // namespace kcontrol::http::detail
