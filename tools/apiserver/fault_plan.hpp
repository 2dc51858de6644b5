// What goes wrong on purpose, as people write it into a file: rules that say which requests, and what becomes of them.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/api_server.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol_apiserver {

/// Which requests, and what happens to them. An empty list is about all.
class fault_rule {
public:
    std::vector<std::string> verbs;
    std::vector<std::string> resources;  ///< "pods", "jobs.batch", "pods/status"
    std::vector<std::string> namespaces;
    std::vector<std::string> methods;
    std::string path;                         ///< how it begins
    std::uint64_t skip = 0;                   ///< so many are let through first
    std::uint64_t times = std::uint64_t(-1);  ///< so many are hit
    double probability = 1;
    kcontrol::duration jitter{};
    bool stale = false;
    kcontrol::testing::fault what;
};

/// The rules of a server. Each request gets the faults of the first rule that is about it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class fault_plan {
public:
    /// Of the text of a file or of a request, YAML or JSON. Errors: decode_failed, naming the place, what is there and
    /// what may be there.
    static kcontrol::result<fault_plan> parse(std::string_view text);

    /// What happens to a request; counts it.
    kcontrol::testing::fault decide(const kcontrol::http::server_request& request, kcontrol::environment& env);

    /// The document, as JSON text, and how often each rule hit.
    std::string shown() const;

    bool empty() const noexcept { return rules_.empty(); }

private:
    std::uint64_t next_random(kcontrol::environment& env);

    kcontrol::json::value source_;
    std::vector<fault_rule> rules_;
    std::vector<std::uint64_t> seen_, hit_;
    std::uint64_t seed_ = 0;  ///< 0: none was given
};

/// The name of the replica that stale reads see.
extern const char* const stale_replica;

}  // namespace kcontrol_apiserver
