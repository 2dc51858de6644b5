#include "web/compressed.hpp"

#include <kcontrol/base/ascii.hpp>

#include "web/gzip.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;

// What fits into a packet goes as it is.
constexpr std::size_t least_worth = std::size_t{1} << 10;

bool takes_gzip(const http::fields& headers) {
    std::string all;
    for (const auto& field : headers) {
        if (kcontrol::iequals(field.name, "Accept-Encoding")) all += field.value + ",";
    }
    return accepts_gzip(all);
}

bool may_be_compressed(const http::response_head& head) {
    const auto type = head.headers.get("Content-Type");
    const bool is_text =
        type.starts_with("text/html") || type.starts_with("application/json") || type.starts_with("text/plain");
    return head.status == 200 && is_text && !head.headers.contains("Content-Encoding") &&
           head.headers.get("Cache-Control").find("no-transform") == std::string_view::npos;
}

void say_it_varies(http::fields& headers) {
    const std::string before(headers.get("Vary"));
    headers.set("Vary", before.empty() ? "Accept-Encoding" : before + ", Accept-Encoding");
}

void say_gzip(http::fields& headers) {
    headers.set("Content-Encoding", "gzip");
    headers.erase("Content-Length");
    // Byte by byte it is another one (RFC 9110 §8.8.1).
    const std::string tag(headers.get("ETag"));
    if (tag.starts_with('"')) headers.set("ETag", "W/" + tag);
}

class compressing_responder final : public http::responder {
public:
    compressing_responder(http::responder& out, bool accepted) : out_(out), accepted_(accepted) {}

    kcontrol::awaitable<kcontrol::result<void>> send(http::response answer) override {
        if (may_be_compressed(answer)) {
            say_it_varies(answer.headers);
            if (accepted_ && answer.body.size() >= least_worth) {
                answer.body = gzipped(answer.body);
                say_gzip(answer.headers);
            }
        }
        return out_.send(std::move(answer));
    }

    kcontrol::awaitable<kcontrol::result<void>> start(http::response_head head) override {
        if (may_be_compressed(head)) {
            say_it_varies(head.headers);
            // Without room for it, the answer goes as it is.
            if (accepted_ && out_.holds(held_ + gzip_writer::bytes_held)) {
                zipped_ = std::make_unique<gzip_writer>();
                say_gzip(head.headers);
            }
        }
        return out_.start(std::move(head));
    }

    kcontrol::awaitable<kcontrol::result<void>> write(std::string piece) override {
        if (zipped_ && !piece.empty()) piece = zipped_->add(piece);
        auto written = co_await out_.write(std::move(piece));
        broken_ = broken_ || !written;
        co_return written;
    }

    // The end of what is compressed; what broke off has none.
    kcontrol::awaitable<void> finish() {
        if (!zipped_ || broken_) co_return;
        auto last = zipped_->finish();
        const auto written = co_await out_.write(std::move(last));
        static_cast<void>(written);  // whoever asked has gone
    }

    void abort() override {
        broken_ = true;
        out_.abort();
    }
    std::stop_token disconnected() const override { return out_.disconnected(); }
    void admit() override { out_.admit(); }
    bool holds(std::size_t bytes) override {
        held_ = bytes;
        return out_.holds(bytes + (zipped_ ? gzip_writer::bytes_held : 0));
    }

private:
    http::responder& out_;
    bool accepted_;
    std::size_t held_ = 0;
    std::unique_ptr<gzip_writer> zipped_;
    bool broken_ = false;
};

kcontrol::awaitable<void> serve(const http::handler& inner, http::server_request request, http::responder& out) {
    compressing_responder zipping(out, takes_gzip(request.headers));
    co_await inner(std::move(request), zipping);
    co_await zipping.finish();
}

}  // namespace

http::handler compressed(http::handler inner) {
    return [inner = std::move(inner)](http::server_request request, http::responder& out) {
        return serve(inner, std::move(request), out);
    };
}

void keep_as_it_is(http::response& answer) { answer.headers.set("Cache-Control", "no-store, no-transform"); }

}  // namespace training_monitor
