// Reads the amounts of a ResourceList, and says which of them are wrong.
#pragma once

#include <kcontrol/scheduling/impl/capped_sum.hpp>
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

/// An amount in whole units, rounded up, and by how many nanos it is less than that: less than a unit.
struct exact_amount {
    std::int64_t whole = 0;
    std::int64_t less = 0;

    bool add(const exact_amount& other, std::int64_t nanos_of_unit) {
        const bool fits = add_capped(whole, other.whole);
        less += other.less;
        if (less >= nanos_of_unit) {
            less -= nanos_of_unit;
            --whole;
        }
        return fits;
    }
    void raise_to(const exact_amount& other) {
        if (other.whole > whole || (other.whole == whole && other.less < less)) *this = other;
    }
};

/// The amounts of a ResourceList.
struct listed_amounts {
    static constexpr std::int64_t nanos_of_milli = 1'000'000;
    static constexpr std::int64_t nanos_of_whole = 1'000'000'000;

    exact_amount cpu;  // in thousandths
    exact_amount memory;
    exact_amount ephemeral_storage;
    resource_amounts others;  // pods and extended ones
    bool has_cpu = false;
    bool has_memory = false;

    void set(std::string_view resource, exact_amount amount) {
        if (resource == "cpu") {
            cpu = amount;
            has_cpu = true;
        } else if (resource == "memory") {
            memory = amount;
            has_memory = true;
        } else if (resource == "ephemeral-storage") {
            ephemeral_storage = amount;
        } else if (resource == "pods") {
            others.pods = amount.whole;
        } else if (resource_amounts::is_extended(resource)) {
            others.set_extended(interned_name(resource), amount.whole);
        }
    }
    bool add(const listed_amounts& other) {
        has_cpu |= other.has_cpu;
        has_memory |= other.has_memory;
        const bool fits = others.add(other.others);
        const bool fits_cpu = cpu.add(other.cpu, nanos_of_milli);
        const bool fits_memory = memory.add(other.memory, nanos_of_whole);
        return ephemeral_storage.add(other.ephemeral_storage, nanos_of_whole) && fits && fits_cpu && fits_memory;
    }
    void raise_to(const listed_amounts& other) {
        others.raise_to(other.others);
        cpu.raise_to(other.cpu);
        memory.raise_to(other.memory);
        ephemeral_storage.raise_to(other.ephemeral_storage);
        has_cpu |= other.has_cpu;
        has_memory |= other.has_memory;
    }
    resource_amounts rounded() const {
        resource_amounts out = others;
        out.cpu_milli = cpu.whole;
        out.memory = memory.whole;
        out.ephemeral_storage = ephemeral_storage.whole;
        return out;
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
    exact_amount amount(std::string_view resource, std::string_view text, const amounts_path& path) {
        constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
        const bool is_cpu = resource == "cpu";
        const std::int32_t scale = is_cpu ? -3 : 0;
        const auto parsed = quantity::parse(text);
        if (!parsed) return refuse(resource, text, path, "is no quantity"), exact_amount();
        if (parsed->sign() < 0) return refuse(resource, text, path, "is negative"), exact_amount();
        const std::int64_t value = parsed->scaled_value(scale);
        if (value == greatest && *parsed > quantity(greatest, scale)) {
            refuse(resource, text, path, is_cpu ? "is greater than 2^63-1 thousandths" : "is greater than 2^63-1");
            return {beyond_, 0};
        }
        // Of amounts so large that 64 bits do not hold their nanos, parts of a unit count as one.
        const std::int64_t nanos = parsed->scaled_value(-9);
        const std::int64_t unit = is_cpu ? listed_amounts::nanos_of_milli : listed_amounts::nanos_of_whole;
        return {value, nanos == greatest || value > greatest / unit ? 0 : value * unit - nanos};
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
