// A few numbers in eight bytes: none or one inside, more on the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class id_set {
public:
    id_set() = default;
    explicit id_set(const std::vector<std::uint32_t>& ids)
        : word_(ids.empty()       ? 0
                : ids.size() == 1 ? (std::uint64_t{ids.front()} << 1U) | 1U
                                  : reinterpret_cast<std::uintptr_t>(new std::vector<std::uint32_t>(ids))) {}
    id_set(id_set&& other) noexcept : word_(std::exchange(other.word_, 0)) {}
    id_set& operator=(id_set&& other) noexcept {
        std::swap(word_, other.word_);
        return *this;
    }
    ~id_set() {
        if (is_many()) delete many();
    }

    std::size_t size() const noexcept { return is_many() ? many()->size() : word_ & 1U; }
    std::uint32_t operator[](std::size_t i) const noexcept {
        return is_many() ? (*many())[i] : static_cast<std::uint32_t>(word_ >> 1U);
    }
    bool contains(std::uint32_t id) const noexcept {
        for (std::size_t i = 0; i < size(); ++i) {
            if ((*this)[i] == id) return true;
        }
        return false;
    }

private:
    bool is_many() const noexcept { return word_ != 0 && (word_ & 1U) == 0; }
    std::vector<std::uint32_t>* many() const noexcept {
        return reinterpret_cast<std::vector<std::uint32_t>*>(static_cast<std::uintptr_t>(word_));
    }

    std::uint64_t word_ = 0;
};

}  // namespace kcontrol::detail
