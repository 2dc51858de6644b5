// The service accounts of a fake_cluster: each namespace has one, as Kubernetes' controller of service accounts makes
// it.
#include <kcontrol/testing/fake_cluster.hpp>

#include "testing/fake_core.hpp"
#include "testing/fake_objects.hpp"

namespace kcontrol::inline v0_1::testing::detail {
namespace {

constexpr std::string_view default_account = "default";

}  // namespace

void fake_core::plan_account(const group_resource& id, change what, const namespaced_name& key) {
    if (id == fake_namespaces && what != change::deleted) {
        plan({part::account, key}, options_.reaction());
    } else if (id == fake_accounts && what == change::deleted && key.name == default_account) {
        plan({part::account, {"", key.namespace_}}, options_.reaction());
    }
}

fake_core::again fake_core::step_account(const namespaced_name& ns) {
    const auto there = api_.get(fake_namespaces, ns);
    if (!there || is_leaving(*there)) return std::nullopt;
    if (api_.get(fake_accounts, {ns.name, std::string(default_account)})) return std::nullopt;
    json::object metadata;
    metadata["name"] = default_account;
    metadata["namespace"] = ns.name;
    json::object account;
    account["apiVersion"] = "v1";
    account["kind"] = "ServiceAccount";
    account["metadata"] = std::move(metadata);
    static_cast<void>(api_.create(json::value(std::move(account))));
    return std::nullopt;
}

}  // namespace kcontrol::testing::detail
