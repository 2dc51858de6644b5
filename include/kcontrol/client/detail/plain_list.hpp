// The usual list, as API servers write it, read object by object without finding the tokens of all first: those of a
// large list take eight times its size.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/plain_object.hpp>
#include <kcontrol/json/cursor_strings.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::detail {

class plain_list_reader {
public:
    plain_list_reader(json::cursor text, const resource_info& info, share_pool& pool)
        : text_(text), info_(info), pool_(pool) {}

    /// False if it is to be read in the general way, which says what is wrong with it.
    bool read() {
        return read_members([this](std::string_view name) { return read_member(name); }) && is_whole();
    }
    any_list take() noexcept { return std::move(list_); }

private:
    bool is_whole() const noexcept { return text_.left() == 0 && has_items_ && has_metadata_; }

    template <class Read>
    bool read_members(Read read) {
        if (!text_.take('{')) return false;
        do {
            std::string_view name;
            bool escaped = false;
            if (!text_.take_string(name, escaped) || escaped || !text_.take(':') || !read(name)) return false;
        } while (text_.take(','));
        return text_.take('}');
    }
    bool read_member(std::string_view name) {
        if (name == "items") return !std::exchange(has_items_, true) && read_items();
        if (name != "metadata") return text_.skip_value(json::usual_depth);
        if (std::exchange(has_metadata_, true)) return false;
        return text_.take("{}") || read_members([this](std::string_view each) { return read_metadata(each); });
    }
    bool read_metadata(std::string_view name) {
        if (name == "resourceVersion") return read_string(list_.resource_version);
        if (name == "continue") return read_string(list_.continue_token);
        return text_.skip_value(json::usual_depth);
    }
    bool read_string(std::string& to) {
        std::string_view content;
        bool escaped = false;
        if (!to.empty() || !text_.take_string(content, escaped) || escaped) return false;
        to = content;
        return true;
    }
    bool read_items() {
        if (text_.take("null") || text_.take("[]")) return true;
        if (!text_.take('[')) return false;
        do {
            any_object object = info_.decode(text_, &pool_);
            if (!object) return false;
            list_.items.push_back(std::move(object));
        } while (text_.take(','));
        return text_.take(']');
    }

    json::cursor text_;
    const resource_info& info_;
    share_pool& pool_;
    any_list list_;
    bool has_items_ = false;
    bool has_metadata_ = false;
};

/// The list, or nothing.
inline std::optional<any_list> read_plain_list(std::string_view body, const resource_info& info, share_pool& pool) {
    plain_list_reader reader(plain_body(body), info, pool);
    if (!reader.read()) return std::nullopt;
    return reader.take();
}

}  // namespace kcontrol::detail
