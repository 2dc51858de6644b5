// share_pool: what many objects have in common is kept once.
#pragma once

#include <kcontrol/config.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

namespace detail {
class block_builder;
}

/// Strings and parts (a toleration, a probe, the reference of an environment variable) that objects of a kind repeat.
/// The decoder of a stream of objects looks here before it stores one; what it meets for the second time is kept here
/// from then on, and objects point to it. They keep it alive.
///
/// A whole subtree of JSON that comes again, letter for letter, is not decoded again: find_value() knows its value.
///
/// It can't grow without end: at generation_limit bytes a new, empty generation begins, and the old one lives as long
/// as objects that use it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe. Objects decoded with a pool are free of it.
class share_pool {
public:
    static constexpr std::size_t generation_limit = std::size_t{1} << 20;  ///< in bytes: 1 MiB

    KCONTROL_DECL share_pool();
    KCONTROL_DECL ~share_pool();
    share_pool(const share_pool&) = delete;
    share_pool& operator=(const share_pool&) = delete;

    /// The shared copy of a string as text stores it (length, then bytes), or null if it is not worth one yet, which
    /// `insist` overrules, or if it is longer than 16 KiB.
    KCONTROL_DECL const void* find_text(std::string_view bytes, bool insist = false);
    /// The shared copy of the bytes of a part that holds no pointers but into this pool; aligned to 8. Null as above.
    KCONTROL_DECL const void* find_part(const void* bytes, std::size_t size, bool insist = false);

    /// What a text of JSON came to, when it was last read as a value of a type.
    class cached_value {
    public:
        const void* value = nullptr;  ///< its bytes, with no pointers but into this pool; null: not known
        bool seen_before = false;     ///< not known, and worth to be: it was asked for already
        std::uint64_t hash = 0;       ///< for insert_value()
    };
    /// `type` says apart what the same text came to in different places. Texts of more than longest_text bytes, and of
    /// fewer than shortest_text, are not worth the search.
    KCONTROL_DECL cached_value find_value(const void* type, std::string_view text);
    /// Tells what a text came to that find_value() did not know; `hash` is from there.
    KCONTROL_DECL void insert_value(const void* type, std::string_view text, std::uint64_t hash, const void* value,
                                    std::size_t size);
    static constexpr std::size_t shortest_text = 16;   ///< in bytes, for find_value()
    static constexpr std::size_t longest_text = 4096;  ///< the same

    /// What keeps that alive which find_… returned since the last call. To be called once an object.
    KCONTROL_DECL std::shared_ptr<const void> pin();

    /// The decoder's working memory, kept from object to object.
    detail::block_builder& workspace() noexcept { return *workspace_; }

    /// Bytes in use by the present generation, its index included.
    KCONTROL_DECL std::size_t bytes() const noexcept;

private:
    struct generation;
    class memory;
    enum class form : std::uint8_t;
    const void* find(form as, const void* bytes, std::size_t size, bool insist);

    std::unique_ptr<detail::block_builder> workspace_;
    std::shared_ptr<generation> present_;
    std::vector<std::uint32_t> seen_;  // fingerprints of what was met once, newest wins
    std::unique_ptr<memory> memory_;   // of texts; what it knows points into the present generation
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/share_pool.ipp>
#endif
