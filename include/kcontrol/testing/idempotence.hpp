// expect_idempotent(): a controller does nothing when there is nothing to do, and gets to the same end whichever of its
// calls fails.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/manager/options.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// What becomes of one call of the API.
enum class call_fault {
    conflict,          ///< 409 Conflict instead of the write
    server_error,      ///< 500 InternalError instead of the answer, and nothing is done
    dropped_response,  ///< it is done, and the connection breaks before the response
    restart,           ///< it is done, and the program dies before it hears of that, and starts anew
};

std::string_view to_string(call_fault) noexcept;

/// How expect_idempotent() goes about it.
class idempotence_options {
public:
    /// Objects that are there before the controller starts, such as those that its object names.
    idempotence_options& seed(json::value object) { return seeds_.push_back(std::move(object)), *this; }
    /// Whatever else is to be there: kinds, tokens, answers. Called for each world, before the seeds are made.
    using preparation = std::function<void(sim_world&, sim_server&)>;
    idempotence_options& prepare(preparation f) { return prepare_ = std::move(f), *this; }  ///< replaces the one before
    /// A kind besides that of the object. Not needed for Kubernetes' own.
    idempotence_options& register_resource(resource_type type) { return kinds_.push_back(std::move(type)), *this; }
    /// The same of the kind of a C++ type.
    template <resource T>
    idempotence_options& register_resource() {
        return register_resource(resource_type_of(resource_of<T>()));
    }
    /// A fake_cluster acts beside the controller: pods run, Deployments become available.
    idempotence_options& fakes(fake_cluster_options o) { return fakes_ = std::move(o), *this; }
    /// How the simulated API server is.
    idempotence_options& server(api_server_options o) { return server_ = std::move(o), *this; }
    /// How the program's manager is.
    idempotence_options& manager(manager_options o) { return manager_ = std::move(o), *this; }

    /// How long nothing may change once all is idle. Default 2 min: a watch that is silently dead is noticed after 90 s
    /// (informer_options::watch_idle), and only then does the program see what it missed. It must also be longer than
    /// the controller's own waits, and than watch_idle() where the manager's options set that.
    idempotence_options& idle_time(duration d) { return idle_time_ = d, *this; }
    /// Of virtual time, until all must be at rest. Default 2 h.
    idempotence_options& limit(duration d) { return limit_ = d, *this; }
    /// How often the program is started anew at rest. Default 3.
    idempotence_options& rounds(int n) { return rounds_ = n, *this; }
    /// What happens to each call in turn. Default: all of call_fault.
    idempotence_options& faults(std::vector<call_fault> f) { return faults_ = std::move(f), *this; }
    /// Each fault happens to each n-th call only; 0 counts as 1. Default 1.
    idempotence_options& every(std::size_t n) { return every_ = std::max<std::size_t>(n, 1), *this; }
    /// Of each simulated world. Default 1.
    idempotence_options& random_seed(std::uint64_t s) { return random_seed_ = s, *this; }
    /// Whether writes that change nothing count at rest. Default false.
    idempotence_options& refuse_idle_writes(bool yes) { return refuse_idle_writes_ = yes, *this; }
    /// Members that may differ at the end, wherever they are: "lastPolled".
    idempotence_options& ignore_field(std::string name) { return fields_.insert(std::move(name)), *this; }
    /// Kinds that may be written at any time; Events and Leases are among them.
    idempotence_options& ignore_kind(group_resource id) { return ignored_.insert(std::move(id)), *this; }

