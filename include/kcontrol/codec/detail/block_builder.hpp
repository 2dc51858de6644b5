// block_builder: where an object is put together before its size is known.
#pragma once

#include <kcontrol/json/reader.hpp>
#include <kcontrol/values/handle.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Handles in it hold offsets; finish() makes addresses of them.
class block_builder {
public:
    void clear() {
        size_ = 0, handles_.clear();
        if (!guesses_) guesses_ = std::make_unique<guesses>();
    }
    /// Gives all memory back, as long as nothing is being built. The next object begins without guesses.
    void release() { *this = block_builder(); }

    std::size_t size() const noexcept { return size_; }
    char* at(std::size_t offset) noexcept { return bytes_.get() + offset; }

    /// Zeroed room.
    std::size_t allocate(std::size_t size, std::size_t alignment) {
        const std::size_t offset = allocate_uninitialised(size, alignment);
        // In steps, which is no call; there is room behind.
        char* const first = at(offset);
        for (std::size_t done = 0; done < size; done += step) std::memset(first + done, 0, step);
        return offset;
    }
    /// Room that is to be filled wholly; what is before it for its alignment is zero.
    std::size_t allocate_uninitialised(std::size_t size, std::size_t alignment) {
        const std::size_t offset = (size_ + alignment - 1) & ~(alignment - 1);
        const std::size_t end = offset + size;
        if (end + step > capacity_) grow(end + step);
        const std::uint64_t zero = 0;
        std::memcpy(at(size_), &zero, sizeof zero);  // at least what is left out for the alignment
        if (alignment > sizeof zero) std::memset(at(size_), 0, offset - size_);
        size_ = end;
        return offset;
    }
    void cut(std::size_t size) noexcept { size_ = size; }
    /// Copies bytes into room that is theirs up to its end, which is the block's. `readable` bytes may be read.
    void copy_last(std::size_t to, const char* from, std::size_t size, std::size_t readable) noexcept {
        const std::size_t steps = (size + step - 1) / step * step;
        if (steps > readable || size > 4 * step) {
            std::memcpy(at(to), from, size);
            return;
        }
        for (std::size_t done = 0; done < steps; done += step) std::memcpy(at(to) + done, from + done, step);
    }

    /// Moves all that is behind `from` to `to`, up or down, together with the handles that are there or point there, of
    /// which none is older than the first `handles_before`. What is left open is zero. Both are aligned to 8.
    void shift(std::size_t from, std::size_t to, std::size_t handles_before) {
        const std::size_t moved = size_ - from;
        const std::size_t end = to + moved;
        if (end + step > capacity_) grow(end + step);
        std::memmove(at(to), at(from), moved);
        if (to > from) std::memset(at(from), 0, to - from);
        size_ = end;
        for (std::size_t i = handles_before; i < handles_.size(); ++i) {
            if (handles_[i] >= from) handles_[i] = static_cast<std::uint32_t>(handles_[i] - from + to);
            handle_word target = 0;
            std::memcpy(&target, at(handles_[i]), sizeof target);
            if (target >= from) set(handles_[i], target - from + to);
        }
    }

    /// Points a handle at something in the block.
    void set_handle(std::size_t slot, std::size_t target) {
        forget_handle(slot);
        set(slot, handle_word{target});
        handles_.push_back(static_cast<std::uint32_t>(slot));
    }
    /// Gives a handle a word that is not to be relocated.
    void set_word(std::size_t slot, handle_word word) {
        forget_handle(slot);
        set(slot, word);
    }
    /// The same for a slot that is zero.
    void set_fresh_handle(std::size_t slot, std::size_t target) {
        set(slot, handle_word{target});
        handles_.push_back(static_cast<std::uint32_t>(slot));
    }
    template <class T>
    void set(std::size_t slot, const T& value) {
        std::memcpy(at(slot), &value, sizeof value);
    }
    std::size_t handle_count() const noexcept { return handles_.size(); }
    /// Takes back what was done since the block had this size and so many handles.
    void take_back(std::size_t size, std::size_t handle_count) {
        size_ = size;
        handles_.resize(handle_count);
    }

