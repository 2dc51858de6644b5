#pragma once

#include <kcontrol/transport/impl/connection.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>
#include <kcontrol/transport/impl/watchdog.hpp>
#include <kcontrol/transport/line_connection.hpp>

#include <array>
#include <optional>

namespace kcontrol::inline v0_1::http {
namespace detail {

class byte_line_connection final : public line_connection {
public:
    byte_line_connection(std::unique_ptr<byte_stream> stream, std::shared_ptr<watchdog> dog,
                         std::shared_ptr<tls_context> context, std::string peer_name, bool encrypted,
                         const line_options& options)
        : stream_(std::move(stream)),
          dog_(std::move(dog)),
          context_(std::move(context)),
          peer_name_(std::move(peer_name)),
          encrypted_(encrypted),
          options_(options) {}
    ~byte_line_connection() override { dog_->release(); }

    awaitable<result<std::string>> read_line() override {
        for (;;) {
            const auto end = input_.find('\n');
            if (end != std::string::npos) {
                std::string line = input_.substr(0, end > 0 && input_[end - 1] == '\r' ? end - 1 : end);
                input_.erase(0, end + 1);
                if (line.size() <= options_.longest_line()) co_return line;
            }
            if (end != std::string::npos || input_.size() > options_.longest_line() + 1) {
                co_return error(errc::too_large, "the server sent a line of more than " +
                                                     std::to_string(options_.longest_line()) + " bytes");
            }
            // A stop that comes between two operations finds nothing to close.
            if (options_.stop().stop_requested()) co_return error(errc::stopped);
            guard();
            const io_outcome got = co_await read(*stream_, boost::asio::buffer(chunk_));
            unguard();
            input_.append(chunk_.data(), got.bytes);
            if (got.failure) co_return failure_of(got.failure);
        }
    }

    awaitable<result<void>> write(std::string bytes) override {
        const write_buffers out{boost::asio::buffer(bytes), boost::asio::const_buffer(), boost::asio::const_buffer()};
        if (options_.stop().stop_requested()) co_return error(errc::stopped);
        guard();
        const io_outcome sent = co_await detail::write(*stream_, out);
        unguard();
        if (sent.failure) co_return failure_of(sent.failure);
        co_return result<void>();
    }

    awaitable<result<void>> start_tls() override {
        if (options_.stop().stop_requested()) co_return error(errc::stopped);
        if (!input_.empty() || stream_->has_input()) {
            co_return error(errc::protocol_error, "the server sent more before TLS began");
        }
        auto secured = make_tls_inside(std::move(stream_), context_, peer_name_);
        if (!secured) co_return secured.error();
        stream_ = std::move(*secured);
        guard();
        const error_code failure = co_await handshake(*stream_);
        unguard();
        if (dog_->cause() != cut_cause::none) co_return failure_of(failure);
        if (failure) co_return handshake_error(stream_->tls(), failure, peer_name_);
        encrypted_ = true;
        co_return result<void>();
    }

    bool is_encrypted() const noexcept override { return encrypted_; }

private:
    void guard() {
        dog_->watch(&stream_->socket());
        dog_->deadline(options_.deadline());
    }
    void unguard() {
        dog_->deadline(std::nullopt);
        dog_->watch(nullptr);
    }
    error failure_of(const error_code& failure) const {
        switch (dog_->cause()) {
        case cut_cause::timeout: return error(errc::timeout);
        case cut_cause::stopped: return error(errc::stopped);
        case cut_cause::none: break;
        }
        return error(errc::connection_lost, "the connection broke: " + tls_failure_text(failure));
    }

    std::unique_ptr<byte_stream> stream_;
    std::shared_ptr<watchdog> dog_;
    std::shared_ptr<tls_context> context_;
    std::string peer_name_;
    bool encrypted_;
    line_options options_;
    std::string input_;
    std::array<char, 2048> chunk_{};
};

}  // namespace detail

KCONTROL_DECL awaitable<result<std::unique_ptr<line_connection>>> open_line_connection(environment& env, executor ex,
                                                                                       endpoint server, tls_options tls,
                                                                                       line_options options) {
    using outcome = result<std::unique_ptr<line_connection>>;
    if (server.scheme != "tls" && server.scheme != "tcp") {
        co_return outcome(
            error(errc::invalid_config, "the server's scheme is \"" + server.scheme + "\"; use tls or tcp"));
    }
    std::string peer_name = tls.server_name().empty() ? server.host : tls.server_name();
    auto context = detail::tls_context::for_client(tls);
    if (!context) co_return outcome(context.error());
    server.via = proxy();
    const bool at_once = server.scheme == "tls";
    auto dog = std::make_shared<detail::watchdog>(env, ex);
    dog->follow(options.stop());
    std::shared_ptr<detail::host_lookup> lookup;
    transport_options limits;
    detail::connect_request what(env, ex, server, peer_name, at_once ? *context : nullptr, nullptr, limits, lookup,
                                 dog);
    auto reaching = detail::connect(std::move(what), options.deadline().value_or(time_point::max()), options.stop());
    auto reached = co_await std::move(reaching);
    if (!reached) co_return outcome(reached.error());
    auto made = std::make_unique<detail::byte_line_connection>(
        std::move((*reached)->stream), std::move(dog), std::move(*context), std::move(peer_name), at_once, options);
    co_return outcome(std::move(made));
}

}  // namespace kcontrol::http
