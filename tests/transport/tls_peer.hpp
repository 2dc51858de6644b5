// Certificates that no authority should issue, and a TLS server that takes its own liberties.
#pragma once

#include "transport/raw_peer.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <doctest/doctest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::test {

/// What a certificate says. Extensions are OpenSSL's texts; an empty one is left out.
class certificate_text {
public:
    certificate_text& name(std::string n) { return name_ = std::move(n), *this; }
    certificate_text& alternatives(std::string text) { return extension(NID_subject_alt_name, std::move(text)); }
    certificate_text& usage(std::string text) { return extension(NID_ext_key_usage, std::move(text)); }
    certificate_text& authority(std::string constraints = "critical,CA:TRUE") {
        alternatives("").usage("").extension(NID_basic_constraints, std::move(constraints));
        return extension(NID_key_usage, "critical,keyCertSign,cRLSign");
    }
    certificate_text& extension(int nid, std::string text) {
        for (auto& [known, value] : extensions_) {
            if (known == nid) return value = std::move(text), *this;
        }
        return extensions_.emplace_back(nid, std::move(text)), *this;
    }
    /// Seconds from now.
    certificate_text& valid(long from, long until) { return from_ = from, until_ = until, *this; }
    certificate_text& rsa(unsigned bits) { return rsa_bits_ = bits, *this; }
    certificate_text& curve(const char* name) { return curve_ = name, *this; }
    certificate_text& digest(const EVP_MD* d) { return digest_ = d, *this; }
    /// Version 1 has no extensions.
    certificate_text& version_1() { return old_ = true, *this; }
    /// A DNS name with whatever bytes, in place of the alternatives.
    certificate_text& raw_name(std::string bytes) { return raw_name_ = std::move(bytes), alternatives(""); }
    /// A critical extension that nobody knows.
    certificate_text& riddle() { return riddle_ = true, *this; }

private:
    friend class crooked_certificate;
    std::string name_ = "server";
    std::vector<std::pair<int, std::string>> extensions_{{NID_basic_constraints, "critical,CA:FALSE"},
                                                         {NID_key_usage, "critical,digitalSignature"},
                                                         {NID_ext_key_usage, "serverAuth"},
                                                         {NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1"}};
    long from_ = -3600, until_ = 86'400;
    unsigned rsa_bits_ = 0;  // 0: EC
    const char* curve_ = "P-256";
    const EVP_MD* digest_ = EVP_sha256();
    std::string raw_name_;
    bool old_ = false;
    bool riddle_ = false;
};

class crooked_certificate {
public:
    /// Signed by `issuer`, or by itself.
    explicit crooked_certificate(const certificate_text& text, const crooked_certificate* issuer = nullptr)
        : key_(text.rsa_bits_ != 0 ? EVP_RSA_gen(text.rsa_bits_) : EVP_EC_gen(text.curve_), &EVP_PKEY_free),
          certificate_(X509_new(), &X509_free) {
        REQUIRE(key_ != nullptr);
        X509* const own = certificate_.get();
        X509* const signer = issuer != nullptr ? issuer->certificate_.get() : own;
        static long serial = 1000;
        X509_set_version(own, text.old_ ? X509_VERSION_1 : X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(own), ++serial);
        X509_gmtime_adj(X509_getm_notBefore(own), text.from_);
        X509_gmtime_adj(X509_getm_notAfter(own), text.until_);
        X509_set_pubkey(own, key_.get());
        X509_NAME_add_entry_by_txt(X509_get_subject_name(own), "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(text.name_.c_str()), -1, -1, 0);
        X509_set_issuer_name(own, X509_get_subject_name(signer));
        for (const auto& [nid, value] : text.extensions_) {
            if (!value.empty() && !text.old_) add(own, signer, nid, value);
        }
        if (text.riddle_) add_riddle(own);
        if (!text.raw_name_.empty()) add_name(own, text.raw_name_);
        EVP_PKEY* const with = issuer != nullptr ? issuer->key_.get() : key_.get();
        REQUIRE(X509_sign(own, with, text.digest_) != 0);
    }

    std::string pem() const {
        return written([this](BIO* out) { PEM_write_bio_X509(out, certificate_.get()); });
    }
    /// As pem(), but for its signature's last bit.
    std::string tampered_pem() const {
        unsigned char* der = nullptr;
        const int size = i2d_X509(certificate_.get(), &der);
        REQUIRE(size > 0);
        der[size - 1] ^= 1;
        const unsigned char* from = der;
        const std::unique_ptr<X509, decltype(&X509_free)> changed(d2i_X509(nullptr, &from, size), &X509_free);
        OPENSSL_free(der);
        REQUIRE(changed != nullptr);
        return written([&](BIO* out) { PEM_write_bio_X509(out, changed.get()); });
    }
    std::string encrypted_key_pem(std::string passphrase) const {
        return written([&](BIO* out) {
            PEM_write_bio_PKCS8PrivateKey(out, key_.get(), EVP_aes_128_cbc(), passphrase.data(),
                                          static_cast<int>(passphrase.size()), nullptr, nullptr);
        });
    }
    /// From now on `used`, a certificate of somebody's context, speaks of this one's key, and `issuer` says so.
    void take_over(X509* used, const crooked_certificate& issuer) const {
        X509_set_pubkey(used, key_.get());
        REQUIRE(X509_sign(used, issuer.key_.get(), EVP_sha256()) != 0);
    }
    std::string key_pem() const {
        return written(
            [this](BIO* out) { PEM_write_bio_PrivateKey(out, key_.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    }

private:
    static void add(X509* to, X509* signer, int nid, const std::string& value) {
        X509V3_CTX context;
        X509V3_set_ctx_nodb(&context);
        X509V3_set_ctx(&context, signer, to, nullptr, nullptr, 0);
        X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
        REQUIRE_MESSAGE(extension != nullptr, value);
        X509_add_ext(to, extension, -1);
        X509_EXTENSION_free(extension);
    }

    static void add_name(X509* to, const std::string& bytes) {
        GENERAL_NAMES* names = GENERAL_NAMES_new();
        GENERAL_NAME* name = GENERAL_NAME_new();
        ASN1_IA5STRING* text = ASN1_IA5STRING_new();
        ASN1_STRING_set(text, bytes.data(), static_cast<int>(bytes.size()));
        GENERAL_NAME_set0_value(name, GEN_DNS, text);
        sk_GENERAL_NAME_push(names, name);
        X509_add1_ext_i2d(to, NID_subject_alt_name, names, 0, 0);
        GENERAL_NAMES_free(names);
    }

    static void add_riddle(X509* to) {
        ASN1_OBJECT* name = OBJ_txt2obj("1.2.3.4.5.6", 1);
        ASN1_OCTET_STRING* data = ASN1_OCTET_STRING_new();
        ASN1_OCTET_STRING_set(data, reinterpret_cast<const unsigned char*>("?"), 1);
        X509_EXTENSION* extension = X509_EXTENSION_create_by_OBJ(nullptr, name, 1, data);
        X509_add_ext(to, extension, -1);
        X509_EXTENSION_free(extension);
        ASN1_OCTET_STRING_free(data);
        ASN1_OBJECT_free(name);
    }

    template <class Write>
    static std::string written(Write write) {
        const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
        write(out.get());
        char* data = nullptr;
        const long size = BIO_get_mem_data(out.get(), &data);
        return std::string(data, static_cast<std::size_t>(size));
    }

    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
    std::unique_ptr<X509, decltype(&X509_free)> certificate_;
};

/// Answers each request with the same bytes, over TLS of whatever version and strength is asked of it, and ends as it
/// likes.
class tls_peer {
public:
    enum class end {
        proper,       ///< close_notify, then FIN
        cut,          ///< FIN alone
        raw,          ///< bytes as they are, outside of TLS, then FIN
        renegotiated  ///< asks for another handshake, which takes TLS 1.2
    };
    using tune = std::function<void(SSL_CTX*)>;

    tls_peer(boost::asio::io_context& context, const std::string& chain_pem, const std::string& key_pem,
             std::string answer, end how = end::proper, int newest = TLS1_3_VERSION, const tune& settings = {})
        : state_(std::make_shared<state>(context, std::move(answer), how)) {
        SSL_CTX* tls = state_->tls.native_handle();
        SSL_CTX_set_security_level(tls, 0);
        SSL_CTX_set_min_proto_version(tls, TLS1_VERSION);
        SSL_CTX_set_max_proto_version(tls, newest);
        SSL_CTX_set_cipher_list(tls, "DEFAULT:@SECLEVEL=0");
        state_->tls.use_certificate_chain(boost::asio::buffer(chain_pem));
        state_->tls.use_private_key(boost::asio::buffer(key_pem), boost::asio::ssl::context::pem);
        if (settings) settings(tls);
        boost::asio::co_spawn(context, accept(state_), boost::asio::detached);
    }
    ~tls_peer() { state_->acceptor.close(); }

    /// What end::raw sends.
    void raw(std::string bytes) { state_->bytes = std::move(bytes); }

    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
    int connections() const { return state_->connections; }
    int requests() const { return state_->requests; }
    int renegotiations() const { return state_->renegotiations; }
    /// All that was read inside of TLS.
    const std::string& seen() const { return state_->seen; }
    /// The server name that was asked for last; "-" if none was.
    const std::string& asked_for() const { return state_->asked_for; }

private:
    using stream = boost::asio::ssl::stream<tcp::socket>;
    struct state {
        state(boost::asio::io_context& context, std::string text, end how_then)
            : acceptor(context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)),
              tls(boost::asio::ssl::context::tls_server),
              answer(std::move(text)),
              how(how_then) {}
        tcp::acceptor acceptor;
        boost::asio::ssl::context tls;
        std::string answer, asked_for, bytes, seen;
        end how;
        int connections = 0, requests = 0, renegotiations = 0;
    };

    // The end of the last handshake, as the client said it.
    static std::string finished(stream& peer) {
        std::string out(EVP_MAX_MD_SIZE, '\0');
        out.resize(SSL_get_peer_finished(peer.native_handle(), out.data(), out.size()));
        return out;
    }

    static awaitable<void> accept(std::shared_ptr<state> s) {
        for (;;) {
            auto outcome = co_await s->acceptor.async_accept(no_throw);
            auto& [failure, socket] = outcome;
            if (failure) co_return;
            ++s->connections;
            boost::asio::co_spawn(s->acceptor.get_executor(), serve(s, std::move(socket)), boost::asio::detached);
        }
    }

    static awaitable<void> serve(std::shared_ptr<state> s, tcp::socket socket) {
        stream peer(std::move(socket), s->tls);
        const auto shaken = co_await peer.async_handshake(boost::asio::ssl::stream_base::server, no_throw);
        if (std::get<0>(shaken)) co_return;
        const char* name = SSL_get_servername(peer.native_handle(), TLSEXT_NAMETYPE_host_name);
        s->asked_for = name != nullptr ? name : "-";
        std::string request;
        char buffer[4096];
        while (request.find("\r\n\r\n") == std::string::npos) {
            const auto outcome = co_await peer.async_read_some(boost::asio::buffer(buffer), no_throw);
            const auto& [failure, n] = outcome;
            if (failure) co_return;
            request.append(buffer, n);
            s->seen.append(buffer, n);
        }
        ++s->requests;
        co_await boost::asio::async_write(peer, boost::asio::buffer(s->answer), no_throw);
        if (s->how == end::proper) {
            co_await peer.async_shutdown(no_throw);
        } else if (s->how == end::renegotiated) {
            const std::string before = finished(peer);
            SSL_renegotiate(peer.native_handle());
            co_await peer.async_handshake(boost::asio::ssl::stream_base::server, no_throw);  // says that it wants one
            co_await peer.async_read_some(boost::asio::buffer(buffer), no_throw);            // takes part in it
            if (finished(peer) != before) ++s->renegotiations;
        } else {
            if (s->how == end::raw) co_await write_text(peer.next_layer(), s->bytes);
            boost::system::error_code ignored;
            peer.next_layer().shutdown(tcp::socket::shutdown_send, ignored);
        }
    }

    std::shared_ptr<state> state_;
};

}  // namespace kcontrol::test
