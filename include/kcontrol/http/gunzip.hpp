// Bodies that are compressed with gzip (RFC 1952), decoded as they arrive.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/http/transport.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// How much a step of a decoder took and gave.
class gunzip_step {
public:
    std::size_t taken = 0;  ///< bytes of the input, from its front
    std::size_t given = 0;  ///< bytes of the output, at its front
};

/// A decoder for several members, one after another, as servers write them that flush after each event. Between two
/// members it holds no memory.
///
/// A bomb ends with too_large: what is more than `free_output` bytes must not be more than `most_ratio` times what came
/// in. Real answers of API servers have ratios of 5 to 50.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class gunzip {
public:
    static constexpr std::uint64_t free_output = std::uint64_t{16} << 20;  ///< bytes that any body may become
    static constexpr std::uint64_t most_ratio = 200;                       ///< bytes out for each one in

    KCONTROL_DECL gunzip();
    KCONTROL_DECL ~gunzip();
    gunzip(const gunzip&) = delete;
    gunzip& operator=(const gunzip&) = delete;

    /// Decodes some of `in` into `out`, which is not empty. `in` may be empty where the step before filled its room,
    /// and so may have left something. Errors: protocol_error (not gzip, or damaged), too_large, out_of_memory.
    /// Afterwards every step fails so.
    KCONTROL_DECL result<gunzip_step> step(std::span<const char> in, std::span<char> out);

    /// True where the input may end: after a member, or before the first.
    bool complete() const noexcept { return !member_; }

private:
    struct state;
    KCONTROL_DECL error fail(error why);

    std::unique_ptr<state> member_;  // of the member that is being decoded
    std::uint64_t taken_ = 0;
    std::uint64_t given_ = 0;
    std::optional<error> failure_;
};

/// The whole of a body. Errors: those of gunzip, truncated, too_large beyond `most` bytes.
KCONTROL_DECL result<std::string> gunzip_all(std::string_view body, std::size_t most);

/// A body that decodes `from`. Errors, besides: truncated where it ends inside a member.
KCONTROL_DECL std::unique_ptr<body_stream> make_gunzip_body(std::unique_ptr<body_stream> from);

/// True if the body is said to be compressed so, and so only.
KCONTROL_DECL bool is_gzip(const response_head& head) noexcept;

/// What is said of a body's coding and length, taken out of the head: it is decoded.
KCONTROL_DECL void forget_coding(response_head& head);

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/gunzip.ipp>
#endif
