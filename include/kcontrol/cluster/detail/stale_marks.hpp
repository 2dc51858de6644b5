// Which objects a cache is known to be behind with, as a plain state machine: so that who reads again after a conflict
// does not read what led to it.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace kcontrol::inline v0_1::detail {

/// Objects whose writes failed because they are not as the writer thought. The next read of one is the server's, and so
/// are those that follow, until the cache has what the server said then. A mark ends by itself after a minute; there
/// are a thousand at most, and the oldest goes first.
///
/// Thread-safety: shared objects unsafe.
class stale_marks {
public:
    static constexpr duration lifetime = std::chrono::minutes(1);
    static constexpr std::size_t most = 1024;

    /// A write of the object has failed that way.
    KCONTROL_DECL void mark(const group_version_kind& kind, const namespaced_name& key, time_point now);
    /// Whether to ask the server, where a cache has that version of the object; empty: none.
    KCONTROL_DECL bool marks(const group_version_kind& kind, const namespaced_name& key, std::string_view cached,
                             time_point now) const;
    /// The same, where no other cache has the object: a mark that the cache has caught up with ends.
    KCONTROL_DECL bool asks(const group_version_kind& kind, const namespaced_name& key, std::string_view cached,
                            time_point now);
    /// The server has said which version there is; empty: none.
    KCONTROL_DECL void answered(const group_version_kind& kind, const namespaced_name& key, std::string_view version);

    bool empty() const noexcept { return marks_.empty(); }
    std::size_t size() const noexcept { return marks_.size(); }

private:
    using object = std::pair<group_version_kind, namespaced_name>;
    struct entry {
        time_point since;
        std::optional<std::string> until;  // the version that the server has; nothing before it was asked
    };
    static KCONTROL_DECL bool is_over(const entry& mark, std::string_view cached, time_point now);
    KCONTROL_DECL void drop_old(time_point now);

    std::map<object, entry> marks_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/stale_marks.ipp>
#endif
