"""Builds the checkout that it lies in. The package has lanesort's own CMake package, with both libraries in it."""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load


class Lanesort(ConanFile):
    name = "lanesort"
    license = "MIT"
    description = "Stable sorting with the same bytes on every back end"
    settings = "os", "arch", "compiler", "build_type"
    options = {"tools": [True, False], "cuda": [True, False]}
    default_options = {"tools": False, "cuda": False}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "../../include/lanesort/lanesort.h"))
        self.version = ".".join(re.findall(r"define LANESORT_VERSION_[A-Z]+ (\d+)", header))

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "../..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "kernels/*", "src/*", "bench/*", "cli/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        if self.options.tools:
            for package in ("cli11/2.3.2", "fmt/9.1.0", "nlohmann_json/3.11.2"):
                self.requires(package, visible=False)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LANESORT_BUILD_CLI"] = bool(self.options.tools)
        toolchain.cache_variables["LANESORT_BUILD_RIVALS"] = False
        toolchain.cache_variables["LANESORT_CUDA"] = bool(self.options.cuda)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/lanesort"]
        self.cpp_info.libs = ["lanesort"]
        self.cpp_info.system_libs = ["pthread", "dl", "m"]
