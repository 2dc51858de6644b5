// Certificates that must not be believed: S01 of reliability's security plan, over sockets. tls_test.cpp has its first
// rows: what an authority of ours issues.
#include <kcontrol/testing/temporary_directory.hpp>

#include "transport/tls_net.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evperr.h>
#include <openssl/param_build.h>

#include <cstdlib>
#include <functional>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// OpenSSL's word for a signature that is not the key's.
#ifdef EVP_R_PROVIDER_SIGNATURE_FAILURE
constexpr const char* wrong_signature = "provider signature failure";
#else
constexpr const char* wrong_signature = "bad signature";
#endif

// RFC 2409's second group.
EVP_PKEY* weak_group() {
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> p(BN_get_rfc2409_prime_1024(nullptr), &BN_free);
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> g(BN_new(), &BN_free);
    BN_set_word(g.get(), 2);
    const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> made(OSSL_PARAM_BLD_new(),
                                                                               &OSSL_PARAM_BLD_free);
    OSSL_PARAM_BLD_push_BN(made.get(), OSSL_PKEY_PARAM_FFC_P, p.get());
    OSSL_PARAM_BLD_push_BN(made.get(), OSSL_PKEY_PARAM_FFC_G, g.get());
    const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> numbers(OSSL_PARAM_BLD_to_param(made.get()),
                                                                          &OSSL_PARAM_free);
    const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> by(
        EVP_PKEY_CTX_new_from_name(nullptr, "DH", nullptr), &EVP_PKEY_CTX_free);
    EVP_PKEY* out = nullptr;
    REQUIRE(EVP_PKEY_fromdata_init(by.get()) == 1);
    REQUIRE(EVP_PKEY_fromdata(by.get(), &out, EVP_PKEY_KEY_PARAMETERS, numbers.get()) == 1);
    return out;
}

}  // namespace

