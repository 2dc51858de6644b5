// The inline part of json::lazy_node, for both build modes: strings, and forward iteration without allocation.
#pragma once

#include <kcontrol/json/lazy.hpp>

#include <cstddef>
#include <cstring>
#include <iterator>

namespace kcontrol::json {

/// One member of an object, as iteration yields it.
struct lazy_member {
    lazy_node key;
    lazy_node value;

    /// The name as it stands in the text, escapes included.
    std::string_view raw_name() const { return key.quoted(); }
    std::string_view name() const { return key.as_string(); }
};

inline std::string_view name_of(const lazy_member& m) { return m.name(); }
inline std::string_view raw_name_of(const lazy_member& m) { return m.raw_name(); }

class lazy_node::member_iterator {
public:
    using value_type = lazy_member;
    using reference = lazy_member;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;

    member_iterator() = default;

    lazy_member operator*() const noexcept { return {lazy_node(*index_, at_), lazy_node(*index_, at_ + 2)}; }
    member_iterator& operator++() noexcept {
        const std::size_t next = index_->after(at_ + 2);
        at_ = next == end_ ? end_ : index_->letter(next) == ',' ? checked(next + 1) : faulty(next);
        return *this;
    }
    member_iterator operator++(int) noexcept {
        auto old = *this;
        ++*this;
        return old;
    }
    friend bool operator==(const member_iterator& a, const member_iterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend class lazy_node;
    member_iterator(const detail::text_index* index, std::size_t at, std::size_t end) noexcept
        : index_(index), at_(at), end_(end) {}

    // A name, a colon, and something that may be a value; brackets match, so it is none that closes.
    std::size_t checked(std::size_t at) const noexcept {
        const bool good = at + 2 < end_ && index_->letter(at) == '"' && index_->letter(at + 1) == ':' &&
                          !detail::text_index::separates(index_->letter(at + 2));
        return good ? at : faulty(at);
    }
    std::size_t faulty(std::size_t at) const noexcept { return index_->blame(at), end_; }

    const detail::text_index* index_ = nullptr;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
};

class lazy_node::element_iterator {
public:
    using value_type = lazy_node;
    using reference = lazy_node;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;

    element_iterator() = default;

    lazy_node operator*() const noexcept { return {*index_, at_}; }
    element_iterator& operator++() noexcept {
        const std::size_t next = index_->after(at_);
        at_ = next == end_ ? end_ : index_->letter(next) == ',' ? checked(next + 1) : faulty(next);
        return *this;
    }
    element_iterator operator++(int) noexcept {
        auto old = *this;
        ++*this;
        return old;
    }
    friend bool operator==(const element_iterator& a, const element_iterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend class lazy_node;
    element_iterator(const detail::text_index* index, std::size_t at, std::size_t end) noexcept
        : index_(index), at_(at), end_(end) {}

    std::size_t checked(std::size_t at) const noexcept {
        const bool good = at < end_ && !detail::text_index::separates(index_->letter(at));
        return good ? at : faulty(at);
    }
    std::size_t faulty(std::size_t at) const noexcept { return index_->blame(at), end_; }

    const detail::text_index* index_ = nullptr;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
};

class lazy_node::member_range {
public:
    member_range() = default;
    member_iterator begin() const noexcept { return begin_; }
    member_iterator end() const noexcept { return end_; }
    bool empty() const noexcept { return begin_ == end_; }

private:
    friend class lazy_node;
    member_range(member_iterator b, member_iterator e) noexcept : begin_(b), end_(e) {}
    member_iterator begin_, end_;
};

class lazy_node::element_range {
public:
    element_range() = default;
    element_iterator begin() const noexcept { return begin_; }
    element_iterator end() const noexcept { return end_; }
    bool empty() const noexcept { return begin_ == end_; }

private:
    friend class lazy_node;
    element_range(element_iterator b, element_iterator e) noexcept : begin_(b), end_(e) {}
    element_iterator begin_, end_;
};

inline lazy_node::member_range lazy_node::members() const {
    if (!is_object()) return {};
    const std::size_t end = index_->pairs[token_];
    member_iterator first(index_, token_ + 1, end);
    if (token_ + 1 != end) first.at_ = first.checked(token_ + 1);
    return {first, member_iterator(index_, end, end)};
}

inline lazy_node::element_range lazy_node::elements() const {
    if (!is_array()) return {};
    const std::size_t end = index_->pairs[token_];
    element_iterator first(index_, token_ + 1, end);
    if (token_ + 1 != end) first.at_ = first.checked(token_ + 1);
    return {first, element_iterator(index_, end, end)};
}

inline std::size_t lazy_node::size() const {
    if (is_object()) {
        const auto all = members();
        return static_cast<std::size_t>(std::distance(all.begin(), all.end()));
    }
    const auto all = elements();
    return static_cast<std::size_t>(std::distance(all.begin(), all.end()));
}

inline bool lazy_node::is_empty() const noexcept {
    return !(is_object() || is_array()) || index_->pairs[token_] == token_ + 1;
}

// Between a string's last quote and the next token is white space only, and mostly none.
inline std::string_view lazy_node::quoted() const {
    const char* first = index_->text + index_->starts[token_] + 1;
    const char* last = index_->text + index_->starts[token_ + 1] - 1;
    while (*last != '"') --last;
    return {first, static_cast<std::size_t>(last - first)};
}

inline std::string_view lazy_node::as_string() const {
    if (!is_string()) return {};
    const std::string_view text = quoted();
    const auto first = static_cast<std::size_t>(text.data() - index_->text);
    return index_->has_escape(first, first + text.size()) ? unescaped(text) : text;
}

inline bool lazy_node::is_null() const {
    const char first = letter();
    if (first == '{' || first == '[' || first == '"') return false;
    return kind() == json::kind::null;
}

/// For decoders that read the text themselves. Only a text that was scanned has nodes, so that it is good enough.
struct detail::text_tokens {
    static const text_index& index(const lazy_node& node) noexcept { return *node.index_; }
    /// From the start of a value to the end of its document.
    static std::string_view from(const lazy_node& node) noexcept {
        return std::string_view(node.index_->text, node.index_->size).substr(node.index_->starts[node.token_]);
    }
};

}  // namespace kcontrol::json
