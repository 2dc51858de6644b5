#pragma once

#include <kcontrol/model/resource_version.hpp>
#include <kcontrol/service/detail/endpoint_set.hpp>

#include <algorithm>
#include <compare>
#include <iterator>

namespace kcontrol::inline v0_1::service::detail {

// The order of snapshots.
inline std::weak_ordering compare_place(const endpoint& a, const endpoint& b) noexcept {
    if (const int order = a.address.compare(b.address); order != 0) return order <=> 0;
    return a.port <=> b.port;
}

KCONTROL_DECL bool endpoint_set::is_before(const entry& e, const key& k) noexcept {
    const int order = e->address.compare(k.first);
    return order != 0 ? order < 0 : e->port < k.second;
}

KCONTROL_DECL bool endpoint_set::is_at(const entry& e, const key& k) noexcept {
    return e->port == k.second && e->address == k.first;
}

KCONTROL_DECL std::vector<endpoint> endpoint_set::in_order(std::vector<endpoint> all) {
    const auto before = [](const endpoint& a, const endpoint& b) { return compare_place(a, b) < 0; };
    const auto same = [](const endpoint& a, const endpoint& b) { return compare_place(a, b) == 0; };
    // They mostly come in one order.
    if (!std::is_sorted(all.begin(), all.end(), before)) std::stable_sort(all.begin(), all.end(), before);
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    return all;
}

// Goes through the report before and this one together. What both have needs a look only where another source reports
// the same place, for the version of this one is larger now.
KCONTROL_DECL void endpoint_set::put(const std::string& source, std::string_view version, std::vector<endpoint> all) {
    auto& by = *sources_.try_emplace(source).first;
    report& known = by.second;
    known.version = version;
    std::vector<entry> next;
    next.reserve(all.size());
    auto old = known.entries.begin();
    const auto end = known.entries.end();
    for (endpoint& one : in_order(std::move(all))) {
        for (; old != end && compare_place(**old, one) < 0; ++old) drop(by, **old);
        const bool present = old != end && compare_place(**old, one) == 0;
        if (present && **old == one) {
            if (contested_ != 0) exchange(by, *old);
            next.push_back(std::move(*old++));
            continue;
        }
        next.push_back(std::make_shared<const endpoint>(std::move(one)));
        if (present) {
            exchange(by, next.back());
            ++old;
        } else {
            add(by, next.back());
        }
    }
    for (; old != end; ++old) drop(by, **old);
    known.entries = std::move(next);
}

KCONTROL_DECL void endpoint_set::remove(const std::string& source) {
    const auto found = sources_.find(source);
    if (found == sources_.end()) return;
    for (const entry& one : found->second.entries) drop(*found, *one);
    sources_.erase(found);
}

KCONTROL_DECL void endpoint_set::add(const sources::value_type& by, const entry& what) {
    const key k = key_of(*what);
    claims& of = claims_[k];
    of.push_back({&by, what});
    if (of.size() == 2) ++contested_;
    touched_.insert(k);
}

KCONTROL_DECL void endpoint_set::drop(const sources::value_type& by, const endpoint& what) {
    const auto found = claims_.find(key_of(what));
    claims& of = found->second;
    std::erase_if(of, [&](const claim& one) { return one.by == &by; });
    touched_.insert(found->first);
    if (of.size() == 1) --contested_;
    if (of.empty()) claims_.erase(found);
}

KCONTROL_DECL void endpoint_set::exchange(const sources::value_type& by, const entry& what) {
    const auto found = claims_.find(key_of(*what));
    for (claim& one : found->second) {
        if (one.by != &by) continue;
        if (one.value == what && found->second.size() == 1) return;
        one.value = what;
    }
    touched_.insert(found->first);
}

// Versions that can't be ordered are compared as texts: the choice is the same whatever came first.
KCONTROL_DECL bool endpoint_set::counts_more(const claim& a, const claim& b) const {
    if (rule_ == conflict_rule::running && a.value->terminating != b.value->terminating) return b.value->terminating;
    const std::string& x = a.by->second.version;
    const std::string& y = b.by->second.version;
    if (const auto order = compare_resource_version(x, y)) {
        if (*order != 0) return *order > 0;
    } else if (x != y) {
        return x.size() != y.size() ? x.size() > y.size() : x > y;
    }
    return a.by->first < b.by->first;
}

KCONTROL_DECL endpoint_set::entry endpoint_set::winner(const key& of) const {
    const auto found = claims_.find(of);
    if (found == claims_.end()) return nullptr;
    const claim* best = &found->second.front();
    for (const claim& one : found->second) {
        if (counts_more(one, *best)) best = &one;
    }
    return best->value;
}

// Brings one part up to date. What it had does not change: older values share it.
KCONTROL_DECL endpoint_list::storage endpoint_set::changed(const endpoint_list::storage& old,
                                                           places::const_iterator from, places::const_iterator to,
                                                           endpoint_delta& delta) const {
    endpoint_list::storage next;
    next.reserve(old.size() + static_cast<std::size_t>(std::distance(from, to)));
    auto rest = old.begin();
    for (; from != to; ++from) {
        const auto at = std::lower_bound(rest, old.end(), *from, is_before);
        next.insert(next.end(), rest, at);
        rest = at;
        entry now = winner(*from);
        if (at != old.end() && is_at(*at, *from)) {
            ++rest;
            if (now && **at == *now) {
                next.push_back(*at);
                continue;
            }
            delta.removed.push_back(**at);
        }
        if (!now) continue;
        delta.added.push_back(*now);
        next.push_back(std::move(now));
    }
    next.insert(next.end(), rest, old.end());
    return next;
}

KCONTROL_DECL endpoint_delta endpoint_set::take() {
    endpoint_delta out;
    endpoint_list next;
    const auto& old = value_.parts();
    auto part = old.begin();
    for (auto from = touched_.cbegin(); from != touched_.cend();) {
        // The last part takes what is behind all.
        for (; part != old.end() && std::next(part) != old.end() && is_before((*part)->back(), *from); ++part) {
            next.append(*part);
        }
        const bool is_last = part == old.end() || std::next(part) == old.end();
        auto to = touched_.cend();
        if (!is_last) to = std::find_if(from, to, [&](const key& k) { return is_before((*part)->back(), k); });
        const std::size_t before = out.added.size() + out.removed.size();
        auto now = changed(part != old.end() ? **part : endpoint_list::storage(), from, to, out);
        if (out.added.size() + out.removed.size() != before) {
            next.append(std::move(now));
        } else if (part != old.end()) {
            next.append(*part);
        }
        if (part != old.end()) ++part;
        from = to;
    }
    touched_.clear();
    if (out.empty()) return out;
    for (; part != old.end(); ++part) next.append(*part);
    value_ = std::move(next);
    return out;
}

}  // namespace kcontrol::service::detail