TEST_CASE("S01 servers that are refused whatever else is right") {
    tree all;
    struct row {
        const char* what;
        std::string chain;  // the server's
        std::string key;
        std::string ca;    // what the client trusts
        const char* text;  // a part of the error
        std::string name = {};
        int newest = TLS1_3_VERSION;
        tls_peer::tune settings = {};
    };
    std::vector<row> rows;
    const auto add = [&](const char* what, const certificate_text& text, const char* why, std::string name = {}) {
        const crooked_certificate made(text, &all.root);
        rows.push_back({what, made.pem(), made.key_pem(), all.root.pem(), why, std::move(name)});
    };
    const auto under = [&](const char* what, const certificate_text& authority, const char* why) {
        const crooked_certificate issuer(authority, &all.root);
        const crooked_certificate made(certificate_text(), &issuer);
        rows.push_back({what, made.pem() + issuer.pem(), made.key_pem(), all.root.pem(), why});
    };

    const crooked_certificate self_signed{certificate_text()};
    rows.push_back({"self-signed, and another one is trusted", self_signed.pem(), self_signed.key_pem(), all.root.pem(),
                    "self-signed certificate"});
    rows.push_back({"self-signed, and nothing is given: the system's roots count", self_signed.pem(),
                    self_signed.key_pem(), "", "self-signed certificate"});
    rows.push_back({"the intermediate is missing", all.deep_leaf.pem(), all.deep_leaf.key_pem(), all.root.pem(),
                    "unable to get local issuer"});
    rows.push_back({"the server sends its own root along", all.leaf.pem() + all.root.pem(), all.leaf.key_pem(),
                    crooked_certificate(certificate_text().name("other").authority()).pem(),
                    "self-signed certificate in certificate chain"});
    const crooked_certificate impostor{certificate_text().name("root").authority()};
    const crooked_certificate forged{certificate_text(), &impostor};
    rows.push_back({"signed by another authority of the same name", forged.pem(), forged.key_pem(), all.root.pem(),
                    "certificate signature failure"});
    const crooked_certificate late{certificate_text().name("late").authority().valid(-7200, -3600)};
    const crooked_certificate late_leaf{certificate_text(), &late};
    rows.push_back({"the authority itself has expired", late_leaf.pem(), late_leaf.key_pem(), late.pem(),
                    "certificate has expired"});

    under("the intermediate has expired", certificate_text().name("i").authority().valid(-7200, -3600),
          "certificate has expired");
    under("the intermediate is not yet valid", certificate_text().name("i").authority().valid(3600, 7200),
          "not yet valid");
    under("the intermediate is no authority", certificate_text().name("i"), "is refused");
    under("the intermediate may not sign certificates",
          certificate_text().name("i").authority().extension(NID_key_usage, "critical,digitalSignature"), "is refused");
    under("the intermediate is for other names",
          certificate_text().name("i").authority().extension(
              NID_name_constraints, "critical,permitted;DNS:example.org,excluded;IP:0.0.0.0/0.0.0.0"),
          "subtree violation");
    under("the intermediate's key is weak", certificate_text().name("i").authority().rsa(1024), "too ");
    const crooked_certificate shallow{certificate_text().name("shallow").authority("critical,CA:TRUE,pathlen:0")};
    const crooked_certificate below{certificate_text().name("below").authority(), &shallow};
    const crooked_certificate too_deep{certificate_text(), &below};
    rows.push_back({"the path is longer than its root allows", too_deep.pem() + below.pem(), too_deep.key_pem(),
                    shallow.pem(), "path length constraint"});

    add("a weak key", certificate_text().rsa(1024), "too ");
    add("a signature with SHA-1", certificate_text().digest(EVP_sha1()), "too ");
    const crooked_certificate rsa_root{certificate_text().name("rsa").authority().rsa(2048)};
    const crooked_certificate md5{certificate_text().digest(EVP_md5()), &rsa_root};
    rows.push_back({"a signature with MD5", md5.pem(), md5.key_pem(), rsa_root.pem(), "too "});
    add("made for clients", certificate_text().usage("clientAuth"), "purpose");
    add("made for signing code", certificate_text().usage("codeSigning"), "purpose");
    add("a critical extension that nobody knows", certificate_text().riddle(), "critical extension");
    add("the name in CN only", certificate_text().name("localhost").alternatives(""), "mismatch", "localhost");
    add("the address in CN only", certificate_text().name("127.0.0.1").alternatives(""), "mismatch");
    add("the address as a DNS name", certificate_text().alternatives("DNS:127.0.0.1"), "mismatch");
    add("a wildcard for an address", certificate_text().alternatives("DNS:*.0.0.1"), "mismatch");
    add("a wildcard reaches one label", certificate_text().alternatives("DNS:*.example.org"), "mismatch",
        "a.b.example.org");
    add("a wildcard is no empty label", certificate_text().alternatives("DNS:*.example.org"), "mismatch",
        "example.org");
    add("a wildcard inside a name", certificate_text().alternatives("DNS:a.*.example.org"), "mismatch",
        "a.b.example.org");
    add("a wildcard beside letters", certificate_text().alternatives("DNS:a*.example.org"), "mismatch",
        "ab.example.org");
    add("nothing but a wildcard", certificate_text().alternatives("DNS:*"), "mismatch", "localhost");
    add("a name that only begins so", certificate_text().alternatives("DNS:api.example.org.evil.com"), "mismatch",
        "api.example.org");
    add("expired by a second", certificate_text().valid(-7200, -1), "expired");
    add("not yet valid", certificate_text().valid(60, 3600), "not yet valid");
    add("made for mail", certificate_text().usage("emailProtection"), "purpose");
    add("made for time stamps", certificate_text().usage("critical,timeStamping"), "purpose");
    add("its key may only sign certificates", certificate_text().extension(NID_key_usage, "critical,keyCertSign"),
        "purpose");
    add("another name", certificate_text().alternatives("DNS:example.org"), "mismatch", "localhost");
    add("another address", certificate_text().alternatives("IP:127.0.0.2,DNS:localhost"), "mismatch");
    add("the address in its form of IPv6", certificate_text().alternatives("IP:::ffff:127.0.0.1"), "mismatch");
    add("a wildcard for a top-level domain", certificate_text().alternatives("DNS:*.org"), "mismatch", "example.org");
    add("a wildcard for another label", certificate_text().alternatives("DNS:api.*.org"), "mismatch",
        "api.example.org");
    add("the name as a URI", certificate_text().alternatives("URI:https://api.example.org"), "mismatch",
        "api.example.org");
    add("the name in a mail address", certificate_text().alternatives("email:a@api.example.org"), "mismatch",
        "api.example.org");
    add("the name before a NUL", certificate_text().raw_name(std::string("api.example.org\0.evil.com", 25)), "mismatch",
        "api.example.org");
    add("the name and a NUL", certificate_text().raw_name(std::string("api.example.org\0", 16)), "mismatch",
        "api.example.org");
    add("a weak curve", certificate_text().curve("P-192"), "handshake failure");
    under("the intermediate is for clients", certificate_text().name("i").authority().usage("clientAuth"),
          "is refused");
    under("the intermediate's name is excluded",
          certificate_text().name("i").authority().extension(NID_name_constraints, "critical,excluded;DNS:localhost"),
          "subtree violation");
    under("the intermediate's address is excluded",
          certificate_text().name("i").authority().extension(NID_name_constraints,
                                                             "critical,excluded;IP:127.0.0.0/255.0.0.0"),
          "subtree violation");
    under("the intermediate is of a time without extensions", certificate_text().name("i").version_1(), "is refused");
    under("the intermediate was signed with SHA-1", certificate_text().name("i").authority().digest(EVP_sha1()),
          "too ");
    const crooked_certificate last{certificate_text().name("last").authority("critical,CA:TRUE,pathlen:0"), &all.root};
    const crooked_certificate beyond{certificate_text().name("beyond").authority(), &last};
    const crooked_certificate beyond_leaf{certificate_text(), &beyond};
    rows.push_back({"the path is longer than an intermediate allows", beyond_leaf.pem() + beyond.pem() + last.pem(),
                    beyond_leaf.key_pem(), all.root.pem(), "path length constraint"});
    const crooked_certificate weak_root{certificate_text().name("weak root").authority().rsa(1024)};
    const crooked_certificate under_weak{certificate_text(), &weak_root};
    rows.push_back({"the root's key is weak", under_weak.pem(), under_weak.key_pem(), weak_root.pem(), "too "});
    rows.push_back({"changed after it was signed", all.leaf.tampered_pem(), all.leaf.key_pem(), all.root.pem(),
                    "certificate signature failure"});
    std::string crowd = all.leaf.pem();
    for (int i = 0; i < 1000; ++i) crowd += all.between.pem();
    rows.push_back({"a chain of 1000", crowd, all.leaf.key_pem(), all.root.pem(), "excessive message size"});

    const auto with = [&](const char* what, tls_peer::tune settings, const char* why, int newest = TLS1_2_VERSION) {
        rows.push_back(
            {what, all.leaf.pem(), all.leaf.key_pem(), all.root.pem(), why, {}, newest, std::move(settings)});
    };
    const auto ciphers = [](const char* list) {
        return [list](SSL_CTX* tls) { REQUIRE(SSL_CTX_set_cipher_list(tls, list) == 1); };
    };
    for (const int newest : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        with(
            "the key is somebody else's",
            [&](SSL_CTX* tls) {
                static const crooked_certificate another{certificate_text()};
                another.take_over(SSL_CTX_get0_certificate(tls), all.root);
            },
            wrong_signature, newest);
    }
    with("nobody shows a certificate", ciphers("aNULL:@SECLEVEL=0"), "handshake failure");
    with("nothing is encrypted", ciphers("eNULL:@SECLEVEL=0"), "handshake failure");
    with(
        "the handshake is signed with SHA-1",
        [](SSL_CTX* tls) { REQUIRE(SSL_CTX_set1_sigalgs_list(tls, "ECDSA+SHA1") == 1); }, "handshake failure");
    const crooked_certificate rsa_leaf{certificate_text().rsa(2048), &all.root};
    rows.push_back({"a Diffie-Hellman group of 1024 bits",
                    rsa_leaf.pem(),
                    rsa_leaf.key_pem(),
                    all.root.pem(),
                    "dh key too small",
                    {},
                    TLS1_2_VERSION,
                    [](SSL_CTX* tls) {
                        REQUIRE(SSL_CTX_set_cipher_list(tls, "kDHE:@SECLEVEL=0") == 1);
                        REQUIRE(SSL_CTX_set0_tmp_dh_pkey(tls, weak_group()) == 1);
                    }});
    const auto alert = [](SSL*, int* code, void* which) {
        *code = *static_cast<const int*>(which);
        return SSL_CLIENT_HELLO_ERROR;
    };
    static const int insists_on_h2 = SSL_AD_NO_APPLICATION_PROTOCOL, unknown_name = SSL_AD_UNRECOGNIZED_NAME;
    const auto refusing = [&](const int& code) {
        return [&, code = &code](SSL_CTX* tls) { SSL_CTX_set_client_hello_cb(tls, alert, const_cast<int*>(code)); };
    };
    with("it wants HTTP/2, which nobody offers", refusing(insists_on_h2), "no application protocol", TLS1_3_VERSION);
    with("it knows no server of that name", refusing(unknown_name), "unrecognized name", TLS1_3_VERSION);
    for (const int newest : {TLS1_VERSION, TLS1_1_VERSION}) {
        rows.push_back({newest == TLS1_VERSION ? "TLS 1.0" : "TLS 1.1",
                        all.leaf.pem(),
                        all.leaf.key_pem(),
                        all.root.pem(),
                        "protocol",
                        {},
                        newest});
    }

    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        tls_net net;
        tls_peer peer(net.context, row.chain, row.key, small, tls_peer::end::proper, row.newest, row.settings);
        const auto got = net.get_from(peer, row.ca, row.name);
        REQUIRE(!got.has_value());
        CHECK_MESSAGE(got.error() == errc::tls_failed, got.error().what());
        CHECK_MESSAGE(has(text_of(got.error()), row.text), got.error().what());
        CHECK_MESSAGE(has(text_of(got.error()), "https://127.0.0.1:" + std::to_string(peer.port())),
                      got.error().what());
        CHECK(!has(text_of(got.error()), "canary"));
        CHECK(peer.connections() == 1);
        CHECK(peer.seen().empty());
    }
    MESSAGE(rows.size() << " servers were refused");
}

