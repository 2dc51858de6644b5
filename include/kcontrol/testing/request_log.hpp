// What the in-process API server was asked: the last requests, and counts by verb and resource.
#pragma once

#include <kcontrol/http/message.hpp>
#include <kcontrol/testing/request_info.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::testing {

/// One request.
class logged_request {
public:
    std::uint64_t number = 0;  ///< counts from 1
    std::string method;        ///< of HTTP: "GET"
    std::string target;        ///< path and query as they came
    std::string verb;          ///< as in request_info
    group_resource resource;   ///< empty: a path such as "/version"
    std::string user;          ///< after impersonation; empty before it is known, or if it never is
    int code = 0;              ///< of the answer; 0 while there is none
};

/// The requests of a server, the last 10,000 of them in full. Faults are logged as well.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class request_log {
public:
    /// The number of requests with that verb for that resource; an empty verb or resource matches all.
    std::size_t count(std::string_view verb, std::string_view resource = {}) const;
    const std::deque<logged_request>& requests() const noexcept { return requests_; }  ///< oldest first
    /// Watches that are being served now.
    std::size_t open_watches() const noexcept { return open_watches_; }
    void clear();  ///< entries and counts; numbers go on, open watches stay

    // For the server:

    /// Logs and counts a request; returns its number.
    std::uint64_t begin(const http::request& request, const request_info& info);
    void set_user(std::uint64_t number, std::string user);  ///< passes over what is forgotten
    void end(std::uint64_t number, int code);               ///< `code` of the answer; passes over what is forgotten
    void watch_opened() noexcept { ++open_watches_; }       ///< one more of open_watches()
    void watch_closed() noexcept { --open_watches_; }       ///< one less of open_watches()

private:
    logged_request* entry(std::uint64_t number);

    std::deque<logged_request> requests_;
    std::map<std::pair<std::string, group_resource>, std::size_t> counts_;
    std::uint64_t last_ = 0;
    std::size_t open_watches_ = 0;
};

}  // namespace kcontrol::testing
