// Random objects survive writing and reading, for any seed.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/values/containers.hpp>

#include "model/pod.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace kcontrol;

namespace {

/// Fills any described object through its table, as the decoder does.
class random_filler {
public:
    explicit random_filler(unsigned seed) : random_(seed) {}

    void fill(const type_descriptor& type, void* out, int depth = 0) {
        switch (type.kind) {
        case type_kind::boolean: *static_cast<bool*>(out) = below(2) == 1; break;
        case type_kind::int32: *static_cast<std::int32_t*>(out) = static_cast<std::int32_t>(random_()); break;
        case type_kind::int64: *static_cast<std::int64_t*>(out) = number(); break;
        case type_kind::number: *static_cast<double*>(out) = static_cast<double>(number()) / 3.0; break;
        case type_kind::string: *static_cast<std::string*>(out) = text(); break;
        case type_kind::text: *static_cast<kcontrol::text*>(out) = text(); break;
        case type_kind::quantity: *static_cast<quantity_text*>(out) = text(); break;
        case type_kind::raw: *static_cast<raw_json*>(out) = raw_json::parse("[1]").value(); break;
        case type_kind::int_or_string: *static_cast<int_or_string*>(out) = text(); break;
        case type_kind::timestamp:
        case type_kind::microseconds: {
            const std::int64_t whole_seconds = static_cast<std::int64_t>(below(2'000'000'000));
            *static_cast<timestamp*>(out) = wall_time(std::chrono::seconds(whole_seconds));
            break;
        }
        case type_kind::optional:
            if (below(2) == 1) fill(*type.element, kcontrol::detail::optional_emplace(type, out), depth);
            break;
        case type_kind::list: {
            const std::size_t count = depth > 6 ? 0 : below(4);
            kcontrol::detail::list_renew(type, out, count);
            for (std::size_t i = 0; i < count; ++i)
                fill(*type.element, kcontrol::detail::list_at(type, out, i), depth + 1);
            break;
        }
        case type_kind::map:
            for (std::size_t n = below(4); n > 0; --n)
                fill(*type.element, kcontrol::detail::map_insert(type, out, text()), depth + 1);
            break;
        case type_kind::structure:
            for (std::size_t i = 0; i < type.field_count; ++i) {
                fill(*type.fields[i].type, type.fields[i].place(out), depth + 1);
            }
            break;
        case type_kind::custom: break;
        }
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }

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

    std::string text() {
        static const char* const pieces[] = {
            "a", "\"", "\\", "/", "\n", "\x01", "\x7f", "\xc3\xa4", "\t", " ", "{", "\xe2\x80\xa8", "\xf0\x9f\x98\x80",
            "<", "0"};
        std::string out;
        for (std::size_t n = below(6); n > 0; --n) out += pieces[below(std::size(pieces))];
        return out;
    }

    std::mt19937 random_;
};

}  // namespace

TEST_CASE("round trip: decode after encode gives an equal object") {
    std::size_t different = 0;
    for (unsigned seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        kcontrol_test::pod value;
        random_filler(seed).fill(describe<kcontrol_test::pod>(), &value);
        const std::string text = to_json(value);
        const auto again = from_json<kcontrol_test::pod>(text);
        REQUIRE(again.has_value());
        const bool same = equal(value, *again);
        CHECK(same);
        CHECK(to_json(*again) == text);

        kcontrol_test::pod other;
        random_filler(seed + 1).fill(describe<kcontrol_test::pod>(), &other);
        const bool equal_to_other = equal(value, other);
        CHECK(equal_to_other == (to_json(other) == text));
        if (!equal_to_other) ++different;
    }
    CHECK(different > 490);
}
