"""One recipe for every library that kcontrol's own recipe requires: the one that the system has, under the names that Conan
Center's recipes give to its targets. So `conan create` is tried without a network and without building Boost.

    conan export tests/package/conan --name fmt --version 9.1.0
"""
from conan import ConanFile

# Of each library: the name of its CMake package, and of each component its CMake target, libraries and definitions. The
# definitions are those of Debian's own CMake files, which say that the libraries are shared.
SHARED_BOOST = [f"BOOST_{part}_{what}" for part in ("CONTAINER", "JSON") for what in ("DYN_LINK", "NO_LIB")]
LIBRARIES = {
    "boost": ("Boost", {"headers": ("Boost::headers", [], []),
                        "json": ("Boost::json", ["boost_json", "boost_container"], SHARED_BOOST)}),
    "openssl": ("OpenSSL", {"crypto": ("OpenSSL::Crypto", ["crypto"], []), "ssl": ("OpenSSL::SSL", ["ssl"], [])}),
    "simdjson": ("simdjson", {"simdjson": ("simdjson::simdjson", ["simdjson"], ["SIMDJSON_THREADS_ENABLED=1"])}),
    "fmt": ("fmt", {"fmt": ("fmt::fmt", ["fmt"], ["FMT_SHARED"])}),
    "libyaml": ("yaml", {"libyaml": ("yaml", ["-lyaml"], [])}),  # "yaml" would be the target itself
    "zlib": ("ZLIB", {"zlib": ("ZLIB::ZLIB", ["z"], [])}),
    "re2": ("re2", {"re2": ("re2::re2", ["re2"], [])}),
    "c-ares": ("c-ares", {"cares": ("c-ares::cares", ["cares"], [])}),
    "libnghttp2": ("libnghttp2", {"nghttp2": ("libnghttp2::nghttp2", ["nghttp2"], [])}),
    "prometheus-cpp": ("prometheus-cpp", {"prometheus-cpp-core": ("prometheus-cpp::core", ["prometheus-cpp-core"], [])}),
}


class SystemConan(ConanFile):
    description = "The system's package, for tests of kcontrol's recipe"
    license = "Apache-2.0"
    package_type = "shared-library"
    # Those that kcontrol's recipe sets.
    options = {option: [True, False] for option in ("tools", "with_app", "with_hpack", "with_pull", "with_push")}
    default_options = {option: False for option in options}

    def package_info(self):
        package, components = LIBRARIES[self.name]
        self.cpp_info.set_property("cmake_file_name", package)
        for name, (target, libraries, definitions) in components.items():
            component = self.cpp_info.components[name]
            component.set_property("cmake_target_name", target)
            component.includedirs = component.libdirs = component.bindirs = []
            component.system_libs = libraries
            component.defines = definitions
