#pragma once

#include <kcontrol/transport/impl/dns_search.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

KCONTROL_DECL dns_search::dns_search(const std::string& host, resolver_config config, std::size_t first_server)
    : config_(std::move(config)), first_server_(first_server) {
    if (host.ends_with('.')) {
        names_.push_back({host.substr(0, host.size() - 1), true, {}});
        return;
    }
    const bool first = std::count(host.begin(), host.end(), '.') >= config_.ndots;
    bool listed = first;
    if (first) names_.push_back({host, true, {}});
    for (const auto& domain : config_.search) {
        if (!domain.empty()) names_.push_back({std::string(host).append(".").append(domain), false, {}});
        if (domain.empty() && !listed) names_.push_back({host, true, {}});
        listed = listed || domain.empty();
    }
    if (!listed) names_.push_back({host, true, {}});
}

KCONTROL_DECL dns_search::question dns_search::current() const {
    const auto count = config_.servers.size();
    // glibc's rule: each server gets twice the time of the one before it, divided by their number.
    duration timeout = config_.timeout * (1 << position_);
    if (position_ > 0) timeout /= static_cast<std::int64_t>(count);
    return {names_[at_].name, config_.servers[(first_server_ + position_) % count],
            std::max<duration>(timeout, std::chrono::seconds(1))};
}

KCONTROL_DECL void dns_search::take(dns_answer answer) {
    auto& name = names_[at_];
    asked_ = at_ + 1;
    if (name.answers.empty()) name.answers.assign(config_.servers.size(), dns_answer::none);
    name.answers[position_] = answer;
    const bool of_the_server = answer == dns_answer::failed || answer == dns_answer::refused ||
                               answer == dns_answer::invalid || answer == dns_answer::unreachable ||
                               answer == dns_answer::none;
    if (!of_the_server) return conclude(answer);
    if (++position_ < config_.servers.size()) return;
    position_ = 0;
    if (++attempt_ < config_.attempts) return;
    // What says most about the name comes first.
    for (const auto kind : {dns_answer::failed, dns_answer::invalid, dns_answer::refused, dns_answer::unreachable}) {
        if (std::find(name.answers.begin(), name.answers.end(), kind) != name.answers.end()) return conclude(kind);
    }
    conclude(dns_answer::none);
}

// After that, asking for other names costs only more of the same.
inline bool ends_search(dns_answer verdict) {
    return verdict == dns_answer::found || verdict == dns_answer::unreachable || verdict == dns_answer::none ||
           verdict == dns_answer::out_of_memory || verdict == dns_answer::not_built;
}

inline void dns_search::conclude(dns_answer verdict) {
    // Refused is not for our domains, it seems; for the name itself it may be another matter.
    const bool to_the_name = verdict == dns_answer::refused && !names_[at_].as_it_is;
    names_[at_].verdict = verdict;
    position_ = 0;
    attempt_ = 0;
    found_ = verdict == dns_answer::found;
    ++at_;
    if (ends_search(verdict)) at_ = names_.size();
    while (to_the_name && at_ < names_.size() && !names_[at_].as_it_is) ++at_;
}

// The name that says why nothing was found: the last one if it ended the search; the one that was given if it was asked
// for first; then one that exists, then one for which a server failed.
inline const dns_search::candidate& dns_search::decisive() const {
    const auto asked = names_.begin() + static_cast<std::ptrdiff_t>(asked_);
    const auto& last = *(asked - 1);
    if (ends_search(last.verdict)) return last;
    if (names_.front().as_it_is) return names_.front();
    for (const auto kind : {dns_answer::no_address, dns_answer::failed}) {
        const auto one = std::find_if(names_.begin(), asked, [kind](const candidate& c) { return c.verdict == kind; });
        if (one != asked) return *one;
    }
    return last;
}

inline std::string dns_search::server_text(std::size_t position) const {
    const auto& server = config_.servers[(first_server_ + position) % config_.servers.size()];
    const std::string address = server.address().to_string();
    if (server.port() == 53) return "the DNS server " + address;
    return "the DNS server " + (server.address().is_v6() ? "[" + address + "]" : address) + ":" +
           std::to_string(server.port());
}

inline std::string_view what_it_did(dns_answer answer) {
    switch (answer) {
    case dns_answer::failed: return " failed (SERVFAIL)";
    case dns_answer::refused: return " refused to answer (REFUSED)";
    case dns_answer::invalid: return " gave no valid answer";
    case dns_answer::unreachable: return " can't be reached";
    default: return " did not answer";
    }
}

KCONTROL_DECL std::string dns_search::failure() const {
    const auto& name = decisive();
    switch (name.verdict) {
    case dns_answer::no_such_name: {
        std::string text = "DNS has no such name (NXDOMAIN)";
        if (asked_ == 1) return text;
        text += ", asked for ";
        for (std::size_t i = 0; i < asked_; ++i) text += (i == 0 ? "" : ", ") + names_[i].name;
        return text;
    }
    case dns_answer::no_address: return "DNS knows " + name.name + " but no address of it";
    case dns_answer::not_a_name: return "DNS has no such names: a label is empty or too long, or the whole";
    case dns_answer::out_of_memory: return "there is not enough memory, or there are not enough descriptors";
    case dns_answer::not_built:
        return "the hosts file does not have it, and this kcontrol was built without c-ares (KCONTROL_WITH_CARES=OFF)";
    default: break;
    }
    std::string text;
    for (std::size_t i = 0; i < name.answers.size(); ++i) {
        text += (i == 0 ? "" : ", ") + server_text(i) + std::string(what_it_did(name.answers[i]));
    }
    return text;
}

KCONTROL_DECL std::string dns_search::waiting_for() const { return server_text(position_) + " has not answered"; }

}  // namespace kcontrol::http::detail
