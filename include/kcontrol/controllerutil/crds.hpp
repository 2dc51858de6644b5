// Installing CustomResourceDefinitions at a program's start, until their kinds are served.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/schema/crd.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// How install_crds goes about it.
class install_options {
public:
    /// Who owns the definitions' fields. Programs that install the same definition have the same one.
    install_options& field_manager(std::string m) { return field_manager_ = std::move(m), *this; }
    /// From the call until all kinds are served.
    install_options& deadline(duration d) { return deadline_ = d, *this; }
    /// Ends it with errc::stopped.
    install_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    const std::string& field_manager() const noexcept { return field_manager_; }
    duration deadline() const noexcept { return deadline_; }
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    std::string field_manager_ = "kcontrol-install-crds";
    duration deadline_ = std::chrono::seconds(30);
    std::stop_token stop_;
};

/// Applies the definitions (server-side, with force: they become what the program says, and other managers' labels and
/// annotations stay) and waits until each is Established and its served versions answer. A definition that is just
/// being deleted is waited for and applied again. What may pass (a server that starts, a connection that breaks) is
/// tried again until the deadline.
///
/// Errors: timeout, with what stood in the way last; no_such_kind if another definition has one of the names, which the
/// server says in the condition NamesAccepted; those of the API for a definition that it refuses (invalid, forbidden).
/// Each names the definition.
KCONTROL_DECL awaitable<result<void>> install_crds(client c, std::vector<custom_resource_definition> crds,
                                                   install_options options = {});

namespace detail {

KCONTROL_DECL awaitable<result<void>> install_made(client c, std::vector<result<custom_resource_definition>> crds,
                                                   install_options options);

}  // namespace detail

/// The same with the definitions of these kinds, one each: `install_crds<website>(client, install_options().stop(…))`.
/// Errors, besides: those of crd_of.
template <resource First, resource... More>
awaitable<result<void>> install_crds(client c, install_options options = {}) {
    std::vector<result<custom_resource_definition>> crds;
    crds.push_back(crd_of<First>());
    (crds.push_back(crd_of<More>()), ...);
    return detail::install_made(std::move(c), std::move(crds), std::move(options));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/crds.ipp>
#endif
