// A transport that says how objects shall travel over it, and the body of a watch that is no JSON.
#pragma once

#include <kcontrol/client/object_encoding.hpp>
#include <kcontrol/http/transport.hpp>

#include <memory>
#include <span>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::detail {

class speaking_transport final : public http::transport {
public:
    speaking_transport(std::shared_ptr<const object_encoding> encoding, std::shared_ptr<http::transport> below)
        : encoding_(std::move(encoding)), below_(std::move(below)) {}

    const std::shared_ptr<const object_encoding>& encoding() const noexcept { return encoding_; }

    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        return below_->open(std::move(req), std::move(options));
    }
    void close() override { below_->close(); }

private:
    std::shared_ptr<const object_encoding> encoding_;
    std::shared_ptr<http::transport> below_;
};

/// Null: JSON.
inline std::shared_ptr<const object_encoding> encoding_of(const http::transport& one) {
    const auto* speaking = dynamic_cast<const speaking_transport*>(&one);
    return speaking != nullptr ? speaking->encoding() : nullptr;
}

/// The body of a watch together with what reads it.
class encoded_body final : public http::body_stream {
public:
    encoded_body(std::unique_ptr<http::body_stream> below, std::unique_ptr<watch_decoder> reader)
        : below_(std::move(below)), decoder_(std::move(reader)) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        return below_->read_some(into, idle, std::move(stop));
    }
    watch_decoder& decoder() noexcept { return *decoder_; }

private:
    std::unique_ptr<http::body_stream> below_;
    std::unique_ptr<watch_decoder> decoder_;
};

/// Null: the body is JSON.
inline watch_decoder* decoder_of(http::body_stream& body) noexcept {
    auto* const encoded = dynamic_cast<encoded_body*>(&body);
    return encoded != nullptr ? &encoded->decoder() : nullptr;
}

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/speaking_transport.ipp>
#endif
