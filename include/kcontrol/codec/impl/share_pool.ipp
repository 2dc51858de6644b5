#pragma once

#include <kcontrol/codec/detail/block_builder.hpp>
#include <kcontrol/codec/release_workspace.hpp>
#include <kcontrol/codec/share_pool.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// Multiplies to 128 bits and folds them, as wyhash does. A text is hashed for each string of each object, so std::hash,
// which takes a call and eight bytes at a time, shows. Who chooses strings that collide makes a pool slow, but it ends
// with its generation, which is small.
inline std::uint64_t share_mix(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t share_hash(const char* bytes, std::size_t size) noexcept {
    const auto load = [](const char* from) {
        std::uint64_t word = 0;
        std::memcpy(&word, from, sizeof word);
        return word;
    };
    constexpr std::uint64_t first = 0x9E3779B97F4A7C15U;
    constexpr std::uint64_t second = 0xE7037ED1A0B428DBU;
    std::uint64_t hash = size * first;
    if (size < 8) {  // parts and texts are longer, mostly
        for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<unsigned char>(bytes[i])) * second;
        return share_mix(hash, first);
    }
    const char* const end = bytes + size;
    for (; end - bytes > 16; bytes += 16) hash = share_mix(load(bytes) ^ second, load(bytes + 8) ^ hash);
    // The last bytes in two words, which may overlap what was taken already.
    return share_mix(load(size < 16 ? bytes : end - 16) ^ second, load(end - 8) ^ hash ^ first);
}

}  // namespace detail

enum class share_pool::form : std::uint8_t { text, part };

namespace detail {

/// What was met once: a fingerprint in the place that its own low bits say, the newest wins. Small at first, as the
/// pieces below, and larger before a quarter is taken: what is overwritten is not known again. The size is a power of
/// two.
inline constexpr std::size_t least_fingerprints = 256;
inline constexpr std::size_t most_fingerprints = 4096;

inline void grow_fingerprints(std::vector<std::uint32_t>& all) {
    const std::size_t before = all.size();
    all.resize(before * 2);
    for (std::size_t i = 0; i < before; ++i) {
        if ((all[i] & before) != 0) std::swap(all[i], all[i + before]);
    }
}

/// Pieces of memory that are freed together; aligned to 8.
class share_chunks {
public:
    char* allocate(std::size_t size) {
        size = (size + 7) & ~std::size_t{7};
        if (size > chunk_left_) {
            // Small at first: a cluster with ten objects should not pay for one with a million.
            const std::size_t chunk = std::max(size, std::clamp<std::size_t>(used_, 1024, 65536));
            chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk));
            chunk_at_ = chunks_.back().get();
            chunk_left_ = chunk;
            used_ += chunk;
        }
        char* place = chunk_at_;
        chunk_at_ += size;
        chunk_left_ -= size;
        return place;
    }
    std::size_t bytes() const noexcept { return used_; }

private:
    std::vector<std::unique_ptr<char[]>> chunks_;
    std::size_t chunk_left_ = 0;
    char* chunk_at_ = nullptr;
    std::size_t used_ = 0;
};

}  // namespace detail

struct share_pool::generation {
    struct entry {
        std::uint32_t hash = 0;
        std::uint32_t size_and_form = 0;
        char* bytes = nullptr;  // of a text: its length comes first and is not counted in size
    };

    detail::share_chunks chunks;
    std::vector<entry> table = std::vector<entry>(16);  // open addressing; the size is a power of two
    std::size_t count = 0;
    std::size_t met = 0;  // fingerprints since their table has grown, or this began

    void grow() {
        std::vector<entry> old = std::exchange(table, std::vector<entry>(table.size() * 2));
        for (const entry& e : old) {
            if (e.bytes == nullptr) continue;
            std::size_t at = e.hash & (table.size() - 1);
            while (table[at].bytes != nullptr) at = (at + 1) & (table.size() - 1);
            table[at] = e;
        }
    }
};

/// Values by the text that they were read from. Open addressing with short searches: who finds texts that collide makes
/// them forgotten, not slow.
class share_pool::memory {
public:
    struct entry {
        std::uint64_t hash = 0;
        const void* type = nullptr;
        const char* value = nullptr;  // null: free; the text comes behind it
        std::uint32_t value_size = 0;
        std::uint32_t text_size = 0;

        const char* text() const noexcept { return value + value_size; }
    };

    const entry* find(std::uint64_t hash, const void* type, std::string_view text) const noexcept {
        for (std::size_t i = 0; i < longest_search; ++i) {
            const entry& e = table_[(hash + i) & (table_.size() - 1)];
            if (e.value == nullptr) return nullptr;
            if (e.hash == hash && e.type == type && e.text_size == text.size() &&
                std::memcmp(e.text(), text.data(), text.size()) == 0) {
                return &e;
            }
        }
        return nullptr;
    }

    /// Whether the newest text of its place in the fingerprints was this one; it is from now on.
    bool seen(std::uint64_t hash) {
        const auto print = static_cast<std::uint32_t>(hash);
        if (std::exchange(seen_[print & (seen_.size() - 1)], print) == print) return true;
        if (++met_ * 4 > seen_.size() && seen_.size() < detail::most_fingerprints) {
            detail::grow_fingerprints(seen_);
            met_ = 0;
        }
        return false;
    }

