// cursor_value_decoder: the part of the cursor_decoder that reads what is no list, map or struct.
#pragma once

#include <kcontrol/codec/impl/node_decoder.hpp>
#include <kcontrol/codec/impl/short_scalars.hpp>
#include <kcontrol/json/cursor_strings.hpp>

#include <bit>
#include <cstring>
#include <optional>

namespace kcontrol::inline v0_1::detail {

class cursor_value_decoder : public node_decoder {
public:
    cursor_value_decoder(block_builder& to, share_pool* pool, json::cursor from) : node_decoder(to, pool), in_(from) {}

    /// The place behind what was read.
    json::cursor remaining() const noexcept { return in_; }

protected:
    /// One value in the general way, which takes what is written otherwise: parsed, alone.
    bool read_elsewhere(const type_descriptor& type, std::size_t at) {
        const char* const first = in_.at();
        if (!in_.skip_value(json::any_depth)) return false;
        const auto value = to_.parse({first, static_cast<std::size_t>(in_.at() - first)});
        return value && decode_or_null(type, *value, at);
    }

    bool read_time(std::size_t at) {
        std::string_view content;
        bool escaped = false;
        if (!in_.take_string(content, escaped) || escaped) return false;
        const auto time = parse_time(content);
        if (time) to_.set(at, timestamp(*time));
        return time.has_value();
    }

    /// The ones that are written in few letters; false, at the same place, if it is not one of these.
    bool read_short_scalar(const type_descriptor& type, std::size_t at) {
        const bool optional = type.kind == type_kind::optional;
        const type_kind kind = optional ? type.element->kind : type.kind;
        if (kind == type_kind::boolean) {
            if (in_.take("true")) return put(optional, at, true);
            return in_.take("false") && put(optional, at, false);
        }
        std::int32_t number = 0;
        std::int64_t wide = 0;
        switch (kind) {
        case type_kind::int32: return take_integer(in_, number) && put(optional, at, number);
        case type_kind::int64: return take_integer(in_, wide) && put(optional, at, wide);
        case type_kind::int_or_string:
            return take_integer(in_, number) && put(optional, at + int_or_string::number_offset(), number);
        default: return false;
        }
    }
    template <class T>
    bool put(bool optional, std::size_t at, T value) {
        if (optional) {
            ::new (static_cast<void*>(to_.at(at))) std::optional<T>(value);
        } else {
            to_.set(at, value);
        }
        return true;
    }

    /// Half of what there is to read: a call each shows.
    [[gnu::always_inline]] bool read_string(std::size_t at, const void* site) {
        if (take_expected(at, site)) return true;
        std::string_view content;
        bool escaped = false;
        if (!in_.take_string(content, escaped)) return false;
        if (escaped) return put_escaped(at, content);
        put_string(at, content, site);
        return true;
    }
    /// Seldom needed.
    [[gnu::noinline]] bool put_escaped(std::size_t at, std::string_view content) {
        std::string& unescaped = to_.unescaped();
        if (!json::cursor::unescape(content, unescaped)) return false;
        put_text(at, unescaped);
        return true;
    }

    /// The string that came last in this place, if it comes again: then its end is known.
    bool take_expected(std::size_t at, const void* site) {
        if (pool_ == nullptr) return false;
        const char* const last = to_.repetition_at(site).last;
        if (last == nullptr) return false;
        std::uint32_t size = 0;
        std::memcpy(&size, last, sizeof size);
        const char* const text = in_.at();
        if (in_.left() < size + 2U || text[0] != '"' || text[size + 1] != '"') return false;
        if (!same_bytes(last + sizeof size, text + 1, size)) return false;
        in_.pass(size + 2U);
        to_.set(at, reinterpret_cast<handle_word>(last));
        return true;
    }

    /// `content` stands in the text as it is.
    void put_string(std::size_t at, std::string_view content, const void* site) {
        if (content.size() <= text::inline_capacity) {
            to_.set(at, inline_string(content));
            return;
        }
        if (pool_ != nullptr) {
            auto& repetition = to_.repetition_at(site);
            if (insist_ || repetition.likely()) {
                if (const void* shared = pool_->find_text(content, insist_)) {
                    repetition.found();
                    repetition.last = static_cast<const char*>(shared);
                    to_.set(at, reinterpret_cast<handle_word>(shared));
                    return;
                }
                repetition.missed();
            }
        }
        const auto size = static_cast<std::uint32_t>(content.size());
        const std::size_t payload = to_.allocate_uninitialised(sizeof size + content.size(), 4);
        to_.set(payload, size);
        const auto readable = static_cast<std::size_t>(in_.end() - content.data());
        to_.copy_last(payload + sizeof size, content.data(), content.size(), readable);
        to_.set_fresh_handle(at, payload);
    }

    /// The quote before the string stands where the word has its mark.
    handle_word inline_string(std::string_view content) const noexcept {
        if constexpr (std::endian::native == std::endian::little) {
            if (in_.end() - content.data() >= static_cast<std::ptrdiff_t>(sizeof(handle_word))) {
                handle_word word = 0;
                std::memcpy(&word, content.data() - 1, sizeof word);
                const handle_word mark = (content.size() << 2U) | handle_inline;
                return (word &
                        (~handle_word{0xFF} >> (8 * (text::inline_capacity - content.size())) & ~handle_word{0xFF})) |
                       mark;
            }
        }
        return text::inline_word(content);
    }

    json::cursor in_;
};

}  // namespace kcontrol::detail
