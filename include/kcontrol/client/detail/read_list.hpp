// A list as servers answer it, read object by object: a tree of it would take ten times its size and more.
#pragma once

#include <kcontrol/client/any_list.hpp>
#include <kcontrol/client/detail/decode_or_skip.hpp>
#include <kcontrol/client/detail/frame.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::detail {

class list_reader {
public:
    list_reader(const http::response& answer, const resource_info& info, share_pool& pool, const logger& log)
        : answer_(answer), in_(answer.body), info_(info), pool_(pool), log_(log) {}

    result<any_list> read() {
        if (auto refused = refuse_answer(answer_)) return std::move(*refused);
        in_.skip_space();
        const bool whole = read_members(in_, [this](std::string_view name) { return read_member(name); });
        if (!whole || !is_at_end(in_)) return malformed_body(answer_.body);
        if (is_failure(kind_, status_)) return failed_answer(answer_);
        if (!has_items_ || !has_metadata_) {
            return error(errc::decode_failed, "the server's answer is not a list: it has no metadata or no items");
        }
        return std::move(list_);
    }

private:
    // Of a member that comes twice the first one counts.
    bool read_member(std::string_view name) {
        if (name == "items" && !std::exchange(met_items_, true)) return read_items();
        if (name == "metadata" && !std::exchange(met_metadata_, true)) return read_metadata();
        if (name == "kind" && kind_.empty()) return take_text_or_other(in_, kind_);
        if (name == "status" && status_.empty()) return take_text_or_other(in_, status_);
        return !take_value(in_).empty();
    }
    bool read_metadata() {
        has_metadata_ = in_.front() == '{';
        if (!has_metadata_) return !take_value(in_).empty();
        return read_members(in_, [this](std::string_view name) {
            std::string other;
            const bool version = name == "resourceVersion" && list_.resource_version.empty();
            const bool token = name == "continue" && list_.continue_token.empty();
            return take_text_or_other(in_, version ? list_.resource_version : token ? list_.continue_token : other);
        });
    }
    bool read_items() {
        if (in_.front() != '[') {
            // Go writes an empty list as null in some places.
            const std::string_view other = take_value(in_);
            has_items_ = other == "null";
            return !other.empty();
        }
        has_items_ = true;
        return read_elements(in_, [this] { return read_item(); });
    }
    bool read_item() {
        const char* const first = in_.at();
        any_object object = info_.decode(in_, &pool_);
        if (!object) {
            // It is written in another way, or wrong: then it is read alone, or left out.
            in_.go_back_to(first);
            const std::string_view text = take_value(in_);
            if (text.empty()) return false;
            object = decode_or_skip(info_, text, &pool_, log_, list_.skipped);
        }
        if (object) list_.items.push_back(std::move(object));
        return true;
    }

    const http::response& answer_;
    json::cursor in_;
    const resource_info& info_;
    share_pool& pool_;
    const logger& log_;
    any_list list_;
    std::string kind_;
    std::string status_;
    bool met_items_ = false;
    bool met_metadata_ = false;
    bool has_items_ = false;
    bool has_metadata_ = false;
};

/// The list in the body of an answer of 2xx. Errors: those of refuse_answer(); the Status' own; decode_failed.
inline result<any_list> read_list(const http::response& answer, const resource_info& info, share_pool& pool,
                                  const logger& log) {
    list_reader reader(answer, info, pool, log);
    return reader.read();
}

}  // namespace kcontrol::detail
