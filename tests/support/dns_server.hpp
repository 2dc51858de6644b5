// A DNS server on loopback, over UDP and TCP, that says what a test tells it to.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace kcontrol::test {

/// What it says about a name. Names that it does not know do not exist.
class dns_entry {
public:
    enum kind { addresses, silent, failed, refused, garbage };

    dns_entry() = default;
    /// IPv4 and IPv6 addresses; none: the name exists all the same.
    explicit dns_entry(std::vector<std::string> texts) : texts_(std::move(texts)) {}
    dns_entry(kind k) : kind_(k) {}  // NOLINT: reads well in tables

    dns_entry& alias(std::string other) { return alias_ = std::move(other), *this; }
    /// Over UDP it says that the answer does not fit.
    dns_entry& large() { return large_ = true, *this; }

    /// Another thing for AAAA records.
    dns_entry& what_for_ipv6(kind k) { return ipv6_ = k, *this; }

    kind what(bool ipv6) const { return ipv6 && ipv6_ ? *ipv6_ : kind_; }
    const std::vector<std::string>& texts() const { return texts_; }
    const std::string& alias() const { return alias_; }
    bool is_large() const { return large_; }

private:
    kind kind_ = addresses;
    std::optional<kind> ipv6_;
    std::vector<std::string> texts_;
    std::string alias_;
    bool large_ = false;
};

/// Lives on a context; the names are the test's to change.
class dns_server {
public:
    explicit dns_server(boost::asio::io_context& context, std::uint16_t port = 0,
                        boost::asio::ip::address at = boost::asio::ip::address_v4::loopback())
        : state_(std::make_shared<state>(context, boost::asio::ip::udp::endpoint(at, port))) {
        receive(state_);
        accept(state_);
    }
    ~dns_server() {
        state_->udp.close();
        state_->acceptor.close();
    }
    dns_server(const dns_server&) = delete;
    dns_server& operator=(const dns_server&) = delete;

    std::uint16_t port() const { return state_->udp.local_endpoint().port(); }
    /// The line of resolv.conf that leads to it.
    std::string line() const {
        std::ostringstream text;
        text << "nameserver " << state_->udp.local_endpoint() << "\n";
        return text.str();
    }

    std::map<std::string, dns_entry>& names() { return state_->names; }
    /// All questions for A records, in order.
    const std::vector<std::string>& asked() const { return state_->asked; }
    int asked_over_tcp() const { return state_->over_tcp; }

private:
    using bytes = std::vector<std::uint8_t>;
    using udp = boost::asio::ip::udp;
    using tcp = boost::asio::ip::tcp;

    struct state {
        state(boost::asio::io_context& context, const boost::asio::ip::udp::endpoint& at)
            : udp(context), acceptor(context) {
            // The port that UDP is given may be in use for TCP.
            for (int tries = 1; !bind_both(at); ++tries) {
                if (at.port() == 0 && tries < 100) continue;
                throw std::runtime_error("no port for a DNS server at " + at.address().to_string());
            }
        }

        bool bind_both(const boost::asio::ip::udp::endpoint& at) {
            boost::system::error_code failure;
            if (udp.is_open()) udp.close();
            if (acceptor.is_open()) acceptor.close();
            udp.open(at.protocol());
            udp.bind(at, failure);
            if (failure) return false;
            const tcp::endpoint beside(at.address(), udp.local_endpoint().port());
            acceptor.open(beside.protocol());
            acceptor.set_option(tcp::acceptor::reuse_address(true));
            acceptor.bind(beside, failure);
            if (!failure) acceptor.listen(boost::asio::socket_base::max_listen_connections, failure);
            return !failure;
        }

        boost::asio::ip::udp::socket udp;
        boost::asio::ip::tcp::acceptor acceptor;
        boost::asio::ip::udp::endpoint peer;
        std::array<std::uint8_t, 512> buffer{};
        std::map<std::string, dns_entry> names;
        std::vector<std::string> asked;
        int over_tcp = 0;
    };

    struct connection {
        explicit connection(tcp::socket s) : socket(std::move(s)) {}
        tcp::socket socket;
        bytes message;
    };

    static void receive(const std::shared_ptr<state>& s) {
        s->udp.async_receive_from(
            boost::asio::buffer(s->buffer), s->peer, [s](const boost::system::error_code& failure, std::size_t n) {
                if (failure) return;
                const bytes out =
                    answer(*s, bytes(s->buffer.begin(), s->buffer.begin() + static_cast<std::ptrdiff_t>(n)), false);
                boost::system::error_code ignored;
                if (!out.empty()) s->udp.send_to(boost::asio::buffer(out), s->peer, 0, ignored);
                receive(s);
            });
    }

    static void accept(const std::shared_ptr<state>& s) {
        s->acceptor.async_accept([s](const boost::system::error_code& failure, tcp::socket socket) {
            if (failure) return;
            read(s, std::make_shared<connection>(std::move(socket)));
            accept(s);
        });
    }

