// Shard selectors: a part of a kind's objects by a hash, as the query parameter shardSelector has it.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_meta.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Ranges of the hash of an object's uid or namespace. Both never change while an object lives, so an object never
/// moves from one part to another. Empty: every object. The hash is FNV-1a of 64 bits (see fnv1a), the server's own.
/// Source: k8s.io/apiserver/pkg/sharding/parser.go, k8s.io/apimachinery/pkg/sharding (alpha since Kubernetes 1.36, the
/// feature ShardedListAndWatch).
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class shard_selector {
public:
    /// What is hashed.
    enum class by {
        uid,              ///< metadata.uid: spreads evenly; an object and what it owns are in different parts
        namespace_,       ///< metadata.namespace: a namespace is whole in one part, and so is what has no namespace
        mixed_namespace,  ///< the same, mixed once more, which no server knows and is sent to none. FNV-1a puts names
                          ///< that end differently, as team-1 and team-2, into one part; with this they spread
    };

    shard_selector() = default;

    /// Part `index` (from 0) of `count` equal parts, which together have each object once. Errors: invalid_argument,
    /// unless index < count.
    static KCONTROL_DECL result<shard_selector> part(by what, std::size_t index, std::size_t count);

    /// Reads `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')` and more of them, joined by
    /// `||`; beside that `mixed(object.metadata.namespace)`; an empty text selects everything. A range holds its start
    /// and not its end, which may be '0x10000000000000000' (2^64). Errors: invalid_argument, naming the term and what
    /// is wrong with it.
    static KCONTROL_DECL result<shard_selector> parse(std::string_view text);

    bool empty() const noexcept { return ranges_.empty(); }
    by what() const noexcept { return what_; }
    /// Whether the object is in one of the ranges.
    KCONTROL_DECL bool selects(const object_meta& meta) const noexcept;
    /// The same of the text that is hashed: a uid, or a namespace.
    KCONTROL_DECL bool selects_value(std::string_view value) const noexcept;
    KCONTROL_DECL std::string to_string() const;  ///< what parse() reads; empty if it selects everything
    /// Whether servers with the feature read what to_string() writes.
    bool is_known_to_servers() const noexcept { return what_ != by::mixed_namespace; }

    friend bool operator==(const shard_selector&, const shard_selector&) = default;

private:
    struct range {
        std::uint64_t first, last;  // both are in it
        friend bool operator==(const range&, const range&) = default;
    };
    by what_ = by::uid;
    std::vector<range> ranges_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/shard_selector.ipp>
#endif
