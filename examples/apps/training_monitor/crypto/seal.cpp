#include "crypto/seal.hpp"

#include "crypto/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <unistd.h>

namespace training_monitor::crypto {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

// version 1 | fingerprint 8 | nonce 12 | ciphertext | tag 16
constexpr char version = 1;
constexpr std::size_t fingerprint_size = 8, nonce_size = 12, tag_size = 16;
constexpr std::size_t head_size = 1 + fingerprint_size + nonce_size;

struct free_context {
    void operator()(EVP_CIPHER_CTX* c) const { EVP_CIPHER_CTX_free(c); }
};
using context = std::unique_ptr<EVP_CIPHER_CTX, free_context>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// OpenSSL fails at these only without memory or without its provider.
void must(int done) {
    if (done != 1) throw std::bad_alloc();
}

}  // namespace

// One way: it tells nothing of the key.
std::string seal_key::fingerprint() const {
    return hmac_sha256(key_.reveal(), "training_monitor seal key").substr(0, fingerprint_size);
}

result<seal_key> seal_key::load(kcontrol::environment& env, const std::string& path) {
    auto text = env.read_file(path, 4096);
    if (!text) return text.error().with_context("key file");
    kcontrol::secret_string key(std::move(*text));
    if (key.reveal().size() != bytes) {
        return error(errc::invalid_config, "key file " + path + " holds " + std::to_string(key.reveal().size()) +
                                               " bytes, not 32: `training_monitor cluster init-key FILE` makes one");
    }
    return seal_key(std::move(key));
}

result<void> seal_key::make(const std::string& path) {
    std::array<unsigned char, bytes> key{};
    must(RAND_bytes(key.data(), static_cast<int>(key.size())));
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int failure = fd < 0 ? errno : 0;
    if (fd >= 0) {
        const bool whole = ::write(fd, key.data(), key.size()) == static_cast<ssize_t>(key.size()) && ::fsync(fd) == 0;
        if (!whole) failure = errno;
        if (::close(fd) != 0 && failure == 0) failure = errno;
        if (failure != 0) ::unlink(path.c_str());
    }
    OPENSSL_cleanse(key.data(), key.size());
    if (failure == EEXIST) {
        return error(errc::file_failed, "key file " + path +
                                            " is there already; what it sealed opens with it only, so "
                                            "it is left as it is: give another name");
    }
    if (failure != 0) return error(errc::file_failed, "can't write " + path + ": " + std::strerror(failure));
    return {};
}

std::string seal_key::seal(std::string_view plain, std::string_view bound_to) const {
    std::string out(1, version);
    out += fingerprint();
    out.resize(head_size + plain.size() + tag_size);
    unsigned char* const nonce = bytes_of(out) + 1 + fingerprint_size;
    must(RAND_bytes(nonce, nonce_size));
    const context c(EVP_CIPHER_CTX_new());
    must(c ? 1 : 0);
    int size = 0;
    must(EVP_EncryptInit_ex(c.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key_.reveal()), nonce));
    must(EVP_EncryptUpdate(c.get(), nullptr, &size, bytes_of(bound_to), static_cast<int>(bound_to.size())));
    must(EVP_EncryptUpdate(c.get(), bytes_of(out) + head_size, &size, bytes_of(plain), static_cast<int>(plain.size())));
    unsigned char* const end = bytes_of(out) + head_size + plain.size();
    must(EVP_EncryptFinal_ex(c.get(), end, &size));
    must(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_GCM_GET_TAG, tag_size, end));
    return out;
}

result<kcontrol::secret_string> seal_key::open(std::string_view sealed, std::string_view bound_to) const {
    const error damaged(errc::invalid_config,
                        "the sealed text is damaged, or was changed or moved by somebody without "
                        "the key: put it there anew");
    if (sealed.size() < head_size + tag_size || sealed[0] != version) return damaged;
    if (sealed.substr(1, fingerprint_size) != fingerprint()) {
        return error(errc::invalid_config, "it was sealed with another key: give that one with --key-file");
    }
    const auto* nonce = bytes_of(sealed) + 1 + fingerprint_size;
    const auto body = sealed.substr(head_size, sealed.size() - head_size - tag_size);
    std::string tag(sealed.substr(sealed.size() - tag_size));
    std::string plain(body.size(), '\0');
    const context c(EVP_CIPHER_CTX_new());
    must(c ? 1 : 0);
    int size = 0;
    must(EVP_DecryptInit_ex(c.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key_.reveal()), nonce));
    must(EVP_DecryptUpdate(c.get(), nullptr, &size, bytes_of(bound_to), static_cast<int>(bound_to.size())));
    must(EVP_DecryptUpdate(c.get(), bytes_of(plain), &size, bytes_of(body), static_cast<int>(body.size())));
    must(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_GCM_SET_TAG, tag_size, tag.data()));
    unsigned char rest = 0;  // GCM has none
    const bool genuine = EVP_DecryptFinal_ex(c.get(), &rest, &size) == 1;
    kcontrol::secret_string out(std::move(plain));  // wiped when it is not
    if (!genuine) return damaged;
    return out;
}

}  // namespace training_monitor::crypto
