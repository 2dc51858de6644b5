// What a controller builder asks of the place where controllers live; manager is one.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/controller/controller.hpp>

#include <memory>
#include <utility>

namespace kcontrol {

/// A kind together with the way to make an informer of it, for code that does not know its type.
class informer_kind {
public:
    using maker = std::shared_ptr<any_informer> (*)(environment&, executor, client, informer_options);

    informer_kind(const resource_info& i, maker m) : info(&i), make(m) {}

    const resource_info* info;
    maker make;
};

template <resource T>
informer_kind informer_kind_of() {
    const auto make = [](environment& env, executor ex, client cl, informer_options options) {
        return std::shared_ptr<any_informer>(
            std::make_shared<informer<T>>(env, std::move(ex), std::move(cl), std::move(options)));
    };
    return informer_kind(resource_of<T>(), make);
}

/// Gives builders what controllers are made of, and keeps the controllers.
///
/// Thread-safety: shared objects unsafe; use it on its executor.
class controller_host {
public:
    virtual ~controller_host() = default;
    virtual environment& env() const noexcept = 0;
    virtual executor get_executor() const = 0;
    virtual const logger& log() const noexcept = 0;

    /// The objects of a kind. Controllers of one host share one informer for each kind.
    virtual std::shared_ptr<cached_source> source_of(const informer_kind& kind) = 0;

    /// Takes a controller to run. Errors: invalid_argument (its name is taken), unavailable (the host is stopping).
    virtual result<void> add(std::shared_ptr<any_controller> added) = 0;
};

}  // namespace kcontrol
