#include "guarded_serving/access_options.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/serve/host_name.hpp>

#include "guarded_serving/gate.hpp"

#include <algorithm>

namespace guarded_serving {
namespace {

kcontrol::error bad(std::string why) { return kcontrol::error(kcontrol::errc::invalid_argument, std::move(why)); }

}  // namespace

kcontrol::result<void> access_options::trust_origin(std::string_view text) {
    auto origin = parse_origin(text);
    if (!origin) return origin.error();
    trusted_origins_.push_back(std::move(*origin));
    return {};
}

kcontrol::result<void> access_options::trust_origins(std::string_view list) {
    trusted_origins_.clear();
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        const auto one = list.substr(0, end);
        if (const auto done = trust_origin(one); !done) return done.error().with_context(kcontrol::in_quotes(one));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return {};
}

kcontrol::result<void> check_files(const access_options& o) {
    if (o.tls_cert_file().empty() != o.tls_key_file().empty()) {
        return bad("--tls-cert-file and --tls-private-key-file go together: give both");
    }
    if (!o.client_ca_file().empty() && !o.tls()) {
        return bad(
            "--client-ca-file needs --tls-cert-file and --tls-private-key-file: clients show certificates in TLS");
    }
    return {};
}

kcontrol::result<void> check_listen(const kcontrol::http::listen_address& at, const access_options& o) {
    const auto files = check_files(o);
    if (!files) return files;
    const bool needs_nothing = !at.enabled || kcontrol::http::is_loopback(at.host) || o.insecure_listen();
    if (needs_nothing || (o.tls() && o.login())) return {};
    return bad("--listen " + at.text() + ": beyond loopback this needs --tls-cert-file and " +
               "--tls-private-key-file, and --token-file or --client-ca-file; or --insecure-listen, where something " +
               "before it (a mesh, a proxy) asks who may read");
}

}  // namespace guarded_serving
