// Which names DNS is asked for, at which servers, and when to give up: as glibc does it. No socket, no clock.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/transport/impl/resolver_config.hpp>

#include <boost/asio/ip/udp.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::http::detail {

/// What came of asking one server for one name.
enum class dns_answer {
    found,
    no_such_name,   ///< NXDOMAIN
    no_address,     ///< the name exists and has neither A nor AAAA records
    failed,         ///< SERVFAIL
    refused,        ///< REFUSED
    invalid,        ///< an answer that is none: FORMERR, NOTIMP, a broken message
    unreachable,    ///< nobody listens there, or no way leads there
    none,           ///< nothing came in time
    not_a_name,     ///< it can't be asked for, for instance because a label is too long
    out_of_memory,  ///< or of descriptors
    not_built,      ///< this kcontrol was built without c-ares
};

/// One look-up in DNS. A server that says NXDOMAIN or NODATA is believed; one that fails, refuses or is silent is
/// followed by the next one, and all by the next attempt. Names with as many dots as `ndots` are asked for as they are
/// and then with the search domains, others the other way round; those that end with a dot as they are only. Unlike
/// glibc it stops when no server is there at all: the other names would only cost the same time again.
///
/// Thread-safety: distinct objects safe.
class dns_search {
public:
    /// `first_server` is where it begins, for the option `rotate`.
    KCONTROL_DECL dns_search(const std::string& host, resolver_config config, std::size_t first_server = 0);

    struct question {
        std::string name;
        boost::asio::ip::udp::endpoint server;
        duration timeout;
    };

    bool over() const noexcept { return at_ == names_.size(); }
    bool found() const noexcept { return found_; }

    /// What to ask now, unless it is over.
    KCONTROL_DECL question current() const;
    /// What came of that.
    KCONTROL_DECL void take(dns_answer answer);

    /// Why nothing was found: a clause without a full stop, which names servers and names.
    KCONTROL_DECL std::string failure() const;
    /// What it waits for now, likewise.
    KCONTROL_DECL std::string waiting_for() const;

private:
    struct candidate {
        std::string name;
        bool as_it_is;
        std::vector<dns_answer> answers;  // of each server, from the first one asked; the last one counts
        dns_answer verdict = dns_answer::none;
    };

    void conclude(dns_answer verdict);
    const candidate& decisive() const;
    std::string server_text(std::size_t position) const;

    resolver_config config_;
    std::size_t first_server_;
    std::vector<candidate> names_;
    std::size_t at_ = 0;        // of names_
    std::size_t position_ = 0;  // of the servers, from the first one asked
    int attempt_ = 0;
    std::size_t asked_ = 0;  // how many names were
    bool found_ = false;
};

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/dns_search.ipp>
#endif
