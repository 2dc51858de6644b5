// Sealing: encryption that also tells whether somebody changed what was encrypted, with a key from a file.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>
#include <string_view>

namespace training_monitor::crypto {

/// AES-256-GCM (NIST SP 800-38D) under a 32-byte key, with a random 12-byte nonce for each seal. A sealed text carries
/// the key's fingerprint, so that the wrong key is told apart from damage.
///
/// Thread-safety: shared objects safe for const access.
class seal_key {
public:
    static constexpr std::size_t bytes = 32;

    /// Errors: file_failed, or invalid_config if the file does not hold exactly 32 bytes.
    static kcontrol::result<seal_key> load(kcontrol::environment& env, const std::string& path);

    /// Writes a new random key to a file that is not there yet, readable for its owner only.
    /// Errors: file_failed.
    static kcontrol::result<void> make(const std::string& path);

    /// `bound_to` is what the sealed text belongs to (a name): it opens with the same only.
    std::string seal(std::string_view plain, std::string_view bound_to) const;

    /// Errors: invalid_config: another key's, damaged, or bound to something else.
    kcontrol::result<kcontrol::secret_string> open(std::string_view sealed, std::string_view bound_to) const;

private:
    explicit seal_key(kcontrol::secret_string key) : key_(std::move(key)) {}
    std::string fingerprint() const;

    kcontrol::secret_string key_;
};

}  // namespace training_monitor::crypto
