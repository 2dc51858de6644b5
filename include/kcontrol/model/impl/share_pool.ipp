#pragma once

#include <kcontrol/model/detail/block_builder.hpp>
#include <kcontrol/model/share_pool.hpp>

#include <algorithm>
#include <cstring>

namespace kcontrol {
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

struct share_pool::generation {
    struct entry {
        std::uint32_t hash = 0;
        std::uint32_t size_and_form = 0;
        char* bytes = nullptr;  // of a text: its length comes first and is not counted in size
    };

    std::vector<std::unique_ptr<char[]>> chunks;
    std::size_t chunk_left = 0;
    char* chunk_at = nullptr;
    std::size_t used = 0;
    std::vector<entry> table = std::vector<entry>(64);  // open addressing; the size is a power of two
    std::size_t count = 0;

    char* allocate(std::size_t size) {
        size = (size + 7) & ~std::size_t{7};
        if (size > chunk_left) {
            // Small at first: a cluster with ten objects should not pay for one with a million.
            const std::size_t chunk = std::max(size, std::clamp<std::size_t>(used, 1024, 65536));
            chunks.push_back(std::make_unique_for_overwrite<char[]>(chunk));
            chunk_at = chunks.back().get();
            chunk_left = chunk;
            used += chunk;
        }
        char* place = chunk_at;
        chunk_at += size;
        chunk_left -= size;
        return place;
    }

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

KCONTROL_DECL share_pool::share_pool()
    : workspace_(std::make_unique<detail::block_builder>()), present_(std::make_shared<generation>()), seen_(4096) {}
KCONTROL_DECL share_pool::~share_pool() = default;

inline const void* share_pool::find(form as, const void* bytes, std::size_t size) {
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
    std::uint32_t& last = seen_[(wide >> 20) & (seen_.size() - 1)];
    if (last != hash) {
        last = hash;
        return nullptr;
    }
    char* place = pool.allocate(prefix + size);
    if (as == form::text) {
        const auto length = static_cast<std::uint32_t>(size);
        std::memcpy(place, &length, sizeof length);
    }
    std::memcpy(place + prefix, bytes, size);
    pool.table[at] = {hash, size_and_form, place};
    if (++pool.count * 2 > pool.table.size()) pool.grow();
    return place;
}

KCONTROL_DECL const void* share_pool::find_text(std::string_view bytes) {
    return find(form::text, bytes.data(), bytes.size());
}

KCONTROL_DECL const void* share_pool::find_part(const void* bytes, std::size_t size) {
    return find(form::part, bytes, size);
}

KCONTROL_DECL std::shared_ptr<const void> share_pool::pin() {
    std::shared_ptr<const void> pinned = present_;
    if (present_->used > generation_limit) present_ = std::make_shared<generation>();
    return pinned;
}

KCONTROL_DECL std::size_t share_pool::bytes() const noexcept {
    return present_->used + present_->table.size() * sizeof(generation::entry) + seen_.size() * sizeof(seen_[0]);
}

}  // namespace kcontrol
