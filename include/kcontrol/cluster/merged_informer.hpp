// The informers of one kind, each of another namespace, seen as one.
#pragma once

#include <kcontrol/cache/informer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A view of several informers of one kind whose namespaces differ, or of one. Starting and stopping them stays their
/// owner's business.
///
/// Thread-safety: as the informers': get(), list() and size() may be called from any thread, the rest belongs to their
/// executor.
class any_merged_informer {
public:
    /// Informers of one kind, which it sorts by namespace. None is null.
    KCONTROL_DECL explicit any_merged_informer(std::vector<std::shared_ptr<any_informer>> parts);

    /// The object, or an empty one.
    KCONTROL_DECL any_object get(const namespaced_name& key) const;
    /// Sorted by key; `ns` empty: all that are watched.
    KCONTROL_DECL std::vector<any_object> list(std::string_view ns = {}) const;
    KCONTROL_DECL std::size_t size() const;

    /// Subscribes to all of them. A handler with a queue has one for each: what it is told of two namespaces comes in
    /// no order, and on an executor of several threads at the same time.
    [[nodiscard]] KCONTROL_DECL subscription subscribe(const event_consumer& handler, const handler_options& how = {});

    /// The worst of theirs, with a reason that names the namespace, and the sums of the counts.
    KCONTROL_DECL informer_status status() const;
    KCONTROL_DECL bool has_synced() const;  ///< whether all have; true without any
    /// Waits until the first lists are complete (true), or until `deadline` or `stop` (false).
    KCONTROL_DECL awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline = std::nullopt);

    /// Sorted by namespace.
    const std::vector<std::shared_ptr<any_informer>>& parts() const noexcept { return parts_; }

private:
    std::vector<std::shared_ptr<any_informer>> parts_;
};

/// The same of a kind known at compile time.
template <resource T>
class merged_informer : public any_merged_informer {
public:
    using any_merged_informer::any_merged_informer;  ///< of informers that read the kind as T

    /// The cached object, or null.
    std::shared_ptr<const T> get(const namespaced_name& key) const {
        return any_merged_informer::get(key).template as<T>();
    }
    /// Sorted by key; `ns` empty: all that are watched.
    std::vector<std::shared_ptr<const T>> list(std::string_view ns = {}) const {
        std::vector<std::shared_ptr<const T>> out;
        for (const auto& object : any_merged_informer::list(ns)) out.push_back(object.template as<T>());
        return out;
    }
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/merged_informer.ipp>
#endif
