// The text of a cache file: a value, whose value it is, and when the server last confirmed it.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/service/endpoints_snapshot.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::service::detail {

/// The envelope of all kinds of values: `subject` says whose value it is, and `value` is JSON.
///
///     {"format":"kcontrol-service/1","subject":"…","confirmed":"2026-…Z","checksum":"…","value":…}
///
/// The checksum (FNV-1a) is for files that a disk or a person broke.
class cache_text {
public:
    std::string subject;
    wall_time confirmed{};
    std::string value;

    KCONTROL_DECL std::string to_json() const;
    /// Errors: decode_failed for what is cut or wrong, invalid_argument for one of another subject.
    static KCONTROL_DECL result<cache_text> parse(std::string_view text, std::string_view subject);
};

KCONTROL_DECL std::string write_endpoints(const endpoint_list& endpoints);
/// In the order of snapshots. Errors: decode_failed.
KCONTROL_DECL result<std::vector<endpoint>> read_endpoints(std::string_view json);

/// A leader, and for how long it counts after its last renewal.
class cached_leader {
public:
    std::string holder, address;
    duration lasts{};

    KCONTROL_DECL std::string to_json() const;
    /// Errors: decode_failed.
    static KCONTROL_DECL result<cached_leader> parse(std::string_view json);
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/cache_text.ipp>
#endif
