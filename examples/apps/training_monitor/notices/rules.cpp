#include "notices/rules.hpp"

#include <algorithm>

namespace training_monitor::notices {
namespace {

bool any_pattern(const std::vector<std::string>& patterns, std::string_view text) {
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                           [&](const std::string& pattern) { return fits_pattern(pattern, text); });
}

template <class List, class Value>
bool has(const List& list, const Value& value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

bool restarted_enough(const rule& r, const notice& n) {
    if (r.restarts == 0) return true;
    const auto recent = std::count_if(n.restarts.begin(), n.restarts.end(),
                                      [&](kcontrol::wall_time at) { return n.at - at <= r.restarts_within; });
    return static_cast<std::size_t>(recent) >= r.restarts;
}

}  // namespace

// Goes back to the last star only, which is enough: what an earlier one took can't be in the way of a later one.
bool fits_pattern(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, after_star = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after_star = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p, ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++after_star;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool rule::is_about(job_condition c) const {
    return std::find(conditions.begin(), conditions.end(), c) != conditions.end();
}

bool rule::fits(const notice& n) const {
    const job_view& job = *n.job;
    return (n.condition == job_condition::none ? conditions.empty() : is_about(n.condition)) &&
           any_pattern(clusters, job.cluster) && any_pattern(namespaces, job.namespace_) && has(kinds, job.kind) &&
           has(from, n.from) && has(to, n.to) && restarted_enough(*this, n) &&
           labels.matches_with([&](std::string_view key) { return job.labels.find(key); });
}

std::vector<recipient> receivers_of(const std::vector<rule>& rules, const notice& n) {
    std::vector<recipient> out;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const rule& each = rules[i];
        if (each.lasting > kcontrol::duration::zero() || !each.fits(n)) continue;
        for (const auto receiver : each.receivers) {
            const auto known = [&](const recipient& r) { return r.receiver == receiver; };
            if (std::none_of(out.begin(), out.end(), known)) out.push_back({receiver, i});
        }
        if (!each.goes_on) break;
    }
    return out;
}

std::vector<delayed_receiver> delayed_receivers_of(const std::vector<rule>& rules, const notice& n) {
    std::vector<delayed_receiver> out;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const rule& each = rules[i];
        if (each.lasting <= kcontrol::duration::zero() || !each.fits(n)) continue;
        for (const auto receiver : each.receivers) {
            const auto known = [&](const delayed_receiver& d) {
                return d.receiver == receiver && d.after == each.lasting;
            };
            if (std::none_of(out.begin(), out.end(), known)) out.push_back({receiver, each.lasting, i});
        }
    }
    return out;
}

}  // namespace training_monitor::notices