    static void read(const std::shared_ptr<state>& s, const std::shared_ptr<connection>& c) {
        c->message.resize(2);
        boost::asio::async_read(
            c->socket, boost::asio::buffer(c->message), [s, c](const boost::system::error_code& failure, std::size_t) {
                if (failure) return;
                c->message.resize(static_cast<std::size_t>(c->message[0] << 8 | c->message[1]));
                boost::asio::async_read(c->socket, boost::asio::buffer(c->message),
                                        [s, c](const boost::system::error_code& broken, std::size_t) {
                                            if (broken) return;
                                            ++s->over_tcp;
                                            bytes out = answer(*s, c->message, true);
                                            const auto size = static_cast<std::uint16_t>(out.size());
                                            out.insert(out.begin(), {static_cast<std::uint8_t>(size >> 8),
                                                                     static_cast<std::uint8_t>(size & 255)});
                                            boost::system::error_code ignored;
                                            boost::asio::write(c->socket, boost::asio::buffer(out), ignored);
                                            read(s, c);
                                        });
            });
    }

    static void put16(bytes& out, unsigned value) {
        out.push_back(static_cast<std::uint8_t>(value >> 8));
        out.push_back(static_cast<std::uint8_t>(value & 255));
    }

    static void put_name(bytes& out, const std::string& name) {
        for (std::size_t at = 0; at < name.size();) {
            const auto end = std::min(name.find('.', at), name.size());
            out.push_back(static_cast<std::uint8_t>(end - at));
            out.insert(out.end(), name.begin() + static_cast<std::ptrdiff_t>(at),
                       name.begin() + static_cast<std::ptrdiff_t>(end));
            at = end + 1;
        }
        out.push_back(0);
    }

    template <class Data>
    static void put_record(bytes& out, const std::string& name, unsigned type, const Data& data) {
        put_name(out, name);
        put16(out, type);
        put16(out, 1);  // IN
        put16(out, 0);
        put16(out, 60);  // seconds to live
        put16(out, static_cast<unsigned>(data.size()));
        out.insert(out.end(), data.begin(), data.end());
    }

    // One question, without compression, which is all that resolvers send.
    static bytes answer(state& s, const bytes& question, bool over_tcp) {
        constexpr unsigned a = 1, cname = 5, aaaa = 28;
        std::string name;
        std::size_t at = 12;
        while (at < question.size() && question[at] != 0) {
            const std::size_t next = at + 1 + question[at];
            if (next > question.size()) return {};
            if (!name.empty()) name += '.';
            name.append(question.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                        question.begin() + static_cast<std::ptrdiff_t>(next));
            at = next;
        }
        const std::size_t end = at + 5;
        if (end > question.size()) return {};
        const unsigned type = static_cast<unsigned>(question[at + 1] << 8 | question[at + 2]);
        std::transform(name.begin(), name.end(), name.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        if (type == a) s.asked.push_back(name);
        const auto found = s.names.find(name);
        const bool known = found != s.names.end();
        const dns_entry entry = known ? found->second : dns_entry();
        const auto what = entry.what(type == aaaa);
        if (what == dns_entry::silent) return {};

        const bool cut = entry.is_large() && !over_tcp;
        unsigned code = known ? 0 : 3;
        if (what == dns_entry::failed) code = 2;
        if (what == dns_entry::refused) code = 5;
        bytes records;
        unsigned count = 0;
        std::string owner = name;
        if (!entry.alias().empty()) {
            bytes data;
            put_name(data, entry.alias());
            put_record(records, owner, cname, data);
            owner = entry.alias();
            ++count;
        }
        const auto target = entry.alias().empty() ? found : s.names.find(entry.alias());
        const auto texts = target != s.names.end() ? target->second.texts() : std::vector<std::string>();
        for (const auto& text : texts) {
            const auto address = boost::asio::ip::make_address(text);
            if (address.is_v4() && type == a) put_record(records, owner, a, address.to_v4().to_bytes());
            if (address.is_v6() && type == aaaa) put_record(records, owner, aaaa, address.to_v6().to_bytes());
            if (address.is_v4() == (type == a)) ++count;
        }
        if (what == dns_entry::garbage) {
            records.assign(3, 0xff);
            count = 1;
        }
        bytes out(question.begin(), question.begin() + 2);
        put16(out, 0x8180 | (cut ? 0x0200 : 0) | code);
        put16(out, 1);
        put16(out, cut ? 0 : count);
        put16(out, 0);
        put16(out, 0);
        out.insert(out.end(), question.begin() + 12, question.begin() + static_cast<std::ptrdiff_t>(end));
        if (!cut) out.insert(out.end(), records.begin(), records.end());
        return out;
    }

    std::shared_ptr<state> state_;
};

}  // namespace kcontrol::test
