// Stands before a program's handler: lets in what the gate admits, and adds the headers that admission asks for.
#pragma once

#include <kcontrol/http/handler.hpp>

#include "guarded_serving/gate.hpp"

namespace guarded_serving {

/// Thread-safety: shared objects unsafe; requests run on the server's executor.
/// Object lifetime: outlives the server it answers for.
class guard {
public:
    explicit guard(gate_rules rules) : rules_(std::move(rules)) {}

    /// `inner` sees only what is admitted.
    kcontrol::http::handler before(kcontrol::http::handler inner);

    /// From the next request on these open, and no others.
    void replace_tokens(bearer_tokens tokens) { rules_.tokens = std::move(tokens); }

private:
    gate_rules rules_;
};

}  // namespace guarded_serving
