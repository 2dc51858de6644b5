// Checkpoints: what a job says of them, and what its status remembers.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <cstdint>

namespace training_operator {

using namespace kcontrol;

struct checkpoint_spec {
    text uri;              ///< ranks get it as CHECKPOINT_URI
    text resume = "Auto";  ///< or Never
    static constexpr auto kcontrol_fields() {
        return fields(
            field("uri", &checkpoint_spec::uri, rules().max_length(2048)),
            field("resume", &checkpoint_spec::resume,
                  rules()
                      .enum_values("Auto", "Never")
                      .default_string("Auto")
                      .describe("Auto: the next attempt goes on at the newest checkpoint that no rank refused.")));
    }
    friend bool operator==(const checkpoint_spec&, const checkpoint_spec&) = default;
};

struct checkpoint {
    std::int64_t step = 0;
    text uri;
    text sha256;
    timestamp time;            ///< when the operator heard of it
    std::int32_t attempt = 0;  ///< in which it was reported
    bool refused = false;      ///< by a rank that began with it
    static constexpr auto kcontrol_fields() {
        using self = checkpoint;
        return fields(field("step", &self::step, rules().required()), field("uri", &self::uri, rules().required()),
                      field("sha256", &self::sha256), field("time", &self::time), field("attempt", &self::attempt),
                      field("refused", &self::refused));
    }
    friend bool operator==(const checkpoint&, const checkpoint&) = default;
};

}  // namespace training_operator
