// The certificate authorities of a program's webhooks, as its replicas share them: who signs, who is trusted, and when
// the next one is made. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/runtime/time.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// How long authorities and certificates last. An authority is trusted before it signs, so that everybody who verifies
/// knows it by then, and for as long as a certificate of its may still be shown.
class authority_policy {
public:
    /// How long an authority is good, from its making. Default 365 days.
    authority_policy& authority_lifetime(duration d) { return authority_lifetime_ = d, *this; }
    /// How long before the newest one's end the next is made. Default 120 days.
    authority_policy& renew_before(duration d) { return renew_before_ = d, *this; }
    /// How long a new one is trusted before it signs. Default 1 h.
    authority_policy& publish_ahead(duration d) { return publish_ahead_ = d, *this; }
    /// How long serving certificates are good. Default 30 days.
    authority_policy& certificate_lifetime(duration d) { return certificate_lifetime_ = d, *this; }

    duration authority_lifetime() const noexcept { return authority_lifetime_; }
    /// A new authority is made when the newest one ends so soon.
    duration renew_before() const noexcept { return renew_before_; }
    /// How long a new authority is trusted before it signs.
    duration publish_ahead() const noexcept { return publish_ahead_; }
    /// Of serving certificates; they are renewed when a third of it is left.
    duration certificate_lifetime() const noexcept { return certificate_lifetime_; }

private:
    duration authority_lifetime_ = std::chrono::hours(24 * 365);
    duration renew_before_ = std::chrono::hours(24 * 120);
    duration publish_ahead_ = std::chrono::hours(1);
    duration certificate_lifetime_ = std::chrono::hours(24 * 30);
};

/// One authority.
class webhook_authority {
public:
    webhook_authority() = default;
    /// Certificate and key as PEM, when it was made, and until when it is good.
    webhook_authority(std::string c, secret_string k, wall_time from, wall_time to)
        : certificate(std::move(c)), key(std::move(k)), since(from), until(to) {}

    std::string certificate;  ///< PEM
    secret_string key;        ///< PEM; empty once it signs no more
    wall_time since;          ///< when it was made
    wall_time until;          ///< it signs no more then, and is not trusted

    friend bool operator==(const webhook_authority&, const webhook_authority&) = default;
};

/// The authorities that a Secret holds, in order of their making.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class authority_set {
public:
    authority_set() = default;

    /// What encode() wrote. Errors: invalid_config, which says nothing of what is in the text.
    static KCONTROL_DECL result<authority_set> decode(std::string_view text);
    KCONTROL_DECL secret_string encode() const;  ///< JSON with the keys in it, what decode() reads

    /// Whether there has to be one more.
    KCONTROL_DECL bool needs_authority(wall_time now, const authority_policy& policy) const;
    void add(webhook_authority one) { all_.push_back(std::move(one)); }  ///< at the end: it is newer than those there
    /// Forgets keys that sign no more, and authorities of which no certificate is in use. True if something changed.
    KCONTROL_DECL bool prune(wall_time now, const authority_policy& policy);

    /// Who signs now, or null.
    KCONTROL_DECL const webhook_authority* signer(wall_time now, const authority_policy& policy) const;
    /// All that are to be trusted now, as PEM.
    KCONTROL_DECL std::string bundle(wall_time now) const;

    const std::vector<webhook_authority>& all() const noexcept { return all_; }  ///< in order of their making

    friend bool operator==(const authority_set&, const authority_set&) = default;

private:
    std::vector<webhook_authority> all_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/authority_set.ipp>
#endif
