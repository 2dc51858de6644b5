// A kind together with the way to make an informer of it, for code that does not know its type.
#pragma once

#include <kcontrol/cache/informer.hpp>

#include <memory>
#include <utility>

namespace kcontrol {

/// A kind to make informers of. The resource_info outlives all that is made of it.
class informer_kind {
public:
    using maker = std::shared_ptr<any_informer> (*)(environment&, executor, client, const resource_info&,
                                                    informer_options);

    informer_kind(const resource_info& i, maker m) : info(&i), make(m) {}
    /// A kind whose C++ type is not known here; converts, so that a resource_info will do where a kind is asked for.
    KCONTROL_DECL informer_kind(const resource_info& i);

    const resource_info* info;
    maker make;
};

/// The kind of a type: what is made of it is an informer<T>.
template <resource T>
informer_kind informer_kind_of() {
    const auto make = [](environment& env, executor ex, client cl, const resource_info&, informer_options options) {
        return std::shared_ptr<any_informer>(
            std::make_shared<informer<T>>(env, std::move(ex), std::move(cl), std::move(options)));
    };
    return informer_kind(resource_of<T>(), make);
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/informer_kind.ipp>
#endif
