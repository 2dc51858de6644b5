// A list as it arrives, read object by object: how long it is does not matter, nor how the bytes are cut.
#pragma once

#include <kcontrol/client/any_list.hpp>
#include <kcontrol/client/detail/decode_object.hpp>
#include <kcontrol/client/detail/frame.hpp>
#include <kcontrol/client/detail/value_skipper.hpp>
#include <kcontrol/client/options.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// A state machine: put bytes into room(), say so with filled(), and at the end of the body finish(). It holds one
/// object at a time, as text.
class list_reader {
public:
    /// Decoding begins when so much is there, or all: an object that has not arrived whole is read again.
    static constexpr std::size_t usual_batch = std::size_t{256} << 10;
    /// Larger than any object can be: etcd takes no request above 1.5 MiB by default.
    static constexpr std::size_t largest_item = std::size_t{32} << 20;

    /// `head` is that of the answer, for what is no list.
    list_reader(http::response_head head, const resource_info& info, share_pool& pool, std::size_t batch = usual_batch,
                std::size_t largest = largest_item)
        : answer_(std::move(head)), info_(info), pool_(pool), batch_(batch), largest_(largest), wanted_(batch) {}

    /// See list_options::reuse.
    void reuse(list_options::reuse_function f) { reuse_ = std::move(f); }

    /// Where the next bytes go; valid until the next call.
    KCONTROL_DECL std::span<char> room();
    /// So many bytes came. Errors: decode_failed for what is no list, too_large.
    KCONTROL_DECL result<void> filled(std::size_t count);
    /// The body is complete. Errors: the same, and the Status that a server sent instead of a list.
    KCONTROL_DECL result<any_list> finish();
    /// How many objects it holds so far.
    std::size_t held() const noexcept { return list_.items.size() + list_.invalid.size(); }

private:
    enum class place { start, member, after_member, item, after_item, inside_item, end };
    enum class progress { more, moved };

    KCONTROL_DECL result<void> read_all(bool last);
    result<progress> step(json::cursor& in, bool last);
    result<progress> read_start(json::cursor& in);
    result<progress> read_member(json::cursor& in, bool last);
    result<progress> read_item(json::cursor& in, bool last);
    result<progress> read_separator(json::cursor& in, char closing, place inner, place outer);
    result<progress> skip_item(json::cursor& in);
    bool read_value(json::cursor& in, std::string_view name);
    bool read_metadata(json::cursor& in);
    void keep(any_object object);
    void keep_invalid(const object_head& head, error why);
    std::size_t unread() const noexcept { return filled_ - begin_; }
    error malformed(const json::cursor& at, std::string_view what) const;
    http::response answer_with(std::string body) const;

    http::response_head answer_;
    const resource_info& info_;
    share_pool& pool_;
    list_options::reuse_function reuse_;
    std::size_t batch_;
    std::size_t largest_;
    std::size_t wanted_;  // bytes that shall be unread before anything is decoded

    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t filled_ = 0;
    std::uint64_t passed_ = 0;  // bytes of the body before the buffer

    place at_ = place::start;
    bool first_ = true;  // no member, or no item, came yet: the closing bracket may
    std::size_t item_ = 0;
    value_skipper skipper_;
    std::string skipped_head_;

    any_list list_;
    std::string head_text_;  // the members but for the items, as far as a Status may have them
    std::string kind_, status_;
    bool met_items_ = false;
    bool met_metadata_ = false;
    bool has_items_ = false;
    bool has_metadata_ = false;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/list_reader.ipp>
#endif
