// cel::environment: the variables of an expression; it compiles expressions that use no others.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/cel/program.hpp>
#include <kcontrol/cel/type.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::cel {

/// Declares variables, and compiles expressions over them.
///
///     const auto small = cel::environment().declare("pod", cel::type()).compile("pod.containers.size() < 3");
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class environment {
public:
    /// A variable, which may be used from now on. Its value is not checked against its type.
    environment& declare(std::string name, type of) {
        return variables_.emplace_back(std::move(name), std::move(of)), *this;
    }

    /// Parses an expression and checks its types, as far as they are known. `wanted`: the type that it must have.
    /// Errors: invalid_argument, with line and column: "1:9: undeclared reference to 'x' (in container '')".
    KCONTROL_DECL result<program> compile(std::string_view text, const type& wanted = type()) const;

    /// Checks the types of what is parsed: names and members that are not there, operators and functions that are not
    /// for these types, patterns and times that can't be read. Returns the type of its value.
    /// Errors: as compile().
    KCONTROL_DECL result<type> check(const program& parsed) const;

private:
    std::vector<std::pair<std::string, type>> variables_;
};

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/environment.ipp>
#endif
