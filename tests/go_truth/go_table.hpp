// Tables of what Go's libraries answer, one JSON array a line; written by truth.go beside it.
#pragma once

#include <kcontrol/documents/value.hpp>

#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

namespace kcontrol::test {

inline std::vector<json::array> go_table(const std::string& name) {
    std::ifstream file(tests_file("go_truth/" + name + ".jsonl"));
    std::vector<json::array> rows;
    for (std::string line; std::getline(file, line);) {
        auto row = json::parse(line);
        REQUIRE(row.has_value());
        rows.push_back(std::move(row->get_array()));
    }
    REQUIRE(rows.size() > 10);
    return rows;
}

inline std::string text_of(const json::value& v) { return std::string(v.as_string()); }

}  // namespace kcontrol::test