TEST_CASE("S01 servers that are accepted, so that the rows above can fail") {
    tree all;
    const crooked_certificate wild{certificate_text().alternatives("DNS:*.example.org"), &all.root};
    const crooked_certificate plain{certificate_text().usage(""), &all.root};
    const crooked_certificate rsa{certificate_text().rsa(2048), &all.root};
    struct row {
        const char* what;
        std::string chain, key;
        std::string ca;
        std::string name = {};
        int newest = TLS1_3_VERSION;
    };
    const row rows[] = {
        {"as it should be", all.leaf.pem(), all.leaf.key_pem(), all.root.pem()},
        {"with its intermediate", all.deep_leaf.pem() + all.between.pem(), all.deep_leaf.key_pem(), all.root.pem()},
        {"the intermediate is trusted", all.deep_leaf.pem(), all.deep_leaf.key_pem(), all.between.pem()},
        {"a wildcard", wild.pem(), wild.key_pem(), all.root.pem(), "api.example.org"},
        {"for any purpose", plain.pem(), plain.key_pem(), all.root.pem()},
        {"RSA of 2048 bits", rsa.pem(), rsa.key_pem(), all.root.pem()},
        {"TLS 1.2", all.leaf.pem(), all.leaf.key_pem(), all.root.pem(), {}, TLS1_2_VERSION},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        tls_net net;
        tls_peer peer(net.context, row.chain, row.key, small, tls_peer::end::proper, row.newest);
        const auto got = net.get_from(peer, row.ca, row.name);
        REQUIRE_MESSAGE(got.has_value(), got.error().what());
        CHECK(got->body == "hi");
    }
}