    void add(entry e, std::string_view text, const void* value) {
        if (count_ * 2 > table_.size()) grow();
        if (!place(e, [&](entry& to) {
                char* bytes = chunks_.allocate(e.value_size + text.size());
                std::memcpy(bytes, value, e.value_size);
                std::memcpy(bytes + e.value_size, text.data(), text.size());
                to.value = bytes;
            })) {
            return;
        }
        ++count_;
    }

    std::size_t bytes() const noexcept {
        return chunks_.bytes() + table_.size() * sizeof(entry) + seen_.size() * sizeof(seen_[0]);
    }

private:
    static constexpr std::size_t longest_search = 8;

    template <class Fill>
    bool place(const entry& e, Fill fill) {
        for (std::size_t i = 0; i < longest_search; ++i) {
            entry& to = table_[(e.hash + i) & (table_.size() - 1)];
            if (to.value != nullptr) continue;
            to = e;
            fill(to);
            return true;
        }
        return false;
    }

    void grow() {
        std::vector<entry> old = std::exchange(table_, std::vector<entry>(table_.size() * 2));
        for (const entry& e : old) {
            if (e.value != nullptr && !place(e, [](entry&) {})) --count_;
        }
    }

    detail::share_chunks chunks_;
    std::vector<entry> table_ = std::vector<entry>(16);  // the size is a power of two
    std::size_t count_ = 0, met_ = 0;
    std::vector<std::uint32_t> seen_ = std::vector<std::uint32_t>(detail::least_fingerprints);
};

KCONTROL_DECL share_pool::share_pool()
    : workspace_(std::make_unique<detail::block_builder>()),
      present_(std::make_shared<generation>()),
      seen_(detail::least_fingerprints),
      memory_(std::make_unique<memory>()) {}
KCONTROL_DECL share_pool::~share_pool() = default;

inline const void* share_pool::find(form as, const void* bytes, std::size_t size, bool insist) {
    if (size > generation_limit / 64) return nullptr;
    const std::uint64_t wide = detail::share_hash(static_cast<const char*>(bytes), size);
    const auto hash = static_cast<std::uint32_t>(wide ^ (wide >> 32));
    // A text and a part of equal bytes are two entries: a text has its length in front.
    const std::uint32_t size_and_form = static_cast<std::uint32_t>(size) << 1 | static_cast<std::uint32_t>(as);
    generation& pool = *present_;
    const std::size_t mask = pool.table.size() - 1;
    const std::size_t prefix = as == form::text ? sizeof(std::uint32_t) : 0;
    std::size_t at = hash & mask;
    for (; pool.table[at].bytes != nullptr; at = (at + 1) & mask) {
        const auto& found = pool.table[at];
        if (found.hash == hash && found.size_and_form == size_and_form &&
            std::memcmp(found.bytes + prefix, bytes, size) == 0) {
            return found.bytes;
        }
    }
    std::uint32_t& last = seen_[hash & (seen_.size() - 1)];
    if (last != hash && !insist) {
        last = hash;
        if (++pool.met * 4 > seen_.size() && seen_.size() < detail::most_fingerprints) {
            detail::grow_fingerprints(seen_);
            pool.met = 0;
        }
        return nullptr;
    }
    char* place = pool.chunks.allocate(prefix + size);
    if (as == form::text) {
        const auto length = static_cast<std::uint32_t>(size);
        std::memcpy(place, &length, sizeof length);
    }
    std::memcpy(place + prefix, bytes, size);
    pool.table[at] = {hash, size_and_form, place};
    if (++pool.count * 2 > pool.table.size()) pool.grow();
    return place;
}

KCONTROL_DECL const void* share_pool::find_text(std::string_view bytes, bool insist) {
    return find(form::text, bytes.data(), bytes.size(), insist);
}

KCONTROL_DECL const void* share_pool::find_part(const void* bytes, std::size_t size, bool insist) {
    return find(form::part, bytes, size, insist);
}

KCONTROL_DECL share_pool::cached_value share_pool::find_value(const void* type, std::string_view text) {
    cached_value out;
    const auto place = reinterpret_cast<std::uintptr_t>(type);
    out.hash = detail::share_mix(detail::share_hash(text.data(), text.size()), place | 1U);
    if (const auto* found = memory_->find(out.hash, type, text)) {
        out.value = found->value;
    } else {
        out.seen_before = memory_->seen(out.hash);
    }
    return out;
}

KCONTROL_DECL void share_pool::insert_value(const void* type, std::string_view text, std::uint64_t hash,
                                            const void* value, std::size_t size) {
    if (memory_->bytes() > generation_limit) memory_ = std::make_unique<memory>();
    memory_->add({hash, type, nullptr, static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(text.size())}, text,
                 value);
}

KCONTROL_DECL std::shared_ptr<const void> share_pool::pin() {
    std::shared_ptr<const void> pinned = present_;
    if (present_->chunks.bytes() > generation_limit) {
        workspace_->forget_shared();
        present_ = std::make_shared<generation>();
        memory_ = std::make_unique<memory>();
    }
    return pinned;
}

KCONTROL_DECL void release_workspace(share_pool& pool) { pool.workspace().release(); }

KCONTROL_DECL std::size_t share_pool::bytes() const noexcept {
    return present_->chunks.bytes() + present_->table.size() * sizeof(generation::entry) +
           seen_.size() * sizeof(seen_[0]) + memory_->bytes();
}

}  // namespace kcontrol
