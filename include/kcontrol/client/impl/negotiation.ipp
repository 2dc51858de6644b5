#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/negotiation.hpp>

#include <string>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL std::shared_ptr<const kind_encoding> negotiation::of(const resource_info& info) const {
    if (wanted_ == nullptr || json_.contains(info.gvk)) return nullptr;
    return wanted_->of(info);
}

// The server sends as little as the kind wants, if it knows how; else it sends all, and the decoder takes what it
// needs. Source: Kubernetes API concepts, "Receiving resources as PartialObjectMetadata".
KCONTROL_DECL std::shared_ptr<const kind_encoding> negotiation::ask(const resource_info& info, http::request& req,
                                                                    std::string_view metadata_as) const {
    auto as = of(info);
    if (as == nullptr && !info.metadata_only) return as;
    const std::string least = ";as=" + std::string(metadata_as) + ";g=meta.k8s.io;v=v1";
    std::string accept = info.metadata_only ? "application/json" + least + ",application/json" : "application/json";
    if (as != nullptr) {
        const std::string type(wanted_->media_type());
        accept = (info.metadata_only ? type + least + "," : type + ",") + accept;
    }
    req.headers.set("Accept", std::move(accept));
    return as;
}

KCONTROL_DECL bool negotiation::is_encoded(const http::response_head& answer) const {
    if (wanted_ == nullptr) return false;
    const auto type = answer.headers.get("Content-Type");
    const auto media = wanted_->media_type();
    return type.starts_with(media) && (type.size() == media.size() || type[media.size()] == ';');
}

KCONTROL_DECL void negotiation::answered_otherwise(const resource_info& info, std::string_view what) {
    json_.insert(info.gvk);
    if (std::exchange(told_, true)) return;
    log_.info("the server does not have the encoding that was asked for: such kinds are JSON from now on",
              {{"encoding", std::string(wanted_->media_type())},
               {"kind", info.gvk.kind},
               {"api_version", info.gvk.api_version()},
               {"answer", server_text(what, 128)}});
}

KCONTROL_DECL void negotiation::make_readable(http::response& refused) const {
    if (!is_encoded(refused)) return;
    auto text = wanted_->status_json(refused.body);
    if (!text) return;
    refused.body = std::move(*text);
    refused.headers.set("Content-Type", "application/json");
}

}  // namespace kcontrol::detail
