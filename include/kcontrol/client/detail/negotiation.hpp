// What a client and its server agreed on, kind by kind: another encoding than JSON is asked for, and who does not have
// it is not asked again.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/object_encoding.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/model/resource.hpp>

#include <memory>
#include <set>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Shared by the copies of a client; touched on its executor only.
class negotiation {
public:
    /// `wanted` may be null: then all is JSON.
    negotiation(std::shared_ptr<const object_encoding> wanted, logger log)
        : wanted_(std::move(wanted)), log_(std::move(log)) {}

    const std::shared_ptr<const object_encoding>& wanted() const noexcept { return wanted_; }

    /// How objects of the kind are to travel; null: as JSON.
    KCONTROL_DECL std::shared_ptr<const kind_encoding> of(const resource_info& info) const;
    /// The same, and the request asks for it. `metadata_as` is the kind that an object or a list is if only its
    /// metadata is wanted.
    KCONTROL_DECL std::shared_ptr<const kind_encoding> ask(const resource_info& info, http::request& req,
                                                           std::string_view metadata_as) const;
    /// Whether a body is in the encoding that was wanted.
    KCONTROL_DECL bool is_encoded(const http::response_head& answer) const;
    /// The server has not what was asked for, as an answer of 2xx or a refusal shows: that kind is JSON from now on.
    /// The log gets the first.
    KCONTROL_DECL void answered_otherwise(const resource_info& info, std::string_view what);
    /// A Status in that encoding becomes one in JSON, which is how errors are read.
    KCONTROL_DECL void make_readable(http::response& refused) const;

private:
    std::shared_ptr<const object_encoding> wanted_;
    logger log_;
    std::set<group_version_kind> json_;
    bool told_ = false;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/negotiation.ipp>
#endif
