#include "guarded_serving/guard.hpp"

#include <kcontrol/json/writer.hpp>
#include <kcontrol/serve/host_name.hpp>
#include <kcontrol/serve/responses.hpp>

namespace guarded_serving {
namespace {

namespace http = kcontrol::http;

// Adds what an admission asks for to every answer.
class admitted_responder final : public http::responder {
public:
    admitted_responder(http::responder& out, const admission& admitted, bool https_only)
        : out_(out), origin_(admitted.allowed_origin), https_only_(https_only) {}

    kcontrol::awaitable<kcontrol::result<void>> send(http::response answer) override {
        add_to(answer.headers);
        return out_.send(std::move(answer));
    }
    kcontrol::awaitable<kcontrol::result<void>> start(http::response_head head) override {
        add_to(head.headers);
        return out_.start(std::move(head));
    }
    kcontrol::awaitable<kcontrol::result<void>> write(std::string piece) override {
        return out_.write(std::move(piece));
    }
    void abort() override { out_.abort(); }
    std::stop_token disconnected() const override { return out_.disconnected(); }
    void admit() override { out_.admit(); }
    bool holds(std::size_t bytes) override { return out_.holds(bytes); }

private:
    void add_to(http::fields& headers) const {
        if (https_only_) headers.set("Strict-Transport-Security", "max-age=31536000");
        const std::string more(headers.get("Vary"));
        headers.set("Vary", "Origin, Sec-Fetch-Site" + (more.empty() ? more : ", " + more));
        if (origin_.empty()) return;
        headers.set("Access-Control-Allow-Origin", origin_);
        headers.set("Access-Control-Allow-Credentials", "true");
        headers.set("Cross-Origin-Resource-Policy", "cross-origin");
    }

    http::responder& out_;
    const std::string& origin_;
    bool https_only_;
};

http::response refusal(const gate_rules& rules, const admission& admitted) {
    switch (admitted.what) {
    case verdict::wrong_host:
        return http::error_response(
            403,
            "this server answers to localhost only; the Host header names another host. Where a "
            "proxy stands before it, name the proxy's address with --trusted-origin");
    case verdict::foreign_site:
        return http::error_response(403, "a page of another site may not read this; --trusted-origin allows it to one");
    case verdict::no_login: {
        auto out =
            http::error_response(401,
                                 "log in: a bearer token (a browser asks for it as a password, with any user name)"
                                 " or a client certificate");
        out.headers.add("WWW-Authenticate", "Bearer realm=\"" + rules.program + "\"");
        out.headers.add("WWW-Authenticate",
                        "Basic realm=\"" + rules.program + ": the token is the password\", charset=\"UTF-8\"");
        return out;
    }
    case verdict::preflight: {
        http::response out(204);
        http::protect(out.headers);
        out.headers.set("Access-Control-Allow-Methods", "GET, HEAD");
        out.headers.set("Access-Control-Allow-Headers", "Authorization, Last-Event-ID, Cache-Control");
        out.headers.set("Access-Control-Max-Age", "600");
        return out;
    }
    case verdict::pass: break;
    }
    return http::error_response(500, "");
}

kcontrol::awaitable<void> serve(const gate_rules& rules, const http::handler& inner, http::server_request request,
                                http::responder& out) {
    const auto admitted = judge(rules, request);
    // Of "localhost" (a port-forward) a browser would keep it for every port, and lock out what else is served there.
    const bool https_only = rules.tls && !http::is_loopback(http::host_of(request.headers.get("Host")));
    admitted_responder guarded(out, admitted, https_only);
    if (admitted.known) out.admit();
    if (admitted.what == verdict::pass) {
        co_await inner(std::move(request), guarded);
    } else {
        auto refused = refusal(rules, admitted);
        (void)co_await guarded.send(std::move(refused));
    }
}

}  // namespace

http::handler guard::before(http::handler inner) {
    return [this, inner = std::move(inner)](http::server_request request, http::responder& out) {
        return serve(rules_, inner, std::move(request), out);
    };
}

}  // namespace guarded_serving
