#include "support/fake_nvml.hpp"

namespace gpu_labeler::test {

std::string fake_nvml_library() { return FAKE_NVML_LIBRARY; }

std::string fake_nvml_of_2018_library() { return FAKE_NVML_OF_2018_LIBRARY; }

}  // namespace gpu_labeler::test
