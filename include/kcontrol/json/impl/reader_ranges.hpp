// The inline part of json::node, for both build modes: typed access, and forward iteration without allocation.
#pragma once

#include <kcontrol/json/reader.hpp>

#include <bit>
#include <cassert>
#include <cstddef>
#include <iterator>

namespace kcontrol::inline v0_1::json {

/// One member of an object, as iteration yields it.
struct member {
    std::string_view name;
    node value;
};

class node::member_iterator {
public:
    using value_type = member;
    using reference = member;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;

    member_iterator() = default;

    member operator*() const noexcept { return {tape_->string(at_), node(*tape_, at_ + 1)}; }
    member_iterator& operator++() noexcept { return at_ = tape_->after(at_ + 1), *this; }
    member_iterator operator++(int) noexcept {
        auto old = *this;
        ++*this;
        return old;
    }
    friend bool operator==(const member_iterator& a, const member_iterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend class node;
    member_iterator(const detail::tape* t, std::size_t at) noexcept : tape_(t), at_(at) {}
    const detail::tape* tape_ = nullptr;
    std::size_t at_ = 0;
};

class node::element_iterator {
public:
    using value_type = node;
    using reference = node;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;

    element_iterator() = default;

    node operator*() const noexcept { return {*tape_, at_}; }
    element_iterator& operator++() noexcept { return at_ = tape_->after(at_), *this; }
    element_iterator operator++(int) noexcept {
        auto old = *this;
        ++*this;
        return old;
    }
    friend bool operator==(const element_iterator& a, const element_iterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend class node;
    element_iterator(const detail::tape* t, std::size_t at) noexcept : tape_(t), at_(at) {}
    const detail::tape* tape_ = nullptr;
    std::size_t at_ = 0;
};

class node::member_range {
public:
    member_range() = default;
    member_iterator begin() const noexcept { return begin_; }
    member_iterator end() const noexcept { return end_; }
    bool empty() const noexcept { return begin_ == end_; }

private:
    friend class node;
    member_range(member_iterator b, member_iterator e) noexcept : begin_(b), end_(e) {}
    member_iterator begin_, end_;
};

class node::element_range {
public:
    element_range() = default;
    element_iterator begin() const noexcept { return begin_; }
    element_iterator end() const noexcept { return end_; }
    bool empty() const noexcept { return begin_ == end_; }

private:
    friend class node;
    element_range(element_iterator b, element_iterator e) noexcept : begin_(b), end_(e) {}
    element_iterator begin_, end_;
};

inline detail::tape_type node::type() const noexcept {
    return tape_ ? tape_->type(position_) : detail::tape_type::null_value;
}

inline json::kind node::kind() const noexcept {
    switch (type()) {
    case detail::tape_type::begin_array: return json::kind::array;
    case detail::tape_type::begin_object: return json::kind::object;
    case detail::tape_type::string: return json::kind::string;
    case detail::tape_type::int64: return json::kind::integer;
    case detail::tape_type::uint64: return json::kind::unsigned_integer;
    case detail::tape_type::number: return json::kind::number;
    case detail::tape_type::true_value:
    case detail::tape_type::false_value: return json::kind::boolean;
    default: return json::kind::null;
    }
}

inline bool node::as_bool() const noexcept {
    assert(kind() == json::kind::boolean);
    return type() == detail::tape_type::true_value;
}

inline std::int64_t node::as_int64() const noexcept {
    assert(kind() == json::kind::integer);
    return type() == detail::tape_type::int64 ? std::bit_cast<std::int64_t>(tape_->number_bits(position_)) : 0;
}

inline bool node::get_int64(std::int64_t& out) const noexcept {
    if (type() != detail::tape_type::int64) return false;
    out = std::bit_cast<std::int64_t>(tape_->number_bits(position_));
    return true;
}

inline std::uint64_t node::as_uint64() const noexcept {
    assert(kind() == json::kind::unsigned_integer);
    return type() == detail::tape_type::uint64 ? tape_->number_bits(position_) : 0;
}

inline double node::as_double() const noexcept {
    switch (type()) {
    case detail::tape_type::number: return std::bit_cast<double>(tape_->number_bits(position_));
    case detail::tape_type::int64: return static_cast<double>(as_int64());
    case detail::tape_type::uint64: return static_cast<double>(as_uint64());
    default: assert(false && "as_double() of what is no number"); return 0;
    }
}

inline std::string_view node::as_string() const noexcept {
    assert(is_string());
    return is_string() ? tape_->string(position_) : std::string_view();
}

inline node::member_range node::members() const noexcept {
    assert(is_object());
    if (!is_object()) return {};
    return {{tape_, position_ + 1}, {tape_, tape_->after(position_) - 1}};
}

inline node::element_range node::elements() const noexcept {
    assert(is_array());
    if (!is_array()) return {};
    return {{tape_, position_ + 1}, {tape_, tape_->after(position_) - 1}};
}

inline std::size_t node::size() const noexcept {
    assert(is_array() || is_object());
    if (!is_array() && !is_object()) return 0;
    const std::size_t count = tape_->count(position_);
    if (count < detail::tape::count_limit) return count;
    if (is_array()) {
        const auto all = elements();
        return static_cast<std::size_t>(std::distance(all.begin(), all.end()));
    }
    const auto all = members();
    return static_cast<std::size_t>(std::distance(all.begin(), all.end()));
}

inline node node::operator[](std::string_view name) const noexcept {
    for (auto [member_name, value] : members()) {
        if (member_name == name) return value;
    }
    return {};
}

}  // namespace kcontrol::json
