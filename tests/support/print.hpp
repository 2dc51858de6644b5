// How doctest prints the library's results and errors when a check fails: `CHECK(r)` works with this.
#pragma once

#include <kcontrol/base/result.hpp>

#include <doctest/doctest.h>

namespace doctest {

template <class T>
struct StringMaker<kcontrol::result<T>> {
    static String convert(const kcontrol::result<T>& r) {
        return r ? String("a value") : String(("error: " + r.error().what()).c_str());
    }
};

template <>
struct StringMaker<kcontrol::error> {
    static String convert(const kcontrol::error& e) { return e.what().c_str(); }
};

}  // namespace doctest
