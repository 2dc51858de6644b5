#pragma once

#include <kcontrol/base/fnv1a.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/service/detail/cache_text.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::service::detail {

inline constexpr std::string_view cache_format = "kcontrol-service/1";

// As text: beyond 2^53 a number would not survive every program that rewrites JSON.
inline std::string checksum_of(std::string_view subject, std::string_view value) {
    return std::to_string(fnv1a().add(subject).end().add(value).value());
}

inline error broken_cache(const std::string& what) { return error(errc::decode_failed, what); }

inline std::string_view string_of(json::node from) { return from.is_string() ? from.as_string() : std::string_view(); }

KCONTROL_DECL std::string cache_text::to_json() const {
    json::writer out;
    out.begin_object();
    out.member("format", cache_format);
    out.member("subject", subject);
    out.member("confirmed", format_full_time(confirmed));
    out.member("checksum", checksum_of(subject, value));
    out.key("value");
    out.raw(value);
    out.end_object();
    return out.take() + "\n";
}

KCONTROL_DECL result<cache_text> cache_text::parse(std::string_view text, std::string_view subject) {
    json::document document;
    const auto root = document.parse(text);
    if (!root) return broken_cache("it is no JSON: " + root.error().what());
    if (!root->is_object() || string_of((*root)["format"]) != cache_format) {
        return broken_cache("it is no file of this program: \"format\" is not " + std::string(cache_format));
    }
    cache_text out;
    out.subject = string_of((*root)["subject"]);
    if (out.subject != subject) {
        return error(errc::invalid_argument,
                     "it is of \"" + escape_control(out.subject) + "\", not of \"" + std::string(subject) + "\"");
    }
    const auto confirmed = parse_time(string_of((*root)["confirmed"]));
    if (!confirmed) return confirmed.error().with_context("\"confirmed\"");
    out.confirmed = *confirmed;
    out.value = (*root)["value"].to_json();
    if (string_of((*root)["checksum"]) != checksum_of(out.subject, out.value)) {
        return broken_cache("its checksum is wrong");
    }
    return out;
}

KCONTROL_DECL std::string write_endpoints(const endpoint_list& endpoints) {
    json::writer out;
    out.begin_array();
    for (const endpoint& one : endpoints) {
        out.begin_object();
        out.member("address", one.address);
        out.member("port", one.port);
        out.member("ready", one.ready);
        out.member("serving", one.serving);
        out.member("terminating", one.terminating);
        out.member("zone", one.zone);
        out.member("node", one.node);
        out.member("pod", one.pod);
        out.end_object();
    }
    out.end_array();
    return out.take();
}

inline result<endpoint> read_endpoint(json::node from) {
    endpoint out;
    if (!from.is_object()) return broken_cache("an endpoint is no object");
    out.address = string_of(from["address"]);
    std::int64_t port = -1;
    if (!from["port"].get_int64(port) || port < 0 || port > std::numeric_limits<std::uint16_t>::max()) {
        return broken_cache("the port of an endpoint is no number from 0 to 65535");
    }
    if (out.address.empty()) return broken_cache("an endpoint has no address");
    out.port = static_cast<std::uint16_t>(port);
    bool* const flags[] = {&out.ready, &out.serving, &out.terminating};
    const char* const names[] = {"ready", "serving", "terminating"};
    for (std::size_t i = 0; i < std::size(flags); ++i) {
        const json::node flag = from[names[i]];
        if (flag.kind() != json::kind::boolean)
            return broken_cache(std::string(names[i]) + " is neither true nor false");
        *flags[i] = flag.as_bool();
    }
    out.zone = string_of(from["zone"]);
    out.node = string_of(from["node"]);
    out.pod = string_of(from["pod"]);
    return out;
}

KCONTROL_DECL result<std::vector<endpoint>> read_endpoints(std::string_view json) {
    json::document document;
    const auto root = document.parse(json);
    if (!root) return root.error();
    if (!root->is_array()) return broken_cache("the endpoints are no list");
    std::vector<endpoint> out;
    for (const json::node one : root->elements()) {
        auto read = read_endpoint(one);
        if (!read) return read.error();
        out.push_back(std::move(*read));
    }
    const auto in_disorder = [](const endpoint& a, const endpoint& b) {
        return a.address != b.address ? a.address > b.address : a.port >= b.port;
    };
    if (std::adjacent_find(out.begin(), out.end(), in_disorder) != out.end()) {
        return broken_cache("the endpoints are not in order");
    }
    return out;
}

KCONTROL_DECL std::string cached_leader::to_json() const {
    json::writer out;
    out.begin_object();
    out.member("holder", holder);
    out.member("address", address);
    out.member("seconds", std::chrono::duration_cast<std::chrono::seconds>(lasts).count());
    out.end_object();
    return out.take();
}

KCONTROL_DECL result<cached_leader> cached_leader::parse(std::string_view json) {
    json::document document;
    const auto root = document.parse(json);
    if (!root) return root.error();
    if (!root->is_object()) return broken_cache("the leader is no object");
    cached_leader out;
    out.holder = string_of((*root)["holder"]);
    out.address = string_of((*root)["address"]);
    std::int64_t seconds = -1;
    if (!(*root)["seconds"].get_int64(seconds) || seconds < 0 || seconds > std::numeric_limits<std::int32_t>::max()) {
        return broken_cache("the duration of the Lease is no number of seconds");
    }
    out.lasts = std::chrono::seconds(seconds);
    return out;
}

}  // namespace kcontrol::service::detail
