// Text that arrives in pieces, taken apart into lines, in memory that does not grow with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A line, or a piece of one that is too long.
class pod_log_line {
public:
    std::string_view text;
    bool whole = true;  ///< the line ends here; the last one may do so without a newline
};

namespace detail {

/// A state machine: take all lines with next(), then put bytes into room() and say so with filled(), and so on; at the
/// end of the text finish() gives what is left.
class line_splitter {
public:
    explicit line_splitter(std::size_t longest) : longest_(std::max<std::size_t>(longest, 1)) {}

    /// Where the next bytes go. Lines that were given out before are gone.
    std::span<char> room() {
        constexpr std::size_t least = std::size_t{4} << 10, usual = std::size_t{16} << 10;
        if (begin_ > 0) {
            std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        if (buffer_.size() - end_ < least) buffer_.resize(std::max(usual, buffer_.size() * 2));
        return std::span<char>(buffer_).subspan(end_);
    }
    void filled(std::size_t bytes) { end_ += bytes; }

    std::optional<pod_log_line> next() {
        const std::string_view left(buffer_.data() + begin_, end_ - begin_);
        const auto newline = left.substr(0, longest_ + 1).find('\n', std::min(looked_, left.size()));
        if (newline != std::string_view::npos) return take(newline, newline + 1, true);
        if (left.size() > longest_) return take(longest_, longest_, false);
        looked_ = left.size();
        return std::nullopt;
    }

    std::optional<pod_log_line> finish() {
        if (begin_ == end_) return std::nullopt;
        return take(end_ - begin_, end_ - begin_, true);
    }

private:
    pod_log_line take(std::size_t bytes, std::size_t with_end, bool whole) {
        pod_log_line out;
        out.text = std::string_view(buffer_.data() + begin_, bytes);
        out.whole = whole;
        begin_ += with_end;
        looked_ = 0;
        return out;
    }

    std::size_t longest_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t looked_ = 0;  // of what is left, so many bytes hold no newline
};

}  // namespace detail
}  // namespace kcontrol
