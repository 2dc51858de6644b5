"""The Conan 2 recipe of kcontrol. The version is that of include/kcontrol/version.hpp."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class KcontrolConan(ConanFile):
    name = "kcontrol"
    description = "Kubernetes controllers in C++"
    license = "Apache-2.0"
    topics = ("kubernetes", "controller", "operator", "asio")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "testing": [True, False], "records": [True, False]}
    default_options = {"shared": False, "fPIC": True, "testing": True, "records": False}
    exports = "include/kcontrol/version.hpp"
    exports_sources = ("CMakeLists.txt", "cmake/*", "include/*", "src/*", "tools/kcontrol_gen/*", "tools/kcontrol_new/*", "tools/kcontrol_lint/*", "tools/lint.py",
                       "tools/transcode/*", "LICENSE")

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "kcontrol", "version.hpp"))
        self.version = re.search(r'KCONTROL_VERSION_STRING "([^"]+)"', text).group(1)

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def requirements(self):
        # transitive_headers: our public headers include theirs.
        self.requires("boost/[>=1.81 <2]", transitive_headers=True)
        self.requires("openssl/[>=3 <4]")
        self.requires("simdjson/[>=3.0 <5]")
        self.requires("fmt/[>=9]", transitive_headers=True)
        self.requires("libyaml/[>=0.2.5 <1]")
        self.requires("zlib/[>=1.2.11 <2]")
        self.requires("re2/[>=20220601]")
        self.requires("c-ares/[>=1.18.1 <2]", options={"tools": False})
        self.requires("libnghttp2/[>=1.52 <2]", options={"with_app": False, "with_hpack": False})
        self.requires("prometheus-cpp/[>=1.0 <2]", options={"with_pull": False, "with_push": False})
        if self.options.records:
            self.requires("sqlite3/[>=3.35 <4]")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration(f"kcontrol is for Linux with glibc 2.34 or newer, not for {self.settings.os}")
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["KCONTROL_BUILD_TOOLS"] = True
        toolchain.cache_variables["KCONTROL_INSTALL"] = True
        toolchain.cache_variables["KCONTROL_BUILD_TESTING_LIBRARY"] = bool(self.options.testing)
        toolchain.cache_variables["KCONTROL_BUILD_RECORDS_LIBRARY"] = bool(self.options.records)
        toolchain.cache_variables["KCONTROL_BUILD_APISERVER"] = False  # it would need SQLite
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "kcontrol")
        requires = ["boost::headers", "boost::json", "openssl::openssl", "simdjson::simdjson", "fmt::fmt",
                    "libyaml::libyaml", "re2::re2", "c-ares::c-ares", "libnghttp2::nghttp2",
                    "prometheus-cpp::prometheus-cpp-core", "zlib::zlib"]
        compiled = self.cpp_info.components["compiled"]
        compiled.set_property("cmake_target_name", "kcontrol::kcontrol")
        compiled.libs = ["kcontrol"]
        compiled.defines = ["KCONTROL_SEPARATE_COMPILATION"]
        compiled.requires = requires
        cel = self.cpp_info.components["cel"]
        cel.set_property("cmake_target_name", "kcontrol::cel")
        cel.libs = ["kcontrol_cel"]
        cel.requires = ["compiled"]
        scheduling = self.cpp_info.components["scheduling"]
        scheduling.set_property("cmake_target_name", "kcontrol::scheduling")
        scheduling.libs = ["kcontrol_scheduling"]
        scheduling.requires = ["cel"]
        api_beta = self.cpp_info.components["api_beta"]
        api_beta.set_property("cmake_target_name", "kcontrol::api_beta")
        api_beta.libs = ["kcontrol_api_beta"]
        api_beta.requires = ["compiled"]
        if self.options.testing:
            testing = self.cpp_info.components["testing"]
            testing.set_property("cmake_target_name", "kcontrol::testing")
            testing.libs = ["kcontrol_testing"]
            testing.requires = ["cel"]
        if self.options.records:
            records = self.cpp_info.components["records"]
            records.set_property("cmake_target_name", "kcontrol::records")
            records.libs = ["kcontrol_records"]
            records.requires = ["compiled", "sqlite3::sqlite3"]
        header_only = self.cpp_info.components["header_only"]
        header_only.set_property("cmake_target_name", "kcontrol::header_only")
        header_only.requires = requires
        compiled.system_libs = header_only.system_libs = ["pthread"]
