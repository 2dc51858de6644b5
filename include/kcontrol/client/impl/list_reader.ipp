#pragma once

#include <kcontrol/client/detail/list_reader.hpp>

#include <charconv>

namespace kcontrol::inline v0_1::detail {

// Metadata and white space.
inline constexpr std::size_t most_beside_items = std::size_t{1} << 20;

KCONTROL_DECL std::span<char> list_reader::room() {
    constexpr std::size_t least = std::size_t{16} << 10;
    if (begin_ > 0 && capacity_ - filled_ < least) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, unread());
        passed_ += begin_;
        filled_ -= begin_;
        begin_ = 0;
    }
    if (capacity_ - filled_ < least) {
        // Little at first: while a server thinks, thousands of lists may wait for their first byte.
        const std::size_t usual = batch_ + least;
        const std::size_t grown =
            capacity_ < usual ? std::min(capacity_ * 4, usual) : std::min(capacity_ * 2, largest_ + usual);
        const std::size_t larger = std::max(grown, filled_ + least);
        auto next = std::make_unique_for_overwrite<char[]>(larger);
        if (filled_ > 0) std::memcpy(next.get(), buffer_.get(), filled_);
        buffer_ = std::move(next);
        capacity_ = larger;
    }
    return {buffer_.get() + filled_, capacity_ - filled_};
}

KCONTROL_DECL result<void> list_reader::filled(std::size_t count) {
    filled_ += count;
    list_.bytes += count;
    if (unread() < wanted_) return {};
    return read_all(false);
}

KCONTROL_DECL result<void> list_reader::read_all(bool last) {
    for (;;) {
        json::cursor in(std::string_view(buffer_.get() + begin_, unread()));
        auto done = step(in, last);
        if (!done) return done.error();
        if (*done == progress::more) break;
        begin_ = static_cast<std::size_t>(in.at() - buffer_.get());
    }
    const std::size_t most = at_ == place::item ? largest_ : std::min(largest_, most_beside_items);
    // What is there of an object is not looked at again before it is twice as much, or too much: the buffer takes no
    // more than that without growing, and being copied, by little steps.
    wanted_ = at_ == place::inside_item ? batch_ : std::min(std::max(batch_, 2 * unread()), most + 1);
    if (at_ != place::inside_item && unread() > most) {
        if (at_ != place::item) {
            return error(errc::too_large, "the server's answer is no list: what is not its items goes on beyond " +
                                              std::to_string(most) + " bytes");
        }
        at_ = place::inside_item;
        skipper_ = value_skipper();
        skipped_head_.assign(buffer_.get() + begin_, std::min(unread(), std::size_t{64} << 10));
        return read_all(last);
    }
    return {};
}

inline result<list_reader::progress> list_reader::step(json::cursor& in, bool last) {
    if (at_ != place::inside_item) {
        in.skip_space();
        if (in.left() == 0) return progress::more;
    }
    switch (at_) {
    case place::start: return read_start(in);
    case place::member: return read_member(in, last);
    case place::after_member: return read_separator(in, '}', place::member, place::end);
    case place::item: return read_item(in, last);
    case place::after_item: return read_separator(in, ']', place::item, place::after_member);
    case place::inside_item: return skip_item(in);
    case place::end: return malformed(in, "something follows the list");
    }
    return progress::more;
}

inline result<list_reader::progress> list_reader::read_start(json::cursor& in) {
    if (in.front() != '{') {
        const auto looks = answer_with(std::string(in.at(), std::min<std::size_t>(in.left(), 512)));
        if (auto refused = refuse_answer(looks)) return std::move(*refused);
        return malformed(in, "it does not begin with '{'");
    }
    in.pass(1);
    at_ = place::member;
    first_ = true;
    return progress::moved;
}

inline result<list_reader::progress> list_reader::read_separator(json::cursor& in, char closing, place inner,
                                                                 place outer) {
    if (in.take(',')) {
        at_ = inner;
        first_ = false;
        return progress::moved;
    }
    if (!in.take(closing)) return malformed(in, std::string("expected ',' or '") + closing + "'");
    at_ = outer;
    return progress::moved;
}

inline result<list_reader::progress> list_reader::read_member(json::cursor& in, bool last) {
    constexpr std::size_t most_of_head = std::size_t{64} << 10;
    const char* const first = in.at();
    if (first_ && in.take('}')) {
        at_ = place::end;
        return progress::moved;
    }
    std::string name;
    if (in.front() != '"') return malformed(in, "expected the name of a member");
    if (!take_text(in, name))
        return last ? result<progress>(malformed(json::cursor(in), "a broken name")) : progress::more;
    in.skip_space();
    if (in.left() == 0) return progress::more;
    if (!in.take(':')) return malformed(in, "expected ':'");
    in.skip_space();
    if (in.left() == 0) return progress::more;
    if (name == "items" && !met_items_ && in.front() == '[') {
        met_items_ = has_items_ = true;
        in.pass(1);
        at_ = place::item;
        first_ = true;
        return progress::moved;
    }
    const json::cursor value = in;
    json::cursor end = in;
    // A number may go on with the next bytes, so what follows must be there.
    if (!end.skip_value(json::any_depth)) {
        if (end.at() == nullptr && !last) return progress::more;
        return malformed(value, "a broken value of \"" + server_text(name, 64) + "\"");
    }
    end.skip_space();
    if (end.left() == 0) return last ? result<progress>(malformed(value, "the list has no end")) : progress::more;
    if (!read_value(in, name)) return malformed(value, "a broken value of \"" + server_text(name, 64) + "\"");
    const std::string_view text(first, static_cast<std::size_t>(in.at() - first));
    if (!met_items_ && head_text_.size() + text.size() < most_of_head) {
        (head_text_ += head_text_.empty() ? "" : ",") += text;
    }
    at_ = place::after_member;
    return progress::moved;
}

