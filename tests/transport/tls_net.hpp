// What tests of certificates share: a client that asks a TLS peer, and a tree of certificates.
#pragma once

#include "transport/fixture.hpp"
#include "transport/tls_peer.hpp"

#include <string>

namespace kcontrol::test {

inline const std::string small = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

class tls_net : public loopback {
public:
    result<http::response> get_from(const tls_peer& peer, const std::string& ca, const std::string& name = {},
                                    const std::string& host = "127.0.0.1") {
        http::tls_options tls;
        tls.ca_pem(ca).server_name(name);
        const auto factory = http::make_transport_factory(env);
        const auto client = factory(ex(), http::endpoint("https", host, peer.port()), tls);
        if (!client) return client.error();
        http::request req("GET", "/");
        req.headers.set("Authorization", "Bearer canary");
        return call(**client, req);
    }
};

/// A root, an intermediate that it signed, and leaves.
class tree {
public:
    explicit tree(const char* name = "root") : root(certificate_text().name(name).authority()) {}
    crooked_certificate root;
    crooked_certificate between{certificate_text().name("between").authority(), &root};
    crooked_certificate leaf{certificate_text(), &root};
    crooked_certificate deep_leaf{certificate_text(), &between};
};

}  // namespace kcontrol::test
