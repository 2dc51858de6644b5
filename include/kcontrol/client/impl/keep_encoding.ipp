#pragma once

#include <kcontrol/client/detail/speaking_transport.hpp>
#include <kcontrol/client/keep_encoding.hpp>

#include <utility>

namespace kcontrol {

KCONTROL_DECL std::shared_ptr<http::transport> keep_encoding(const http::transport& below,
                                                             std::shared_ptr<http::transport> around) {
    auto encoding = detail::encoding_of(below);
    if (encoding == nullptr) return around;
    return std::make_shared<detail::speaking_transport>(std::move(encoding), std::move(around));
}

}  // namespace kcontrol
