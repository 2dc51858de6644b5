#include "guarded_serving/access_options.hpp"

#include "guarded_serving/gate.hpp"

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

}  // namespace guarded_serving
