// Texts that must not change unnoticed.
#pragma once

#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace gpu_labeler::test {

/// The text is that of a file of tests/fake_nvml. KCONTROL_WRITE_GOLDEN=1 writes the file anew: read the difference.
inline void check_golden(const std::string& name, const std::string& text) {
    const std::string path = kcontrol::test::tests_file("fake_nvml/" + name);
    if (std::getenv("KCONTROL_WRITE_GOLDEN") != nullptr) std::ofstream(path) << text;  // seam: ok, a switch of the test
    std::ifstream file(path);
    std::ostringstream golden;
    golden << file.rdbuf();
    CAPTURE(name);
    CHECK(text == golden.str());
}

}  // namespace gpu_labeler::test
