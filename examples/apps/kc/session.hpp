// What the commands of kc share: the client, what the server serves, and the command line.
#pragma once

#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/client/api_discovery.hpp>
#include <kcontrol/client/blocking_client.hpp>
#include <kcontrol/client/object_table.hpp>
#include <kcontrol/codec/dynamic_object.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kc {

using namespace kcontrol;

extern const char* const help;

class options {
public:
    static result<options> parse(const std::vector<std::string_view>& arguments);

    std::vector<std::string> words;  // the command, and what it is about

    /// The last value of a flag, empty if it is not there.
    const std::string& text(std::string_view flag) const;
    /// All of its values, where it may be there several times.
    std::vector<std::string> all(std::string_view flag) const;
    bool has(std::string_view flag) const;
    /// "30s", "2m", "1h". Throws exception for what is none.
    std::chrono::nanoseconds time(std::string_view flag) const;
    /// Of each request, plugin included.
    std::chrono::nanoseconds request_timeout() const { return request_timeout_; }
    /// Where the cluster is, and as whom to go there (login.cpp).
    result<auth::cluster_config> config(environment& env) const;

private:
    static constexpr std::chrono::nanoseconds longest_request = std::chrono::hours(24 * 365);
    result<void> read_request_timeout();

    std::map<std::string, std::vector<std::string>, std::less<>> flags_;
    std::chrono::nanoseconds request_timeout_ = std::chrono::seconds(30);
};

/// Errors leave its functions, and the commands, as exception.
class session {
public:
    session(blocking_client b, options o)
        : said(std::move(o)),
          client(std::move(b)),
          discovery(client.underlying(), discovery_options().deadline(said.request_timeout())) {}

    options said;
    blocking_client client;
    api_discovery discovery;

    /// The kind that a word means, or that an object has.
    template <class What>
    api_resource kind(const What& what) {
        return client.run([&](kcontrol::client&) { return discovery.find(what); }).value();
    }
    /// As it goes over the wire; it lives as long as the session.
    const resource_info& info(const api_resource& of);
    /// Where objects of a kind are that nobody says more about.
    std::string home(const api_resource& of) const;

    /// KIND NAME…, KIND/NAME.
    struct target {
        api_resource kind;
        std::vector<namespaced_name> keys;
    };
    target targets();

    /// An object of a manifest.
    struct manifest {
        api_resource kind;
        namespaced_name key;
        json::value object;
    };
    std::vector<manifest> manifests();

    /// Options of a call, with the deadline that is said.
    template <class Options>
    Options timed(Options how) const {
        how.deadline(said.request_timeout());
        return how;
    }
    /// The same of a write, or of an apply.
    template <class Options>
    Options writing(Options how) const {
        how.field_manager(said.text("--field-manager")).dry_run(said.has("--dry-run"));
        return timed(std::move(how));
    }

private:
    std::deque<resource_info> infos_;
};

/// "deployment.apps/web".
std::string name_of(const api_resource& kind, std::string_view name);

[[noreturn]] void refuse(const std::string& why);

/// Prints why something failed. The exit status: 1.
int report(const error& why);

// The commands; each returns the exit status.
int get(session& s);
int apply(session& s);
int remove(session& s);
int patch(session& s);
int scale(session& s);
int wait(session& s);
int api_resources(session& s);
int auth(session& s);
int logs(session& s);
int exec(session& s);
int port_forward(session& s);

}  // namespace kc
