// Fills any described object through its table, as the decoder does. The same seed gives the same object.
#pragma once

#include <kcontrol/values/containers.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/quantity_text.hpp>
#include <kcontrol/values/raw_json.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace kcontrol::test {

class random_filler {
public:
    explicit random_filler(unsigned seed) : random_(seed) {}

    /// Of a hundred values so many are what no server takes: texts that are not UTF-8, amounts that are none, times
    /// beyond those that can be written. Texts are mostly base64 then, and amounts mostly right.
    random_filler& wrong(unsigned percent) {
        wrong_ = percent;
        plausible_ = true;
        return *this;
    }

    void fill(const type_descriptor& type, void* out, int depth = 0) {
        switch (type.kind) {
        case type_kind::boolean: *static_cast<bool*>(out) = below(2) == 1; break;
        case type_kind::int32: *static_cast<std::int32_t*>(out) = static_cast<std::int32_t>(random_()); break;
        case type_kind::int64: *static_cast<std::int64_t*>(out) = number(); break;
        case type_kind::number: *static_cast<double*>(out) = real(); break;
        case type_kind::string: *static_cast<std::string*>(out) = text(); break;
        case type_kind::text: *static_cast<kcontrol::text*>(out) = text(); break;
        case type_kind::quantity: *static_cast<quantity_text*>(out) = amount(); break;
        case type_kind::raw: *static_cast<raw_json*>(out) = raw_json::parse(json()).value(); break;
        case type_kind::int_or_string:
            *static_cast<int_or_string*>(out) = plausible_ && below(2) == 1
                                                    ? int_or_string(static_cast<std::int32_t>(random_()))
                                                    : int_or_string(text());
            break;
        case type_kind::timestamp:
        case type_kind::microseconds: *static_cast<timestamp*>(out) = time(); break;
        case type_kind::optional: fill_optional(type, out, depth); break;
        case type_kind::list: {
            const std::size_t count = depth > 6 ? 0 : below(4);
            kcontrol::detail::list_renew(type, out, count);
            for (std::size_t i = 0; i < count; ++i)
                fill(*type.element, kcontrol::detail::list_at(type, out, i), depth + 1);
            break;
        }
        case type_kind::map:
            for (std::size_t n = depth > 6 ? 0 : below(4); n > 0; --n)
                fill(*type.element, kcontrol::detail::map_insert(type, out, text()), depth + 1);
            break;
        case type_kind::structure:
            for (std::size_t i = 0; i < type.field_count; ++i) {
                if (plausible_ && below(3) == 0) continue;  // absent
                fill(*type.fields[i].type, type.fields[i].place(out), depth + 1);
            }
            break;
        case type_kind::custom: break;
        }
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    bool is_wrong() { return wrong_ > 0 && below(100) < wrong_; }

    void fill_optional(const type_descriptor& type, void* out, int depth) {
        if (depth > 9 || below(2) == 0) {
            if (plausible_ && below(4) == 0) kcontrol::detail::optional_set_null(type, out);
            return;
        }
        fill(*type.element, kcontrol::detail::optional_emplace(type, out), depth + 1);
    }

    std::int64_t number() {
        static constexpr std::int64_t edges[] = {0,
                                                 -1,
                                                 1,
                                                 std::numeric_limits<std::int64_t>::max(),
                                                 std::numeric_limits<std::int64_t>::min(),
                                                 9007199254740993};
        if (below(2) == 0) return edges[below(std::size(edges))];
        return static_cast<std::int64_t>((static_cast<std::uint64_t>(random_()) << 32) | random_());
    }

    double real() {
        if (is_wrong()) return below(2) == 0 ? -0.0 : std::numeric_limits<double>::infinity();
        return static_cast<double>(number()) / 3.0;
    }

    std::string text() {
        static const char* const pieces[] = {
            "a", "\"", "\\", "/", "\n", "\x01", "\x7f", "\xc3\xa4", "\t", " ", "{", "\xe2\x80\xa8", "\xf0\x9f\x98\x80",
            "<", "0"};
        if (is_wrong()) return below(2) == 0 ? "\xff" : "eight\xc3" + std::to_string(below(10)) + "\xa4";
        if (plausible_ && below(2) == 0) return below(3) == 0 ? "c2V2ZW43Nw==" : "abcd";
        std::string out;
        for (std::size_t n = below(6); n > 0; --n) out += pieces[below(std::size(pieces))];
        return out;
    }

    std::string amount() {
        static const char* const amounts[] = {
            "", "0", "100m", "1.5Gi", "1e3", "0.001", "-2048Ki", "1000", "12345678901234567890123"};
        return !plausible_ || is_wrong() ? text() : amounts[below(std::size(amounts))];
    }

    std::string json() {
        static const char* const values[] = {"[1]",
                                             "1",
                                             "1.0",
                                             "-0",
                                             "{\"b\":[1e2,null],\"a\":\"\\u00e4\"}",
                                             "true",
                                             "null",
                                             "\"text\"",
                                             "[\"a\",\"b\"]",
                                             "{\"type\":\"string\"}"};
        return values[plausible_ ? below(std::size(values)) : 0];
    }

    wall_time time() {
        const auto seconds = wall_time(std::chrono::seconds(below(2'000'000'000)));
        if (!plausible_) return seconds;
        if (is_wrong()) return wall_time(duration(number()));
        return seconds - std::chrono::seconds(below(2'000'000'000)) + duration(below(1'000'000'000));
    }

    std::mt19937 random_;
    unsigned wrong_ = 0;
    bool plausible_ = false;
};

}  // namespace kcontrol::test
