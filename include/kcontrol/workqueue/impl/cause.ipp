#pragma once

#include <kcontrol/workqueue/cause.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string_view clip_cause_text(std::string_view text) {
    static constexpr std::size_t longest_name = 253;
    if (text.empty()) return text;
    return text.substr(0, std::min(text.substr(0, longest_name).find('\0'), longest_name));
}

// Whether the packed cause is this one. The lengths are equal.
inline bool is_packed_cause(const char* packed, const cause& c) {
    if (packed[0] != static_cast<char>(c.type)) return false;
    ++packed;
    for (const std::string_view text : {c.kind, c.namespace_, c.name}) {
        if (!text.empty() && std::memcmp(packed, text.data(), text.size()) != 0) return false;
        packed += text.size();
        if (*packed++ != '\0') return false;
    }
    return true;
}

}  // namespace detail

KCONTROL_DECL std::string_view to_string(cause_type type) noexcept {
    switch (type) {
    case cause_type::none: return "none";
    case cause_type::added: return "added";
    case cause_type::updated: return "updated";
    case cause_type::deleted: return "deleted";
    case cause_type::initial: return "listed";
    case cause_type::resync: return "resync";
    case cause_type::retry: return "retry";
    case cause_type::requeue: return "requeue";
    case cause_type::requeue_after: return "timer";
    case cause_type::by_hand: return "enqueued";
    case cause_type::generic: return "signalled";
    }
    return "unknown";
}

KCONTROL_DECL std::string to_string(const cause& c) {
    std::string out(c.kind);
    const auto append = [&out](std::string_view text, char before) {
        if (!out.empty()) out += before;
        out += text;
    };
    if (!c.namespace_.empty()) append(c.namespace_, ' ');
    if (!c.name.empty()) append(c.name, c.namespace_.empty() ? ' ' : '/');
    append(to_string(c.type), ' ');
    return out;
}

KCONTROL_DECL void cause_set::add(cause c) {
    if (c.type == cause_type::none) return;
    c.kind = detail::clip_cause_text(c.kind);
    c.namespace_ = detail::clip_cause_text(c.namespace_);
    c.name = detail::clip_cause_text(c.name);
    const std::size_t length = c.kind.size() + c.namespace_.size() + c.name.size() + 4;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < size_; begin = ends_[i++]) {
        if (ends_[i] - begin == length && detail::is_packed_cause(packed_.data() + begin, c)) return;
    }
    if (size_ == max_size) {
        if (more_ != std::numeric_limits<std::uint32_t>::max()) ++more_;
        return;
    }
    packed_.resize(begin + length);  // with NULs
    char* to = packed_.data() + begin;
    *to++ = static_cast<char>(c.type);
    for (const std::string_view text : {c.kind, c.namespace_, c.name}) {
        if (!text.empty()) std::memcpy(to, text.data(), text.size());
        to += text.size() + 1;
    }
    ends_[size_++] = static_cast<std::uint16_t>(packed_.size());
}

KCONTROL_DECL cause cause_set::operator[](std::size_t at) const {
    const char* from = packed_.data() + (at == 0 ? 0 : ends_[at - 1]);
    cause out(static_cast<cause_type>(*from++));
    for (std::string_view* text : {&out.kind, &out.namespace_, &out.name}) {
        *text = std::string_view(from);
        from += text->size() + 1;
    }
    return out;
}

KCONTROL_DECL std::string to_string(const cause_set& causes) {
    std::string out;
    for (std::size_t i = 0; i < causes.size(); ++i) {
        if (i != 0) out += "; ";
        out += to_string(causes[i]);
    }
    if (causes.more() != 0) out += "; and " + std::to_string(causes.more()) + " more";
    return out;
}

}  // namespace kcontrol
