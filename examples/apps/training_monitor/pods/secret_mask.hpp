// Hides in lines of a log what looks like a secret. A pure state machine: lines in, lines out.
#pragma once

#include <string>
#include <string_view>

namespace training_monitor {

/// Puts "[masked]" in place of the usual shapes: values of keys and flags (`--token abc`) that end in password, token,
/// secret, api_key and their like; what follows Bearer and Basic; keys that begin as those of well-known services do;
/// JSON web tokens; passwords in URLs; and private keys in PEM, line by line. What looks like nothing of this is shown:
/// a program that prints a secret in another shape prints it.
class secret_mask {
public:
    std::string mask(std::string_view line);

private:
    bool in_key_ = false;
};

}  // namespace training_monitor
