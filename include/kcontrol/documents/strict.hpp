// Strict reading, for text that people and programs wrote for us: configuration, admission reviews.
#pragma once

#include <kcontrol/json/reader.hpp>

#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1::json {

/// Budgets of a strict read.
class strict_limits {
public:
    /// The size of the text in bytes. The default is what the API server takes in a request.
    strict_limits& max_bytes(std::size_t n) { return max_bytes_ = n, *this; }
    /// How deep arrays and objects may nest; at most max_document_depth.
    strict_limits& max_depth(std::size_t n) { return max_depth_ = n, *this; }

    std::size_t max_bytes() const noexcept { return max_bytes_; }
    std::size_t max_depth() const noexcept { return max_depth_; }

private:
    std::size_t max_bytes_ = std::size_t{3} << 20;
    std::size_t max_depth_ = 128;
};

/// Parses `text` into `into`, as document::parse does, and then refuses what two readers could understand differently:
/// a name that appears twice in an object, at any depth. Unknown fields are the decoder's business.
/// Errors: too_large for a text beyond the budget; decode_failed for malformed JSON, with the byte offset, for nesting
/// beyond the budget and for a name that appears twice, with the path of the object.
KCONTROL_DECL result<node> parse_strict(document& into, std::string_view text, const strict_limits& limits = {});

/// The second half of parse_strict(), on a place that is parsed already. Errors: decode_failed.
KCONTROL_DECL result<void> check_strict(node root, std::size_t max_depth = strict_limits().max_depth());

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/documents/impl/strict.ipp>
#endif