    /// What seed() was given, in the order in which they are made.
    const std::vector<json::value>& seeds() const noexcept { return seeds_; }
    /// What prepare() was given last, or null.
    const preparation& preparing() const noexcept { return prepare_; }
    /// What register_resource() was given.
    const std::vector<resource_type>& kinds() const noexcept { return kinds_; }
    const std::optional<fake_cluster_options>& fakes() const noexcept { return fakes_; }
    const api_server_options& server() const noexcept { return server_; }
    const manager_options& manager() const noexcept { return manager_; }
    /// For so long nothing changes when all is at rest. Default 2 min.
    duration idle_time() const noexcept { return idle_time_; }
    /// By then all is at rest. Default 2 h.
    duration limit() const noexcept { return limit_; }
    /// How often the program is started anew at rest, and changes nothing. Default 3.
    int rounds() const noexcept { return rounds_; }
    /// What happens to each call in turn. Default: all of call_fault.
    const std::vector<call_fault>& faults() const noexcept { return faults_; }
    /// Each fault happens to each n-th call only, each to others: a sample, where all would take too long. Default 1.
    std::size_t every() const noexcept { return every_; }
    std::uint64_t random_seed() const noexcept { return random_seed_; }
    /// Whether writes that change nothing, such as a server-side apply of what is there, count as writes at rest.
    /// Default false: they are counted in the report only.
    bool refuses_idle_writes() const noexcept { return refuse_idle_writes_; }
    /// What ignore_field() was given.
    const std::set<std::string>& ignored_fields() const noexcept { return fields_; }
    /// What ignore_kind() was given, and the kinds of Events and Leases.
    const std::set<group_resource>& ignored_kinds() const noexcept { return ignored_; }

private:
    std::vector<json::value> seeds_;
    preparation prepare_;
    std::vector<resource_type> kinds_;
    std::optional<fake_cluster_options> fakes_;
    api_server_options server_;
    manager_options manager_;
    duration idle_time_ = std::chrono::minutes(2);
    duration limit_ = std::chrono::hours(2);
    int rounds_ = 3;
    std::vector<call_fault> faults_ = {call_fault::conflict, call_fault::server_error, call_fault::dropped_response,
                                       call_fault::restart};
    std::size_t every_ = 1;
    std::uint64_t random_seed_ = 1;
    bool refuse_idle_writes_ = false;
    std::set<std::string> fields_;
    std::set<group_resource> ignored_ = {group_resource("", "events"), group_resource("events.k8s.io", "events"),
                                         group_resource("coordination.k8s.io", "leases")};
};

/// What came out.
class idempotence_report {
public:
    /// Whether nothing is wrong.
    bool ok() const noexcept { return problems.empty(); }
    explicit operator bool() const noexcept { return ok(); }
    /// All that is wrong, a line each; or what was tried.
    std::string text() const;

    std::vector<std::string> problems;  ///< what is wrong, a line each; empty: nothing
    std::vector<std::string> calls;     ///< from the object's creation to rest: "POST /api/v1/…", without watches
    std::size_t runs = 0;               ///< worlds that were tried, the one without a fault among them
    std::size_t idle_writes = 0;        ///< writes at rest that changed nothing
};

namespace detail {

idempotence_report check_idempotent(const kcontrol::detail::setup_step& setup, json::value object,
                                    idempotence_options options);

}  // namespace detail

/// Checks a controller against simulated clusters. `setup` is what kcontrol::run() takes: a function of `manager&` that
/// adds controllers, and may be a coroutine. `object` is what they are for; its kind is registered if T is a type of
/// yours.
///
/// First without faults: the object is created, and all comes to rest. Then the program is started anew three times,
/// and must not change anything. Then, in a new world each, every single call that it made (watches aside) fails once,
/// in each of the ways that the options say, and the end must be the same: equal objects but for names that were
/// generated, uids, versions, addresses and times.
///
/// What it does not see: what depends on the order of events (use seeds and sim_world), and the state of a world
/// outside of the API.
/// Thread-safety: safe; `setup` is called in turn, on the calling thread.
template <class Setup>
idempotence_report expect_idempotent(Setup setup, json::value object, idempotence_options options = {}) {
    if constexpr (kcontrol::detail::assert_sets_up<Setup>()) {
        return detail::check_idempotent(kcontrol::detail::make_setup_step(setup), std::move(object),
                                        std::move(options));
    } else {
        return {};
    }
}
template <class Setup, class T>
requires(!std::same_as<T, json::value> && resource<T>) idempotence_report
    expect_idempotent(Setup setup, const T& object, idempotence_options options = {}) {
    options.template register_resource<T>();
    return expect_idempotent(std::move(setup), json::parse(to_json(object)).value(), std::move(options));
}

}  // namespace kcontrol::testing
