// Lets doctest show outcomes of the API server's rules.
#pragma once

#include <kcontrol/testing/failure.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

namespace doctest {

template <class T>
struct StringMaker<kcontrol::testing::outcome<T>> {
    static String convert(const kcontrol::testing::outcome<T>& value) {
        if (value) return "a value";
        return (std::to_string(value.error().code) + " " + value.error().message).c_str();
    }
};

}  // namespace doctest
