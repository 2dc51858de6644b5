#pragma once

#include <kcontrol/base/fnv1a.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/trim.hpp>
#include <kcontrol/model/shard_selector.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr std::string_view shard_uid_path = "object.metadata.uid";
inline constexpr std::string_view shard_namespace_path = "object.metadata.namespace";
inline constexpr std::string_view shard_mixed_path = "mixed(object.metadata.namespace)";
inline constexpr std::string_view shard_space_end = "0x10000000000000000";  // 2^64

inline error bad_shard_term(std::string_view term, const std::string& why) {
    return error(errc::invalid_argument, "shard selector term \"" + escape_control(term.substr(0, 256)) + "\": " + why);
}

// Reads one term from the left.
class shard_term_reader {
public:
    explicit shard_term_reader(std::string_view text) : left_(text) {}

    bool take(std::string_view token) {
        left_ = trim_blanks(left_);
        if (!left_.starts_with(token)) return false;
        left_.remove_prefix(token.size());
        return true;
    }
    std::optional<std::string_view> quoted() {
        left_ = trim_blanks(left_);
        if (left_.empty() || (left_.front() != '\'' && left_.front() != '"')) return std::nullopt;
        const auto end = left_.find(left_.front(), 1);
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view out = left_.substr(1, end - 1);
        left_.remove_prefix(end + 1);
        return out;
    }
    bool at_end() const { return trim_blanks(left_).empty(); }

private:
    std::string_view left_;
};

inline std::string_view shard_path_of(shard_selector::by what) {
    switch (what) {
    case shard_selector::by::uid: return shard_uid_path;
    case shard_selector::by::namespace_: return shard_namespace_path;
    case shard_selector::by::mixed_namespace: break;
    }
    return shard_mixed_path;
}

// Each bit of the hash changes each bit of the result (the finalizer of MurmurHash3, which is in the public domain).
inline std::uint64_t mixed_hash(std::uint64_t h) noexcept {
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdU;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53U;
    return h ^ (h >> 33);
}

// "0x" and 16 digits, small letters.
inline std::optional<std::uint64_t> shard_bound(std::string_view text) {
    if (text.size() != 18 || !text.starts_with("0x")) return std::nullopt;
    text.remove_prefix(2);
    if (text.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
    std::uint64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out, 16);
    return out;
}

}  // namespace detail

KCONTROL_DECL result<shard_selector> shard_selector::part(by what, std::size_t index, std::size_t count) {
    constexpr std::size_t most = std::size_t{1} << 16;
    if (index >= count || count > most) {
        return error(
            errc::invalid_argument,
            fmt::format("shard_selector::part(): there is no part {} of {}: there are 1 to {} parts, from 0 on", index,
                        count, most));
    }
    // Where part i begins, i * 2^64 / count: 2^64 is each * count + rest.
    const auto first_of = [count](std::uint64_t i) {
        constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
        const std::uint64_t each = all / count, rest = all % count + 1;
        return each * i + rest * i / count;
    };
    shard_selector out;
    out.what_ = what;
    out.ranges_.push_back(
        {first_of(index), index + 1 == count ? std::numeric_limits<std::uint64_t>::max() : first_of(index + 1) - 1});
    return out;
}

KCONTROL_DECL result<shard_selector> shard_selector::parse(std::string_view text) {
    shard_selector out;
    if (trim_blanks(text).empty()) return out;
    for (bool more = true; more;) {
        const auto end = text.find("||");
        more = end != std::string_view::npos;
        const std::string_view term = trim_blanks(text.substr(0, end));
        if (more) text.remove_prefix(end + 2);
        detail::shard_term_reader in(term);
        if (!in.take("shardRange") || !in.take("(")) {
            return detail::bad_shard_term(term, "write shardRange(object.metadata.uid, '0x…', '0x…')");
        }
        std::optional<by> found;
        for (const by one : {by::uid, by::namespace_, by::mixed_namespace}) {
            if (!found && in.take(detail::shard_path_of(one))) found = one;
        }
        if (!found || !in.take(",")) {
            return detail::bad_shard_term(term, "the field is object.metadata.uid or object.metadata.namespace");
        }
        const by what = *found;
        if (!out.ranges_.empty() && what != out.what_) {
            return detail::bad_shard_term(term, "all ranges are of the same field");
        }
        out.what_ = what;
        const auto start = in.quoted();
        const bool has_end = in.take(",");
        const auto stop = in.quoted();
        if (!start || !has_end || !stop || !in.take(")") || !in.at_end()) {
            return detail::bad_shard_term(term, "after the field come two texts in quotes, the start and the end");
        }
        const auto first = detail::shard_bound(*start);
        const auto after = detail::shard_bound(*stop);
        if (!first || (!after && *stop != detail::shard_space_end)) {
            return detail::bad_shard_term(term, "a bound is 0x and 16 digits of 0-9 and a-f; the end may be " +
                                                    std::string(detail::shard_space_end));
        }
        const std::uint64_t last = after ? *after - 1 : std::numeric_limits<std::uint64_t>::max();
        if (after && *first >= *after) return detail::bad_shard_term(term, "the start is to be less than the end");
        out.ranges_.push_back({*first, last});
    }
    return out;
}

KCONTROL_DECL bool shard_selector::selects(const object_meta& meta) const noexcept {
    return empty() || selects_value(what_ == by::uid ? meta.uid.view() : meta.namespace_.view());
}

KCONTROL_DECL bool shard_selector::selects_value(std::string_view value) const noexcept {
    if (empty()) return true;
    std::uint64_t hash = fnv1a().add(value).value();
    if (what_ == by::mixed_namespace) hash = detail::mixed_hash(hash);
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [hash](const range& one) { return one.first <= hash && hash <= one.last; });
}

KCONTROL_DECL std::string shard_selector::to_string() const {
    std::string out;
    for (const range& one : ranges_) {
        if (!out.empty()) out += " || ";
        const bool to_the_end = one.last == std::numeric_limits<std::uint64_t>::max();
        out += fmt::format("shardRange({}, '0x{:016x}', '{}')", detail::shard_path_of(what_), one.first,
                           to_the_end ? std::string(detail::shard_space_end) : fmt::format("0x{:016x}", one.last + 1));
    }
    return out;
}

}  // namespace kcontrol
