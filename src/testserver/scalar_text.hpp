// Texts that Go parses when it reads an object, and how it writes them again: quantities, bytes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// A text that was read.
class scalar_text {
public:
    std::string text;                    ///< as Go writes it
    std::optional<std::string> problem;  ///< why it can't be read, in Go's words; nothing: it can
};

/// resource.Quantity: "1.0" is written "1", "1024Mi" is "1Gi".
scalar_text read_quantity(std::string_view text);

/// The same, rounded up to thousandths, as the amounts of resources are by default.
std::string round_to_milli(std::string_view text);

/// []byte, which is base64 in JSON.
scalar_text read_bytes(std::string_view text);

}  // namespace kcontrol::testing::detail
