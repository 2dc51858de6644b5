// Random JSON that a type's table allows, and random JSON that no table knows. The same seed gives the same bytes.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol_test {

namespace json = kcontrol::json;

/// splitmix64: small, and the same everywhere.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : state_(seed) {}

    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t bound) { return (*this)() % bound; }
    bool chance(unsigned percent) { return below(100) < percent; }
    /// Eight letters: a DNS label, a key, and valid base64.
    std::string word() {
        std::string out(8, 'a');
        for (char& c : out) c = static_cast<char>('a' + below(26));
        return out;
    }

private:
    std::uint64_t state_;
};

/// Adds to an object what its type's table allows.
class random_object {
public:
    /// `unknown`: adds members that no table declares, to every object at any depth.
    random_object(random_source& random, bool unknown) : random_(random), unknown_(unknown) {}

    /// Below the members named in `fixed` nothing is added.
    void fill(const kcontrol::type_descriptor& type, json::object& into, const std::vector<std::string_view>& fixed) {
        fixed_ = fixed;
        fill_structure(type, into, 0);
        auto& metadata = into["metadata"].as_object();
        for (const char* member : {"labels", "annotations"}) {
            auto& entries =
                metadata[member].is_object() ? metadata[member].as_object() : metadata[member].emplace_object();
            for (auto left = 1 + random_.below(3); left > 0; --left) entries[random_.word()] = random_.word();
        }
    }

private:
    using kind = kcontrol::type_kind;

    void fill_structure(const kcontrol::type_descriptor& type, json::object& into, int depth) {
        for (std::uint32_t i = 0; i < type.field_count; ++i) {
            const auto& field = type.fields[i];
            const std::string name(field.name);
            if (std::find(fixed_.begin(), fixed_.end(), name) != fixed_.end() || name == "metadata") continue;
            if (auto* there = into.if_contains(name)) {
                fill_more(*field.type, *there, depth + 1);
            } else if (field.required || random_.chance(depth < 2 ? 50 : depth < 5 ? 25 : 5)) {
                auto made = make(*field.type, depth + 1);
                if (!made.is_null()) into[name] = std::move(made);
            }
        }
        if (unknown_ && depth > 0) add_unknown(into);
    }

    void fill_more(const kcontrol::type_descriptor& type, json::value& there, int depth) {
        if (type.kind == kind::optional) return fill_more(*type.element, there, depth);
        if (type.kind == kind::structure && there.is_object()) return fill_structure(type, there.as_object(), depth);
        if (type.kind != kind::list || !there.is_array()) return;
        for (auto& element : there.as_array()) fill_more(*type.element, element, depth);
    }

    json::value make(const kcontrol::type_descriptor& type, int depth) {
        switch (type.kind) {
        case kind::boolean: return random_.chance(50);
        case kind::int32: return static_cast<std::int64_t>(1 + random_.below(100));
        case kind::int64: return static_cast<std::int64_t>(1 + random_.below(100));
        case kind::number: return 0.25 * static_cast<double>(random_.below(4));
        case kind::string:
        case kind::text: return json::value(random_.word());
        case kind::quantity: return json::value(std::to_string(1 + random_.below(900)) + "m");
        case kind::timestamp: return "2024-02-03T04:05:06Z";
        case kind::microseconds: return "2024-02-03T04:05:06.000007Z";
        case kind::int_or_string:
            return random_.chance(50) ? json::value(static_cast<std::int64_t>(1 + random_.below(100)))
                                      : json::value(random_.word());
        case kind::raw: return unknown_object(depth);
        case kind::optional: return make(*type.element, depth);
        case kind::list: {
            json::array out;
            for (auto left = 1 + random_.below(3); left > 0; --left) out.push_back(make(*type.element, depth));
            return out;
        }
        case kind::map: {
            json::object out;
            for (auto left = 1 + random_.below(3); left > 0; --left) out[random_.word()] = make(*type.element, depth);
            return out;
        }
        case kind::structure: {
            json::object out;
            if (depth < 9) fill_structure(type, out, depth);
            return out;
        }
        case kind::custom: break;
        }
        return nullptr;
    }

    void add_unknown(json::object& into) {
        for (auto left = random_.below(3); left > 0; --left) into["x-" + random_.word()] = unknown_value(0);
    }

    json::value unknown_object(int depth) {
        json::object out;
        for (auto left = 1 + random_.below(3); left > 0; --left) out[random_.word()] = unknown_value(depth);
        return out;
    }

    json::value unknown_value(int depth) {
        switch (random_.below(depth < 4 ? 9 : 6)) {
        case 0: return random_.chance(50);
        case 1: return static_cast<std::int64_t>(random_());  // any of 64 bits
        case 2: return 0.1 * static_cast<double>(random_.below(1000)) + 1e-9;
        case 3: return json::value(random_.word() + "ä\"\\\n\t\x01😀/~1");
        case 4: return "";
        case 5: return json::value(random_.word());
        case 6: return unknown_object(depth + 1);
        case 7: return json::object();
        default: {
            json::array out;
            for (auto left = random_.below(4); left > 0; --left) out.push_back(unknown_value(depth + 1));
            return out;
        }
        }
    }

    random_source& random_;
    bool unknown_;
    std::vector<std::string_view> fixed_;
};

}  // namespace kcontrol_test