TEST_CASE("S01 a CA that is given is the only one: the system's roots do not count beside it") {
    tree system("system root"), own("own root");
    testing::temporary_directory directory;
    directory.write("roots.pem", system.root.pem());
    const char* before = std::getenv("SSL_CERT_FILE");  // seam: ok, OpenSSL reads its roots from there
    const std::string kept = before != nullptr ? before : "";
    ::setenv("SSL_CERT_FILE", directory.path("roots.pem").c_str(), 1);  // seam: ok, as above
    tls_net net;
    tls_peer peer(net.context, system.leaf.pem(), system.leaf.key_pem(), small);
    const auto by_system = net.get_from(peer, "");
    const auto by_other = net.get_from(peer, own.root.pem());
    const auto by_both = net.get_from(peer, own.root.pem() + system.root.pem());
    if (before != nullptr) {
        ::setenv("SSL_CERT_FILE", kept.c_str(), 1);  // seam: ok, as above
    } else {
        ::unsetenv("SSL_CERT_FILE");  // seam: ok, as above
    }
    CHECK_MESSAGE(by_system.has_value(), by_system.error().what());
    CHECK(by_both.has_value());
    REQUIRE(!by_other.has_value());
    CHECK(by_other.error() == errc::tls_failed);
    CHECK_MESSAGE(has(text_of(by_other.error()), "unable to get local issuer"), by_other.error().what());
}
