// One frame of a watch: the type of the event, and its object.
#pragma once

#include <kcontrol/client/detail/decode_object.hpp>
#include <kcontrol/client/detail/frame.hpp>
#include <kcontrol/client/watch_event.hpp>
#include <kcontrol/model/resource.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

inline std::optional<watch_event_type> watch_event_type_from(std::string_view name) {
    if (name == "ADDED") return watch_event_type::added;
    if (name == "MODIFIED") return watch_event_type::modified;
    if (name == "DELETED") return watch_event_type::deleted;
    if (name == "BOOKMARK") return watch_event_type::bookmark;
    if (name == "ERROR") return watch_event_type::error;
    return std::nullopt;
}

class event_reader {
public:
    event_reader(std::string_view frame, const resource_info& info, share_pool* pool)
        : in_(frame), info_(info), pool_(pool) {}

    /// False if the frame is not an object of JSON.
    bool read() {
        in_.skip_space();
        const bool whole = read_members(in_, [this](std::string_view name) { return read_member(name); });
        if (!whole || !is_at_end(in_)) return false;
        if (!type_ || !carries_object()) object_ = {};
        return true;
    }

    /// Nothing if this version does not know the type.
    std::optional<watch_event_type> type() const noexcept { return type_; }
    const std::string& type_name() const noexcept { return name_; }

    /// The object of added, modified and deleted, if it is written as servers write.
    any_object take_object() noexcept { return std::move(object_); }
    /// Its text, whatever the type of the event; empty if there is none.
    std::string_view object_text() const noexcept { return text_; }

private:
    bool carries_object() const noexcept {
        return *type_ != watch_event_type::bookmark && *type_ != watch_event_type::error;
    }

    // Of a member that comes twice the first one counts.
    bool read_member(std::string_view name) {
        if (name == "type" && !std::exchange(met_type_, true)) {
            if (!take_text_or_other(in_, name_)) return false;
            type_ = watch_event_type_from(name_);
            return true;
        }
        if (name != "object" || std::exchange(met_object_, true)) return !take_value(in_).empty();
        const char* const first = in_.at();
        // Where the type comes behind it, it is one with an object mostly.
        if (!type_ || carries_object()) object_ = decode_usual(in_, info_, pool_);
        if (!object_) {
            in_.go_back_to(first);
            return !(text_ = take_value(in_)).empty();
        }
        text_ = {first, static_cast<std::size_t>(in_.at() - first)};
        return true;
    }

    json::cursor in_;
    const resource_info& info_;
    share_pool* pool_;
    std::optional<watch_event_type> type_;
    std::string name_;
    any_object object_;
    std::string_view text_;
    bool met_type_ = false;
    bool met_object_ = false;
};

/// What the beginning of a frame says of the event and its object.
struct cut_event {
    std::optional<watch_event_type> type;
    object_head head;
};

inline cut_event read_cut_event(std::string_view beginning) {
    cut_event out;
    json::cursor in(beginning);
    read_members(in, [&](std::string_view name) {
        if (name == "type") {
            std::string type;
            if (!take_text_or_other(in, type)) return false;
            out.type = watch_event_type_from(type);
            return true;
        }
        if (name != "object") return !take_value(in).empty();
        out.head = read_head(in);
        return false;  // it is the object that is too large, so nothing of use follows
    });
    return out;
}

}  // namespace kcontrol::detail
