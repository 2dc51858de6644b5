#include "testing/pod_resources.hpp"

#include "testing/fake_objects.hpp"

namespace kcontrol::inline v0_1::testing::detail {
namespace {

void add_amounts(resource_amounts& to, const resource_amounts& more) {
    for (const auto& [name, amount] : more) to[name] += amount;
}

void raise_to(resource_amounts& to, const resource_amounts& least) {
    for (const auto& [name, amount] : least) {
        quantity& now = to[name];
        if (now < amount) now = amount;
    }
}

// A limit without a request is the request, too, as the API's defaults say.
resource_amounts requests_of(const json::value& of) {
    resource_amounts out = amounts_of(json::find(of, {"resources", "requests"}));
    out.merge(amounts_of(json::find(of, {"resources", "limits"})));
    return out;
}

quantity amount_in(const resource_amounts& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? quantity() : found->second;
}

// Named by a vendor: "nvidia.com/gpu".
bool is_extended(const std::string& resource) {
    return resource.find('/') != std::string::npos && resource.find("kubernetes.io/") == std::string::npos;
}

bool is_sidecar(const json::value& init_container) {
    return json::get_string(init_container, {"restartPolicy"}) == "Always";
}

}  // namespace

resource_amounts amounts_of(const json::value* object) {
    resource_amounts out;
    if (object == nullptr || !object->is_object()) return out;
    for (const auto& member : object->get_object()) {
        const json::value& given = member.value();
        const auto amount =
            quantity::parse(given.is_string() ? std::string(given.get_string()) : json::serialize(given));
        if (amount) out.emplace(std::string(member.key()), *amount);
    }
    return out;
}

resource_amounts requests_of_pod(const json::value& pod) {
    resource_amounts out, sidecars, starting;
    for (const auto& container : array_at(pod, {"spec", "containers"})) add_amounts(out, requests_of(container));
    for (const auto& container : array_at(pod, {"spec", "initContainers"})) {
        const resource_amounts own = requests_of(container);
        if (is_sidecar(container)) {
            add_amounts(out, own);
            add_amounts(sidecars, own);
            raise_to(starting, sidecars);
        } else {
            resource_amounts beside = sidecars;  // those that were started before it
            add_amounts(beside, own);
            raise_to(starting, beside);
        }
    }
    raise_to(out, starting);
    const json::value* spec = json::find(pod, {"spec"});
    if (spec != nullptr) {
        for (const auto& [name, amount] : requests_of(*spec)) out[name] = amount;
    }
    add_amounts(out, amounts_of(json::find(pod, {"spec", "overhead"})));
    return out;
}

void node_usage::add(const resource_amounts& wanted) {
    ++pods;
    add_amounts(amounts, wanted);
}

void node_usage::remove(const resource_amounts& wanted) {
    --pods;
    for (const auto& [name, amount] : wanted) amounts[name] -= amount;
}

node_shortage shortage_on(const resource_amounts& wanted, const node_usage& used, const resource_amounts& allocatable) {
    node_shortage out;
    if (used.pods + 1 > amount_in(allocatable, "pods").value()) out.reasons.emplace_back("Too many pods");
    for (const auto& [name, amount] : wanted) {
        const quantity there = amount_in(allocatable, name);
        if (amount.is_zero() || amount + amount_in(used.amounts, name) <= there) continue;
        out.reasons.push_back("Insufficient " + name);
        out.for_ever = out.for_ever || amount > there;
    }
    return out;
}

std::optional<pod_rejection> rejection_on(const resource_amounts& wanted, const node_usage& used,
                                          const resource_amounts& allocatable) {
    const auto rejection = [](const std::string& resource, std::int64_t requested, std::int64_t held,
                              std::int64_t capacity) {
        return pod_rejection{"OutOf" + resource, "Node didn't have enough resource: " + resource + ", requested: " +
                                                     std::to_string(requested) + ", used: " + std::to_string(held) +
                                                     ", capacity: " + std::to_string(capacity)};
    };
    const std::int64_t places = amount_in(allocatable, "pods").value();
    if (used.pods + 1 > places) return rejection("pods", 1, used.pods, places);
    const auto short_of = [&](const std::string& name) -> std::optional<pod_rejection> {
        const quantity requested = amount_in(wanted, name), held = amount_in(used.amounts, name);
        const quantity capacity = amount_in(allocatable, name);
        if (requested.is_zero() || requested + held <= capacity) return std::nullopt;
        if (is_extended(name) && !allocatable.contains(name)) return std::nullopt;
        const auto number = [&name](const quantity& q) { return name == "cpu" ? q.milli_value() : q.value(); };
        return rejection(name, number(requested), number(held), number(capacity));
    };
    for (const char* first : {"cpu", "memory", "ephemeral-storage"}) {
        if (auto out = short_of(first)) return out;
    }
    for (const auto& [name, unused] : wanted) {
        if (auto out = short_of(name)) return out;
    }
    return std::nullopt;
}

}  // namespace kcontrol::testing::detail
