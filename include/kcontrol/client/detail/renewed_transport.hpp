// The transport of a client whose certificates may change while it runs.
#pragma once

#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/http/transport.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace kcontrol::detail {

/// Makes a new transport where TLS settings change: what begins from then on goes over new connections, what runs on
/// the old ones ends there by itself.
///
/// Thread-safety: shared objects unsafe; use it on its executor.
class renewed_transport final : public http::transport {
public:
    renewed_transport(executor ex, http::endpoint to, http::tls_options tls, http::transport_factory make,
                      std::shared_ptr<http::transport> first)
        : ex_(std::move(ex)),
          to_(std::move(to)),
          tls_(std::move(tls)),
          make_(std::move(make)),
          current_(std::move(first)) {}

    /// What was settled last, and its number.
    const http::tls_options& tls() const noexcept { return tls_; }
    std::uint64_t version() const noexcept { return version_; }

    /// Errors: those of the factory; what was there before stays then, and that number counts as settled.
    result<void> renew(const http::tls_options& tls, std::uint64_t version) {
        version_ = version;
        if (closed_) return {};
        auto next = make_guarded(make_, ex_, to_, tls);
        if (!next) return next.error();
        tls_ = tls;
        const auto old = std::exchange(current_, std::move(*next));
        old->close();
        return {};
    }

    awaitable<result<http::response>> round_trip(http::request req, http::exchange_options options) override {
        return round_trip_guarded(current_, std::move(req), std::move(options));
    }

    awaitable<result<http::streamed_response>> open_stream(http::request req, http::exchange_options options) override {
        return open_kept(current_, std::move(req), std::move(options));
    }

    awaitable<result<http::opened_websocket>> open_websocket(http::request req,
                                                             http::exchange_options options) override {
        return open_websocket_guarded(current_, std::move(req), std::move(options));
    }

    void close() override {
        closed_ = true;
        current_->close();
    }

private:
    // Keeps its transport as long as the body lives.
    class kept_body final : public http::body_stream {
    public:
        kept_body(std::shared_ptr<http::transport> by, std::unique_ptr<http::body_stream> body)
            : by_(std::move(by)), body_(std::move(body)) {}
        awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
            return body_->read_some(into, idle, std::move(stop));
        }

    private:
        std::shared_ptr<http::transport> by_;
        std::unique_ptr<http::body_stream> body_;
    };

    static awaitable<result<http::streamed_response>> open_kept(std::shared_ptr<http::transport> by, http::request req,
                                                                http::exchange_options options) {
        auto opened = co_await open_stream_guarded(by, std::move(req), std::move(options));
        if (opened && opened->body) opened->body = std::make_unique<kept_body>(by, std::move(opened->body));
        co_return std::move(opened);
    }

    executor ex_;
    http::endpoint to_;
    http::tls_options tls_;
    http::transport_factory make_;
    std::shared_ptr<http::transport> current_;
    std::uint64_t version_ = 0;
    bool closed_ = false;
};

}  // namespace kcontrol::detail