// Of a member that comes twice the first one counts.
inline bool list_reader::read_value(json::cursor& in, std::string_view name) {
    if (name == "items" && !std::exchange(met_items_, true)) {
        // Go writes an empty list as null in some places.
        const std::string_view other = take_value(in);
        has_items_ = other == "null";
        return !other.empty();
    }
    if (name == "metadata" && !std::exchange(met_metadata_, true)) return read_metadata(in);
    if (name == "kind" && kind_.empty()) return take_text_or_other(in, kind_);
    if (name == "status" && status_.empty()) return take_text_or_other(in, status_);
    return !take_value(in).empty();
}

// Nothing for what is no number, or none that a count can be.
inline std::optional<std::int64_t> count_in(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failure != std::errc() || end != text.data() + text.size() || count < 0) return std::nullopt;
    return count;
}

inline bool list_reader::read_metadata(json::cursor& in) {
    has_metadata_ = in.front() == '{';
    if (!has_metadata_) return !take_value(in).empty();
    return read_members(in, [&](std::string_view name) {
        std::string other;
        if (name == "remainingItemCount" && !list_.remaining) {
            const std::string_view text = take_value(in);
            list_.remaining = count_in(text);
            return !text.empty();
        }
        const bool version = name == "resourceVersion" && list_.resource_version.empty();
        const bool token = name == "continue" && list_.continue_token.empty();
        return take_text_or_other(in, version ? list_.resource_version : token ? list_.continue_token : other);
    });
}

inline result<list_reader::progress> list_reader::read_item(json::cursor& in, bool last) {
    if (first_ && in.take(']')) {
        at_ = place::after_member;
        return progress::moved;
    }
    const json::cursor whole = in;
    const char* const first = in.at();
    any_object object = decode_usual(in, info_, &pool_);
    if (object) {
        keep(std::move(object));
    } else {
        // It is not there yet, or written in another way, or wrong: then it is read alone, or left out.
        in.go_back_to(first);
        if (!in.skip_value(json::any_depth)) {
            if (in.at() == nullptr && !last) return progress::more;
            return malformed(whole, "it has no end, or brackets that do not match");
        }
        const std::string_view text(first, static_cast<std::size_t>(in.at() - first));
        in.skip_space();
        if (in.left() == 0 && !last) return progress::more;  // a number may go on
        const object_head head = read_head(text);
        auto decoded = decode_unusual(info_, text, head, &pool_);
        if (decoded) {
            keep(std::move(*decoded));
        } else {
            keep_invalid(head, decoded.error());
        }
    }
    ++item_;
    at_ = place::after_item;
    return progress::moved;
}

inline result<list_reader::progress> list_reader::skip_item(json::cursor& in) {
    if (in.left() == 0) return progress::more;
    in.pass(skipper_.pass({in.at(), in.left()}));
    if (!skipper_.done()) return progress::moved;
    keep_invalid(read_head(skipped_head_),
                 error(errc::too_large, "it is larger than " + std::to_string(largest_) + " bytes"));
    skipped_head_ = std::string();
    ++item_;
    at_ = place::after_item;
    return progress::moved;
}

inline void list_reader::keep(any_object object) {
    any_object other = reuse_ ? reuse_(object, list_.resource_version) : any_object();
    list_.items.push_back(other ? std::move(other) : std::move(object));
}

inline void list_reader::keep_invalid(const object_head& head, error why) {
    list_.invalid.push_back(make_invalid(head, std::move(why)));
}

inline http::response list_reader::answer_with(std::string body) const {
    http::response answer(answer_.status);
    answer.headers = answer_.headers;
    answer.body = std::move(body);
    return answer;
}

inline error list_reader::malformed(const json::cursor& at, std::string_view what) const {
    std::string where = "the server's answer is not JSON";
    if (at_ == place::item || at_ == place::after_item) where += ", item " + std::to_string(item_);
    const auto offset = passed_ + (at.at() == nullptr ? begin_ : static_cast<std::size_t>(at.at() - buffer_.get()));
    return error(errc::decode_failed, where + ", byte " + std::to_string(offset) + ": " + std::string(what));
}

KCONTROL_DECL result<any_list> list_reader::finish() {
    if (list_.bytes > 0) {
        if (auto read = read_all(true); !read) return read.error();
    }
    if (at_ == place::start) return *refuse_answer(answer_with({}));  // nothing but white space came
    if (at_ != place::end) {
        return malformed(json::cursor(std::string_view(buffer_.get() + filled_, 0)), "it ends in the middle");
    }
    if (is_failure(kind_, status_)) return failed_answer(answer_with("{" + head_text_ + "}"));
    if (!has_items_ || !has_metadata_) {
        return error(errc::decode_failed, "the server's answer is not a list: it has no metadata or no items");
    }
    return std::move(list_);
}

}  // namespace kcontrol::detail
