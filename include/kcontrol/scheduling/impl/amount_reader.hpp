// Reads the amounts of a ResourceList, and says which of them are wrong.
#pragma once

#include <kcontrol/scheduling/resource_amounts.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/quantity.hpp>
#include <kcontrol/values/quantity_text.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

/// Where a ResourceList stands: `list`, or `list[index]member`.
struct amounts_path {
    static constexpr std::size_t no_index = static_cast<std::size_t>(-1);

    std::string_view list;
    std::size_t index = no_index;
    std::string_view member = {};

    std::string of(std::string_view resource) const {
        std::string out(list);
        if (index != no_index) out.append("[").append(std::to_string(index)).append("]").append(member);
        return out.append("[").append(resource).append("]");
    }
};

/// Sets the amount of a resource by its name in requests, if kube-scheduler counts it.
inline void set_amount(resource_amounts& in, std::string_view resource, std::int64_t amount) {
    if (resource == "cpu") {
        in.cpu_milli = amount;
    } else if (resource == "memory") {
        in.memory = amount;
    } else if (resource == "ephemeral-storage") {
        in.ephemeral_storage = amount;
    } else if (resource == "pods") {
        in.pods = amount;
    } else if (resource_amounts::is_extended(resource)) {
        in.set_extended(interned_name(resource), amount);
    }
}

/// The amounts of a ResourceList, and which of those with a default for scores it has.
struct listed_amounts {
    resource_amounts amounts;
    bool has_cpu = false;
    bool has_memory = false;

    void set(std::string_view resource, std::int64_t amount) {
        set_amount(amounts, resource, amount);
        has_cpu |= resource == "cpu";
        has_memory |= resource == "memory";
    }
    void raise_to(const listed_amounts& other) {
        amounts.raise_to(other.amounts);
        has_cpu |= other.has_cpu;
        has_memory |= other.has_memory;
    }
};

class amount_reader {
public:
    /// `beyond` stands for what is greater than 2^63-1.
    explicit amount_reader(std::int64_t beyond) : beyond_(beyond) {}

    listed_amounts read(const dict<quantity_text>& from, const amounts_path& path) {
        listed_amounts out;
        for (const auto& [resource, text] : from) out.set(resource, amount(resource, text, path));
        return out;
    }

    /// 0 for what is no amount.
    std::int64_t amount(std::string_view resource, std::string_view text, const amounts_path& path) {
        constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
        const std::int32_t scale = resource == "cpu" ? -3 : 0;
        const auto parsed = quantity::parse(text);
        if (!parsed) return refuse(resource, text, path, "is no quantity"), 0;
        if (parsed->sign() < 0) return refuse(resource, text, path, "is negative"), 0;
        const std::int64_t value = parsed->scaled_value(scale);
        if (value != greatest || *parsed <= quantity(greatest, scale)) return value;
        return refuse(resource, text, path,
                      scale == 0 ? "is greater than 2^63-1" : "is greater than 2^63-1 thousandths"),
               beyond_;
    }

    /// The first that is wrong: field, value, and why; empty if nothing is.
    const std::string& wrong() const noexcept { return wrong_; }
    void refuse(std::string_view resource, std::string_view text, const amounts_path& path, std::string_view why) {
        if (!wrong_.empty()) return;
        wrong_.append(path.of(resource)).append(": \"").append(text).append("\" ").append(why);
    }
    void refuse_sum(std::string_view what) {
        if (wrong_.empty()) wrong_.append(what);
    }

private:
    std::int64_t beyond_;
    std::string wrong_;
};

}  // namespace kcontrol::scheduling::detail
