// A controller of sites that own parts, around a reconciler under test.
#pragma once

#include <kcontrol/manager/manager.hpp>

#include "controllerutil/site.hpp"

#include <memory>
#include <utility>

namespace kcontrol::test {

using site_ptr = std::shared_ptr<const site>;

/// What sets a program up whose reconciler is `reconcile(client, reconcile_context, site_ptr)`.
template <class F>
auto site_controller(F reconcile) {
    return [reconcile](manager& m) {
        const auto bound = [reconcile, c = m.get_client()](reconcile_context ctx, site_ptr s) {
            return reconcile(c, std::move(ctx), std::move(s));
        };
        auto builder = controller_builder(m, "sites").for_<site>();
        return builder.owns<part>().complete(bound);
    };
}

}  // namespace kcontrol::test
