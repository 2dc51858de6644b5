// Options of the C functions: a JSON object whose keys are known.
#pragma once

#include <kcontrol/json/reader.hpp>

#include "failure.hpp"

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::service_c {

/// Reads values by key and keeps the first failure, so that callers read all and ask once.
class options {
public:
    /// `call` is the function's name, for messages; null text is {}. Failures: KC_EINVAL, for what is no JSON object
    /// and for keys that are not in `keys`.
    static outcome<options> parse(std::string_view call, const char* text,
                                  std::initializer_list<std::string_view> keys);

    // Nothing where the key is absent or null. A wrong type is the failure.
    std::optional<std::string> text(std::string_view key);
    std::optional<bool> boolean(std::string_view key);
    /// Whole or broken seconds, above 0.
    std::optional<std::chrono::milliseconds> seconds(std::string_view key);
    /// A port: 1 to 65535, as the text of its digits, or a name.
    std::optional<std::string> port(std::string_view key);
    /// An object in this one. Unknown keys are the failure.
    std::optional<options> nested(std::string_view key, std::initializer_list<std::string_view> keys);
    /// Takes a failure of a nested one over.
    void merge(const options& nested);

    /// Keeps "KEY VALUE-IS-WRONG" as the failure if there is none yet.
    void refuse(std::string_view key, std::string_view why);
    /// The first failure.
    outcome<void> check() const;

private:
    options() = default;
    void check_keys(std::initializer_list<std::string_view> keys);
    json::node find(std::string_view key) const;

    std::string call_;
    std::string path_;  // of a nested one: "label."
    std::shared_ptr<json::document> document_;
    json::node root_;
    std::optional<failure> failure_;
};

}  // namespace kcontrol::service_c
