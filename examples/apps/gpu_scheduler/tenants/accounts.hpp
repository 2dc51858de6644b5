// What all tenants hold and request, in sums, and the books that follow from them.
#pragma once

#include "tenants/book.hpp"
#include "tenants/membership.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpu_scheduler {

/// A limit of a tenant, and how much may come until it is reached.
struct tenant_limit {
    std::string tenant;
    std::string product;  ///< empty: of all
    std::int64_t left = 0;
    std::string sentence;
};

/// The sums by product and tenant. The product "" stands for all GPUs together; besides, those products are counted of
/// which a tenant has a quota. Amounts are in thousandths of a GPU.
///
/// Thread-safety: shared objects unsafe.
class tenant_accounts {
public:
    /// The labels of a namespace.
    using labels_function = std::function<kcontrol::dict<text>(std::string_view)>;

    /// A book, and whether it knows the pods that run.
    struct tenant_product {
        tenant_book all;
        bool has_running = false;
    };

    explicit tenant_accounts(labels_function labels_of) : labels_of_(std::move(labels_of)) {}

    /// These tenants count from now on; all sums are to be counted again after clear(). Without a call there are none.
    /// False: only their status is another one than before, and all sums stay.
    bool set(std::vector<tenant> all);
    /// Labels of a namespace may have changed. Whether it is another tenant's now; the sums as above then.
    bool forget_namespace(std::string_view name);
    const std::string& tenant_of(std::string_view namespace_);

    bool has_tenants() const noexcept { return members_.has_value(); }
    const membership* members() const noexcept { return members_ ? &*members_ : nullptr; }
    const std::vector<tenant>& tenants() const noexcept { return tenants_; }
    const std::set<std::string>& products() const noexcept { return products_; }

    void clear();
    void add_capacity(const std::string& product, std::int64_t amount);
    void hold(const std::string& product, const std::string& tenant, std::int64_t amount);
    /// `product`: that the pods name; empty or another one: they count for all GPUs.
    void wait(const std::string& product, const std::string& tenant, std::int64_t amount, int pods);

    /// The book of one of products(). Valid until the next change.
    tenant_product& book(const std::string& product);
    std::int64_t requested(const std::string& product, const std::string& tenant) const;  ///< held, and waited for
    std::int64_t pending(const std::string& tenant) const;                                ///< how many pods wait
    /// The limits of a tenant and of those above it.
    std::vector<tenant_limit> limits_of(std::string_view tenant);
    /// tenant_book::hunger() of all GPUs; 0 without tenants.
    int hunger(std::string_view tenant, const hunger_bounds& bounds);
    /// Whether hunger() says something else of a tenant than at the last call.
    bool has_other_hunger(const hunger_bounds& bounds);

private:
    using sums = std::map<std::pair<std::string, std::string>, std::int64_t>;  // by product and tenant

    labels_function labels_of_;
    std::vector<tenant> tenants_;
    std::optional<membership> members_;
    std::set<std::string> products_{""};
    std::map<std::string, std::string, std::less<>> tenant_of_;  // by namespace
    sums held_, waits_;
    std::map<std::string, std::int64_t> pending_;   // pods, by tenant
    std::map<std::string, std::int64_t> capacity_;  // by product
    std::map<std::string, tenant_product> books_;   // by product, as far as asked
    std::map<std::string, int> classes_;            // by tenant
};

}  // namespace gpu_scheduler
