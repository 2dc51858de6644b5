// Two quantities, separated by a blank: order, sums and texts must agree with each other.
#include <kcontrol/values/quantity.hpp>

#include "require.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using kcontrol::quantity;
    using kcontrol::fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto blank = text.find(' ');
    const auto a = quantity::parse(text.substr(0, blank));
    if (!a) {
        require(!a.error().message().empty() && a.error().message().size() < 512);
        return 0;
    }
    require(a->text() == text.substr(0, blank));
    const auto canonical = quantity::parse(a->canonical());
    require(canonical && *canonical == *a);
    require((a->sign() <=> 0) == (*a <=> quantity()));
    require(-(-*a) == *a);
    if (blank == std::string_view::npos) return 0;

    const auto b = quantity::parse(text.substr(blank + 1));
    if (!b) return 0;
    require((*a <=> *b) == (0 <=> (*b <=> *a)));
    require(*a + *b == *b + *a);
    require(*a - *b == -(*b - *a));
    require(((*a - *b).sign() <=> 0) == (*a <=> *b));
    if (a->as_int64() && b->as_int64()) require((*a < *b) == (*a->as_int64() < *b->as_int64()));
    require((*a < *b) ? a->value() <= b->value() : a->value() >= b->value());
    return 0;
}
