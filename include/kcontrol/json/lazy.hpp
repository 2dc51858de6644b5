// Reading JSON in place: where values begin and end is found for the whole text at once, what they are only when they
// are asked for. For decoders that want some of a large text; what they pass over costs next to nothing.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::json {

namespace detail {

/// The tokens of a text: brackets, commas, colons, strings and other scalars.
struct text_index {
    const char* text = nullptr;
    std::size_t size = 0;                   ///< of the text
    const std::uint32_t* starts = nullptr;  ///< offset of every token; behind the last one the length of the text
    const std::uint32_t* pairs = nullptr;   ///< of an opening token the closing one; of others nothing
    mutable std::size_t fault = no_fault;   ///< offset of what was found malformed first

    static constexpr std::size_t no_fault = ~std::size_t{0};
    mutable std::size_t plain_from = 0;  ///< between these two offsets there is no backslash
    mutable std::size_t plain_to = 0;

    /// Whether there is a backslash between two offsets. Readers go forward mostly, so that the next ones are known.
    bool has_escape(std::size_t from, std::size_t to) const noexcept {
        return (from < plain_from || to > plain_to) && find_escape(from, to);
    }
    KCONTROL_DECL bool find_escape(std::size_t from, std::size_t to) const noexcept;

    char letter(std::size_t token) const noexcept { return text[starts[token]]; }
    static bool opens(char letter) noexcept { return letter == '{' || letter == '['; }
    static bool separates(char letter) noexcept { return letter == ',' || letter == ':'; }
    std::size_t after(std::size_t token) const noexcept { return (opens(letter(token)) ? pairs[token] : token) + 1; }
    void blame(std::size_t token) const noexcept {
        if (fault == no_fault) fault = starts[token];
    }
};

struct text_tokens;

}  // namespace detail

/// A value of a lazy_document: 16 bytes, cheap to copy, valid as long as the document, its text, and no later scan.
/// The interface is that of json::node. What is malformed is only found when it is read, or is a member or element of
/// what is read; it reads as null, zero, or empty, ends a range, and is remembered: see lazy_document.
///
/// Thread-safety: as its document.
class lazy_node {
public:
    lazy_node() = default;

    KCONTROL_DECL json::kind kind() const;
    bool as_bool() const noexcept { return letter() == 't'; }
    KCONTROL_DECL std::int64_t as_int64() const;
    KCONTROL_DECL std::uint64_t as_uint64() const;
    /// kind() and as_int64() in one: false if it is no integer of 64 bits.
    KCONTROL_DECL bool get_int64(std::int64_t& out) const;
    KCONTROL_DECL double as_double() const;
    /// The string without its escapes, valid as long as this node.
    inline std::string_view as_string() const;

    inline bool is_null() const;
    bool is_object() const noexcept { return letter() == '{'; }
    bool is_array() const noexcept { return letter() == '['; }
    bool is_string() const noexcept { return letter() == '"'; }

    /// The number of elements or members, which are counted; is_empty() is quick.
    inline std::size_t size() const;
    inline bool is_empty() const noexcept;

    /// The first member of that name, or a node that is null.
    KCONTROL_DECL lazy_node operator[](std::string_view name) const;

    /// The text of this value as it came.
    KCONTROL_DECL std::string_view raw() const;
    /// The text of this value as compact JSON, numbers as json::writer writes them.
    KCONTROL_DECL std::string to_json() const;

    /// Writes this value as compact text, its numbers and strings as they came, and checks all of it. `to` has room for
    /// raw().size() bytes. A member whose value is `without` is left out. Returns the bytes written; 0 if something is
    /// malformed, which is remembered.
    KCONTROL_DECL std::size_t compact(char* to, lazy_node without) const;

    /// What was found malformed since the scan, or since the last call: decode_failed, with the place.
    KCONTROL_DECL std::optional<error> take_fault() const;
    /// Whether there is something to take.
    bool has_fault() const noexcept { return index_ != nullptr && index_->fault != detail::text_index::no_fault; }

    class member_iterator;
    class element_iterator;
    class member_range;
    class element_range;
    inline member_range members() const;
    inline element_range elements() const;

private:
    friend class lazy_document;
    friend struct lazy_member;
    friend struct detail::text_tokens;
    lazy_node(const detail::text_index& index, std::size_t token) noexcept : index_(&index), token_(token) {}
    char letter() const noexcept { return index_ ? index_->letter(token_) : 'n'; }
    inline std::string_view quoted() const;
    KCONTROL_DECL std::string_view unescaped(std::string_view text) const;
    KCONTROL_DECL std::string_view scalar() const;
    bool good_scalar() const;

    const detail::text_index* index_ = nullptr;
    std::size_t token_ = 0;
};

/// Finds the values of a text without reading them. Checked for the whole text: UTF-8, that strings are closed and hold
/// no control characters, that brackets match, depth ≤ 256, that nothing follows the value. Checked of what is read,
/// and of the members and elements of what is read: everything else. Not checked: the inside of what is passed over,
/// as the number `01` or a missing comma in a member nobody asks for.
///
/// Thread-safety: distinct objects safe; shared objects unsafe, nodes included.
class lazy_document {
public:
    KCONTROL_DECL lazy_document();
    KCONTROL_DECL ~lazy_document();
    KCONTROL_DECL lazy_document(lazy_document&&) noexcept;
    KCONTROL_DECL lazy_document& operator=(lazy_document&&) noexcept;

    /// `text` must outlive the nodes. Invalidates earlier nodes, reuses their memory. Errors: decode_failed with what
    /// is wrong; too_large beyond 4 GiB.
    KCONTROL_DECL result<lazy_node> scan(std::string_view text);

    /// Gives the memory back (scanning takes up to eight times the text's size) and invalidates nodes.
    KCONTROL_DECL void clear() noexcept;

private:
    friend class lazy_node;
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// Which of simdjson's kernels this process uses, chosen by what the processor can do: "icelake", "haswell",
/// "westmere", "arm64", … "fallback" is the slow one.
KCONTROL_DECL std::string kernel_name();

}  // namespace kcontrol::json

// The inline members of lazy_node, its ranges and iterators:
#include <kcontrol/json/impl/lazy_ranges.ipp>

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/json/impl/lazy.ipp>
#endif
