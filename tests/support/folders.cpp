#include "folders.hpp"

namespace kcontrol::test {

std::string tests_file(const std::string& name) { return KCONTROL_TESTS_DIR "/" + name; }

std::string source_file(const std::string& name) { return KCONTROL_TESTS_DIR "/../" + name; }

}  // namespace kcontrol::test
