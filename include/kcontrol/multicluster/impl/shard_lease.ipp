#pragma once

#include <kcontrol/multicluster/detail/rendezvous.hpp>
#include <kcontrol/multicluster/detail/shard_lease.hpp>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL std::string shard_slug(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 40)) {
        const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const bool upper = c >= 'A' && c <= 'Z';
        if (lower) out += c;
        if (upper) out += static_cast<char>(c - 'A' + 'a');
        if (!lower && !upper && !out.empty() && out.back() != '-') out += '-';
    }
    if (!out.empty() && out.back() != '-') out += '-';
    std::uint64_t hash = rendezvous_hash(text, {});
    for (int i = 0; i < 16; ++i, hash <<= 4) out += "0123456789abcdef"[hash >> 60];
    return out;
}

}  // namespace kcontrol::detail