    /// The field that came after the previous one (its index + 1; 0 at the start) in the last object of that type. It
    /// is a guess, which whoever asks verifies, and corrects: types share places.
    std::uint16_t& expected_field(const void* type, std::size_t previous) noexcept {
        auto& expected = guesses_->expected;
        return expected[(place_of(type) + previous) % std::size(expected)];
    }

    /// What came in one place of the types (a field, the elements of a list): whether texts came again so often that it
    /// pays to look for them, and the shared string that came last. Where they did not it is tried now and then.
    class repetition {
    public:
        bool likely() noexcept { return score_ >= 0 || (++passed_ & 15U) == 0; }
        void found() noexcept { score_ = score_ < 8 ? static_cast<std::int8_t>(score_ + 4) : score_; }
        void missed() noexcept { score_ = score_ > -4 ? static_cast<std::int8_t>(score_ - 1) : score_; }

        const char* last = nullptr;  ///< as text stores it: length, then bytes

    private:
        std::int8_t score_ = 0;
        std::uint8_t passed_ = 0;
    };
    /// A guess too: places share them.
    repetition& repetition_at(const void* place) noexcept {
        auto& repetitions = guesses_->repetitions;
        return repetitions[place_of(place) % std::size(repetitions)];
    }
    /// To be called before what was shared is freed.
    void forget_shared() noexcept {
        if (!guesses_) return;
        for (auto& each : guesses_->repetitions) each.last = nullptr;
    }

    /// For strings without their escapes, one at a time.
    std::string& unescaped() noexcept { return unescaped_; }

    /// For a text of that size without its white space.
    std::string& compact_text(std::size_t size) {
        if (compact_.capacity() > largest_kept && size <= largest_kept) compact_ = std::string();
        return compact_;
    }

    /// Parses what is to be decoded from nodes, one text at a time: the nodes are good until the next one. Memory is
    /// used again, but that of a large text is given back when the next comes.
    result<json::node> parse(std::string_view text) {
        if (std::exchange(parsed_, text.size()) > largest_kept) document_.clear();
        return document_.parse(text);
    }

    /// The finished block.
    std::shared_ptr<const void> finish(std::shared_ptr<const void> pool);

private:
    struct guesses {
        std::uint16_t expected[1024] = {};
        repetition repetitions[512] = {};
    };

    static constexpr std::size_t step = 32;
    static constexpr std::size_t largest_kept = std::size_t{64} << 10;

    static std::size_t place_of(const void* address) noexcept {
        const auto bits = reinterpret_cast<std::uintptr_t>(address) >> 3;
        return bits ^ (bits >> 9);
    }

    // A member that comes twice takes the place of the first one. Words that are to be relocated are offsets still.
    void forget_handle(std::size_t slot) noexcept {
        handle_word word = 0;
        std::memcpy(&word, at(slot), sizeof word);
        if (word == 0 || (word & handle_inline) != 0 || word >= size_) return;
        const auto found = std::find(handles_.rbegin(), handles_.rend(), static_cast<std::uint32_t>(slot));
        if (found == handles_.rend()) return;
        *found = handles_.back();
        handles_.pop_back();
    }

    void grow(std::size_t needed) {
        const std::size_t capacity = std::max({needed, capacity_ * 2, std::size_t{4096}});
        auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
        if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
        bytes_ = std::move(bytes);
        capacity_ = capacity;
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::vector<std::uint32_t> handles_;
    std::unique_ptr<guesses> guesses_;  // there from clear() to release()
    std::string unescaped_;
    std::string compact_;
    json::document document_;
    std::size_t parsed_ = 0;  // the size of the text in it
};

}  // namespace kcontrol::detail
