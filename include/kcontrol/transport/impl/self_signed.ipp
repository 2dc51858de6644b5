#pragma once

#include <kcontrol/transport/impl/tls_context.ipp>
#include <kcontrol/transport/self_signed.hpp>

#include <openssl/rand.h>

namespace kcontrol::inline v0_1::http {
namespace detail {

inline std::string pem_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return std::string(data, static_cast<std::size_t>(size));
}

// An empty one is left out. OpenSSL refuses what X.520 has no room for, and what is not UTF-8.
inline result<void> add_name(X509_NAME* name, const char* field, const std::string& value) {
    if (value.empty()) return {};
    ERR_clear_error();
    const auto* const text = reinterpret_cast<const unsigned char*>(value.data());
    const int size = static_cast<int>(value.size());
    if (X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, text, size, -1, 0) == 1) return {};
    return error(errc::invalid_argument, std::string("the subject's ") + field + " of " + std::to_string(value.size()) +
                                             " bytes can't stand in a certificate: " + take_openssl_reason() +
                                             "; give at most " + std::to_string(certificate_options::max_name) +
                                             " characters, as UTF-8");
}

inline bool add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    if (!extension) return false;
    const bool added = X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

inline void set_time(ASN1_TIME* field, wall_time at) {
    ASN1_TIME_set(field, std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count());
}

// "DNS:a,IP:b". A comma inside a name would smuggle in another entry, so such a name is refused.
inline result<std::string> alternative_names(const certificate_options& options) {
    std::string text;
    for (const auto& name : options.dns()) {
        if (name.empty() || name.find_first_of(",:\n") != std::string::npos) {
            return error(errc::invalid_argument, "\"" + name + "\" is not a DNS name");
        }
        text += (text.empty() ? "DNS:" : ",DNS:") + name;
    }
    for (const auto& address : options.ips()) {
        error_code failure;
        boost::asio::ip::make_address(address, failure);
        if (failure) return error(errc::invalid_argument, "\"" + address + "\" is not an IP address");
        text += (text.empty() ? "IP:" : ",IP:") + address;
    }
    return text;
}

// Null issuer: the certificate signs itself and is an authority.
inline result<key_and_certificate> make_certificate(const certificate_options& options, X509* issuer,
                                                    EVP_PKEY* issuer_key) {
    const auto names = alternative_names(options);
    if (!names) return names.error();
    const openssl_ptr<EVP_PKEY> key(EVP_EC_gen("P-256"));
    const openssl_ptr<X509> certificate(X509_new());
    unsigned char serial[8] = {};
    if (!key || !certificate || RAND_bytes(serial, sizeof serial) != 1) return no_context();
    std::uint64_t number = 0;
    for (const unsigned char byte : serial) number = number << 8 | byte;

    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), number >> 1 | 1);
    set_time(X509_getm_notBefore(certificate.get()), options.not_before());
    set_time(X509_getm_notAfter(certificate.get()), options.not_after());
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    for (const auto& group : options.organizations()) {
        if (const auto added = add_name(subject, "O", group); !added) return added.error();
    }
    if (const auto added = add_name(subject, "CN", options.common_name()); !added) return added.error();

    X509* const signer = issuer ? issuer : certificate.get();
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer));
    bool ok = add_extension(certificate.get(), signer, NID_subject_key_identifier, "hash");
    if (issuer) {
        ok = ok && add_extension(certificate.get(), signer, NID_authority_key_identifier, "keyid") &&
             add_extension(certificate.get(), signer, NID_basic_constraints, "critical,CA:FALSE") &&
             add_extension(certificate.get(), signer, NID_key_usage, "critical,digitalSignature") &&
             add_extension(certificate.get(), signer, NID_ext_key_usage,
                           options.for_client() ? "clientAuth" : "serverAuth");
    } else {
        ok = ok && add_extension(certificate.get(), signer, NID_basic_constraints, "critical,CA:TRUE") &&
             add_extension(certificate.get(), signer, NID_key_usage, "critical,keyCertSign,cRLSign");
    }
    if (!names->empty()) ok = ok && add_extension(certificate.get(), signer, NID_subject_alt_name, *names);
    ok = ok && X509_sign(certificate.get(), issuer ? issuer_key : key.get(), EVP_sha256()) != 0;

    const openssl_ptr<BIO> certificate_out(BIO_new(BIO_s_mem()));
    const openssl_ptr<BIO> key_out(BIO_new(BIO_s_secmem()));
    ok = ok && PEM_write_bio_X509(certificate_out.get(), certificate.get()) == 1 &&
         PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1;
    if (!ok) return error(errc::tls_failed, "a certificate can't be made: " + take_openssl_reason());
    return key_and_certificate(pem_of(certificate_out.get()), secret_string(pem_of(key_out.get())));
}

}  // namespace detail

KCONTROL_DECL result<certificate_authority> certificate_authority::create(const certificate_options& options) {
    auto made = detail::make_certificate(options, nullptr, nullptr);
    if (!made) return made.error();
    certificate_authority authority;
    authority.own_ = std::move(*made);
    return authority;
}

KCONTROL_DECL result<certificate_authority> certificate_authority::load(key_and_certificate own) {
    const auto certificate_in = detail::memory_bio(own.cert_pem);
    const auto key_in = detail::memory_bio(own.key_pem.reveal());
    const detail::openssl_ptr<X509> certificate(PEM_read_bio_X509(certificate_in.get(), nullptr, nullptr, nullptr));
    const detail::openssl_ptr<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
    if (!certificate || !key || X509_check_private_key(certificate.get(), key.get()) != 1) {
        static_cast<void>(detail::take_openssl_reason());
        return error(errc::invalid_config, "this is no certificate of an authority with its key, as PEM");
    }
    certificate_authority authority;
    authority.own_ = std::move(own);
    return authority;
}

KCONTROL_DECL result<key_and_certificate> certificate_authority::issue(const certificate_options& options) const {
    const auto certificate_in = detail::memory_bio(own_.cert_pem);
    const auto key_in = detail::memory_bio(own_.key_pem.reveal());
    const detail::openssl_ptr<X509> certificate(PEM_read_bio_X509(certificate_in.get(), nullptr, nullptr, nullptr));
    const detail::openssl_ptr<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
    if (!certificate || !key) return detail::no_context();
    return detail::make_certificate(options, certificate.get(), key.get());
}

}  // namespace kcontrol::http
