// What this program has written and its copy has yet to show: made, and deleted while nobody looked, it would never be
// told of. A plain state machine.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/any_object.hpp>
#include <kcontrol/model/object_key.hpp>

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Objects that the server has said to this program that there are, and of which no event has come. A watch brings
/// each, unless a list takes its place: what that does not have any more, although it is as new, came and went unheard.
///
/// Thread-safety: shared objects unsafe.
class unseen_writes {
public:
    /// There are so many at most; the oldest goes first.
    static constexpr std::size_t most = 1024;

    bool empty() const noexcept { return order_.empty(); }
    std::size_t size() const noexcept { return order_.size(); }

    /// The server has the object, and the copy, which is at version `known`, does not. Returns whether a list has
    /// passed over it already: then it is not kept, and to be told now.
    KCONTROL_DECL bool add(any_object written, std::string_view known);
    /// An event of that object came.
    KCONTROL_DECL void observed(const namespaced_name& key);
    /// The watch is that far: what has not come by then is none of those that it brings.
    KCONTROL_DECL void passed(std::string_view version);
    /// A list of that version is in place of a copy of version `known`, which was empty if that is; `has` says whether
    /// an object is in it. Returns those that came and went.
    KCONTROL_DECL std::vector<any_object> listed(std::string_view known, std::string_view version,
                                                 const std::function<bool(const namespaced_name&)>& has);
    /// The same of a list of another history.
    KCONTROL_DECL std::vector<any_object> history_reset(const std::function<bool(const namespaced_name&)>& has);

private:
    template <class Gone>
    std::vector<any_object> take_if(Gone&& gone);

    std::list<any_object> order_;  // as they were written
    std::unordered_map<namespaced_name, std::list<any_object>::iterator> by_key_;
    std::string before_list_, last_list_;  // versions of the copy before and after the last list
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/unseen_writes.ipp>
#endif
