// Which tenant a namespace belongs to, and which tenants contradict each other.
#pragma once

#include <kcontrol/model/label_selector.hpp>

#include "tenants/tenant.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// The tenant of namespaces that no tenant names or selects.
inline constexpr std::string_view default_tenant = "default";

/// What is wrong with a tenant, as its condition Ready=False says it.
struct tenant_problem {
    std::string reason;   ///< ParentNotFound, ParentCycle, QuotaAboveParent, NamespaceTaken, InvalidSelector
    std::string message;  ///< field, value and the other tenant

    friend bool operator==(const tenant_problem&, const tenant_problem&) = default;
};

/// All tenants. Of two that contradict each other the older one is right, of equally old ones the first by name.
///
/// Thread-safety: shared objects safe for const access.
class membership {
public:
    explicit membership(std::vector<tenant> tenants);

    /// The tenant of a namespace: the one that names it, else the first one that selects it by its labels.
    std::string tenant_of(std::string_view namespace_, const kcontrol::dict<text>& labels) const;
    /// What is wrong, by the name of the tenant: the first thing of each.
    const std::map<std::string, tenant_problem>& problems() const noexcept { return problems_; }

private:
    const tenant* find(std::string_view name) const;
    void find_problem(const tenant& of, std::string reason, std::string message);
    void check_parents();
    void check_quotas();
    void take_namespaces();

    std::vector<tenant> tenants_;  // the oldest first
    std::map<std::string, std::string, std::less<>> by_namespace_;
    std::vector<std::pair<kcontrol::label_selector, std::string>> by_labels_;
    std::map<std::string, tenant_problem> problems_;
};

}  // namespace gpu_scheduler
