// How a cluster's informers are: all of them, and those of single kinds.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>
#include <vector>

namespace kcontrol {

/// Options of a cluster's informers: namespaces, selectors, transform, page size, resync period… What is set for a kind
/// holds for it in place of what is set for all; a kind that is watched as several C++ types is one kind. Which fields
/// are kept is said by the type itself: a struct with fewer fields is a projection.
class cache_options {
public:
    cache_options() = default;
    /// All kinds alike.
    cache_options(informer_options all_kinds)  // NOLINT(google-explicit-constructor): the options of one are enough
        : all_(std::move(all_kinds), {}) {}

    /// For kinds that nothing else is set for. With `namespaces` there is one watch for each of them, and
    /// in_namespace() of the options does not count; without, it does.
    cache_options& all_kinds(informer_options o, std::vector<std::string> namespaces = {}) {
        return all_ = kind_options(std::move(o), std::move(namespaces)), *this;
    }
    /// Those of the kinds that nothing else is set for.
    cache_options& namespaces(std::vector<std::string> n) { return all_.namespaces = std::move(n), *this; }
    template <resource T>
    cache_options& for_kind(informer_options o, std::vector<std::string> namespaces = {}) {
        return for_kind(resource_of<T>().gvk, std::move(o), std::move(namespaces));
    }
    KCONTROL_DECL cache_options& for_kind(const group_version_kind& kind, informer_options o,
                                          std::vector<std::string> namespaces = {});

    /// Compares each cache with its server now and then, by the metadata of all of its objects, which costs the server
    /// a list: what differs, and is not merely on its way, is logged and counted (docs/cache.md). Default, and zero:
    /// never.
    cache_options& audit_period(duration d) { return audit_period_ = d, *this; }
    duration audit_period() const noexcept { return audit_period_; }

    /// The options of each informer of a kind: one for each of its namespaces, sorted, or one. What belongs to no
    /// namespace has one, of all.
    KCONTROL_DECL std::vector<informer_options> of(const resource_info& kind) const;
    /// The same, of informers that log there.
    KCONTROL_DECL std::vector<informer_options> of(const resource_info& kind, const logger& log) const;
    const informer_options& all_kinds() const noexcept { return all_.options; }
    const std::vector<std::string>& namespaces() const noexcept { return all_.namespaces; }

private:
    struct kind_options {
        kind_options() = default;
        kind_options(informer_options o, std::vector<std::string> n)
            : options(std::move(o)), namespaces(std::move(n)) {}

        group_version_kind kind;  // empty: all
        informer_options options;
        std::vector<std::string> namespaces;
    };

    kind_options all_;
    duration audit_period_{};
    std::vector<kind_options> kinds_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/cache_options.ipp>
#endif
