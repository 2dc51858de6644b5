// Notices at once that a missing kind is installed: a watch of CustomResourceDefinitions, while kinds are missing.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/informer.hpp>

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace kcontrol::inline v0_1 {

/// One watch for all kinds that a cluster lacks, open only while there are some. It asks for metadata: definitions are
/// large, and a server sends all of one or its metadata. The condition Established is not in that, but each change of
/// it is an event with a newer version, and that is enough: each event has the kind asked for, which costs a 404 at
/// most.
///
/// Where definitions may not be watched it says so once, at info, and is silent until rebuild().
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a strand or a single-threaded context.
/// Object lifetime: destruction stops it; what still runs keeps the shared part alive. The environment outlives that.
class crd_watch {
public:
    /// Called with the name of a definition ("widgets.example.com"): its kind is to be asked for now.
    using probe_function = std::function<void(const std::string& crd)>;

    /// `ex`: where `probe` is called. `log` is told once that definitions can't be watched. Nothing is asked before
    /// set_missing().
    KCONTROL_DECL crd_watch(environment& env, executor ex, client cl, probe_function probe, logger log = {});
    KCONTROL_DECL ~crd_watch();
    crd_watch(const crd_watch&) = delete;
    crd_watch& operator=(const crd_watch&) = delete;

    /// The names of the definitions whose kinds are missing now. The watch is opened for the first and closed after the
    /// last.
    KCONTROL_DECL void set_missing(const std::set<std::string>& names);

    /// Goes over to another client; see any_informer::rebuild.
    KCONTROL_DECL void rebuild(client next, resume_mode mode = resume_mode::resume);

    /// Closes the watch, forgets what is missing, and waits until its work has returned. set_missing() opens it again.
    /// Idempotent.
    KCONTROL_DECL awaitable<void> stop();

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/crd_watch.ipp>
#endif
