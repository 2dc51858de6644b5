// Reading JSON fast: one parse of the bytes, then a cheap cursor over the result. The parser stays behind this wall.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/detail/tape.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::json {

enum class kind { null, boolean, integer, unsigned_integer, number, string, array, object };

/// A place in a parsed document: 16 bytes, cheap to copy, valid as long as the document is alive and not parsed anew.
/// A default-constructed node is null. Asking for another type than kind() says is a precondition violation, checked by
/// assert; without asserts it gives zero, false or empty, never rubbish.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class node {
public:
    node() = default;

    inline json::kind kind() const noexcept;          ///< decides which of the as_...() may be asked
    inline bool as_bool() const noexcept;             ///< of boolean
    inline std::int64_t as_int64() const noexcept;    ///< of integer
    inline std::uint64_t as_uint64() const noexcept;  ///< of unsigned_integer: above INT64_MAX
    /// kind() and as_int64() in one: false if it is no integer.
    inline bool get_int64(std::int64_t& out) const noexcept;
    inline double as_double() const noexcept;  ///< of number, integer or unsigned_integer
    /// Of string, without its escapes; it lives as long as the node is valid.
    inline std::string_view as_string() const noexcept;

    bool is_null() const noexcept { return kind() == json::kind::null; }      ///< JSON null, or no value at all
    bool is_object() const noexcept { return kind() == json::kind::object; }  ///< members() and operator[] may be asked
    bool is_array() const noexcept { return kind() == json::kind::array; }    ///< elements() may be asked
    bool is_string() const noexcept { return kind() == json::kind::string; }  ///< as_string() may be asked

    /// The number of elements or members.
    inline std::size_t size() const noexcept;
    bool is_empty() const noexcept { return size() == 0; }  ///< of array or object only

    /// The member of that name, or a node that is null. Linear in the number of members.
    /// Where a name appears twice this is the first one; members() shows both.
    inline node operator[](std::string_view name) const noexcept;

    /// The text of this value as compact JSON, numbers as json::writer writes them.
    KCONTROL_DECL std::string to_json() const;

    class member_iterator;
    class element_iterator;
    class member_range;
    class element_range;
    /// `for (auto [name, value] : n.members())`, in order of appearance.
    inline member_range members() const noexcept;
    /// `for (node element : n.elements())`.
    inline element_range elements() const noexcept;

private:
    friend class document;
    node(const detail::tape& t, std::size_t position) noexcept : tape_(&t), position_(position) {}
    inline detail::tape_type type() const noexcept;

    const detail::tape* tape_ = nullptr;
    std::size_t position_ = 0;
};

/// Owns parsed JSON. Parsing again reuses its memory and invalidates nodes.
/// The whole text is validated: depth ≤ 256, UTF-8, nothing after the value. Integers beyond 64 bits are numbers,
/// for that is how Go writes a float64 such as 1e20; numbers beyond a double are errors. Duplicate names are not looked
/// for.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class document {
public:
    KCONTROL_DECL document();
    KCONTROL_DECL ~document();
    KCONTROL_DECL document(document&&) noexcept;
    KCONTROL_DECL document& operator=(document&&) noexcept;

    /// Parses `text`, which need not outlive the call. Errors: decode_failed with what is wrong, and at which byte;
    /// too_large beyond 4 GiB.
    KCONTROL_DECL result<node> parse(std::string_view text);

    /// Gives the memory back (parsing takes some 10 to 15 times the text's size) and invalidates nodes.
    KCONTROL_DECL void clear() noexcept;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// What is wrong with a text and at which byte, or nothing: found without a tree, in no memory to speak of.
KCONTROL_DECL std::optional<error> find_fault(std::string_view text);

/// Which of simdjson's kernels this process uses, chosen by what the processor can do: "icelake", "haswell",
/// "westmere", "arm64", … "fallback" is the slow one.
KCONTROL_DECL std::string kernel_name();

}  // namespace kcontrol::json

// The inline members of node, its ranges and iterators:
#include <kcontrol/json/impl/reader_ranges.hpp>

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/json/impl/reader.ipp>
#endif
