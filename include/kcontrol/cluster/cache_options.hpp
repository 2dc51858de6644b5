// How a cluster's informers are: all of them, and those of single kinds.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/model/resource.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// How the objects of one kind are cached: how its informers are, and in which namespaces.
class kind_options {
public:
    kind_options() = default;
    /// The options of each informer, and the namespaces as namespaces() takes them.
    // NOLINTNEXTLINE(google-explicit-constructor): without namespaces the options of one are enough
    kind_options(informer_options o, std::vector<std::string> namespaces = {})
        : informer_(std::move(o)), namespaces_(std::move(namespaces)) {}

    /// One watch for each of them, and in_namespace() of the informer's options does not count; without any, it does.
    kind_options& namespaces(std::vector<std::string> n) { return namespaces_ = std::move(n), *this; }
    /// The objects of one namespace, watched with options of their own in place of informer(); in_namespace() of these
    /// does not count. With it, namespaces are watched that namespaces() or a call of this names, and no others but by
    /// other_namespaces(). A later call for `ns` replaces it.
    kind_options& in_namespace(const std::string& ns, informer_options o) {
        return own_.insert_or_assign(ns, std::move(o)), *this;
    }
    /// One watch for the objects of all namespaces that are not named, with these options. A namespace is told apart by
    /// the field selector `metadata.namespace!=NS`, which is added to theirs.
    kind_options& other_namespaces(informer_options o) { return others_ = std::move(o), *this; }
    /// As informer_options::label_selector().
    kind_options& label_selector(std::string s) { return informer_.label_selector(std::move(s)), *this; }
    /// As informer_options::field_selector().
    kind_options& field_selector(std::string s) { return informer_.field_selector(std::move(s)), *this; }
    /// As informer_options::shard_selector(), of all namespaces alike.
    KCONTROL_DECL kind_options& shard_selector(const std::string& s);
    /// As informer_options::transform().
    kind_options& transform(object_transform f) { return informer_.transform(std::move(f)), *this; }

    /// From which of() makes the options for each namespace.
    const informer_options& informer() const noexcept { return informer_; }
    const std::vector<std::string>& namespaces() const noexcept { return namespaces_; }
    /// The options of each informer of a kind: one for each of the namespaces, sorted, then that of all others; or one.
    /// What belongs to no namespace has one, of all.
    KCONTROL_DECL std::vector<informer_options> of(const resource_info& kind) const;

private:
    informer_options informer_;
    std::vector<std::string> namespaces_;
    std::map<std::string, informer_options> own_;  // by namespace
    std::optional<informer_options> others_;
};

/// Options of a cluster's informers: namespaces, selectors, transform, page size, resync period… What is set for a kind
/// holds for it in place of what is set for all; a kind that is watched as several C++ types is one kind. Which fields
/// are kept is said by the type itself: a struct with fewer fields is a projection.
class cache_options {
public:
    cache_options() = default;
    /// All kinds alike.
    cache_options(informer_options all_kinds)  // NOLINT(google-explicit-constructor): the options of one are enough
        : all_(std::move(all_kinds)) {}

    /// For kinds that nothing else is set for. With `namespaces` there is one watch for each of them, and
    /// in_namespace() of the options does not count; without, it does.
    cache_options& all_kinds(informer_options o, std::vector<std::string> namespaces = {}) {
        return all_ = kind_options(std::move(o), std::move(namespaces)), *this;
    }
    /// The same with options for single namespaces.
    cache_options& all_kinds(kind_options o) { return all_ = std::move(o), *this; }
    /// Those of the kinds that nothing else is set for.
    cache_options& namespaces(std::vector<std::string> n) { return all_.namespaces(std::move(n)), *this; }
    /// Of the kind of T, in place of what is set for all kinds; a later call replaces it. `namespaces` as all_kinds()
    /// takes them.
    template <resource T>
    cache_options& for_kind(informer_options o, std::vector<std::string> namespaces = {}) {
        return for_kind(resource_of<T>().gvk, std::move(o), std::move(namespaces));
    }
    /// The same with options for single namespaces.
    template <resource T>
    cache_options& for_kind(kind_options o) {
        return for_kind(resource_of<T>().gvk, std::move(o));
    }
    KCONTROL_DECL cache_options& for_kind(const group_version_kind& kind, kind_options o);
    /// The same of a kind known at run time, whichever types it is read as.
    cache_options& for_kind(const group_version_kind& kind, informer_options o,
                            std::vector<std::string> namespaces = {}) {
        return for_kind(kind, kind_options(std::move(o), std::move(namespaces)));
    }

    /// Compares each cache with its server now and then, by the metadata of all of its objects, which costs the server
    /// a list: what differs, and is not merely on its way, is logged and counted (docs/cache.md). Default, and zero:
    /// never.
    cache_options& audit_period(duration d) { return audit_period_ = d, *this; }
    duration audit_period() const noexcept { return audit_period_; }

    /// How long a cache has to show what the cluster's client wrote, from the write on. A read of the client that would
    /// miss it waits until then, and asks the server after that (docs/cache.md).
    cache_options& own_writes_deadline(duration d) { return own_writes_deadline_ = d, *this; }
    duration own_writes_deadline() const noexcept { return own_writes_deadline_; }
    static constexpr duration default_own_writes_deadline = std::chrono::seconds(1);

    /// See kind_options::of().
    KCONTROL_DECL std::vector<informer_options> of(const resource_info& kind) const;
    /// The same, of informers that log there.
    KCONTROL_DECL std::vector<informer_options> of(const resource_info& kind, const logger& log) const;
    const informer_options& all_kinds() const noexcept { return all_.informer(); }
    const std::vector<std::string>& namespaces() const noexcept { return all_.namespaces(); }

private:
    kind_options all_;
    duration audit_period_{};
    duration own_writes_deadline_ = default_own_writes_deadline;
    std::vector<std::pair<group_version_kind, kind_options>> kinds_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/cache_options.ipp>
#endif
