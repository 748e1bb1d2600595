"""Runs the vcpkg port and the Conan recipe, with stand-ins for their tools, over an installed tree."""
import argparse
import fnmatch
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types

STAND_INS = r"""
cmake_minimum_required(VERSION 3.25)
function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    file(APPEND ${SAID}/features "${feature}\n")
    list(APPEND options -D${option}=ON)
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  file(WRITE ${SAID}/source "${arg_SOURCE_PATH}")
  file(WRITE ${SAID}/options "${arg_OPTIONS}")
endfunction()
function(vcpkg_cmake_install)
  file(COPY ${INSTALLED}/ DESTINATION ${CURRENT_PACKAGES_DIR})
endfunction()
function(expect path)
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "${path} is not there")
  endif()
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  expect(${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/${PORT}Config.cmake)
endfunction()
function(vcpkg_fixup_pkgconfig)
  expect(${CURRENT_PACKAGES_DIR}/lib/pkgconfig/${PORT}.pc)
endfunction()
function(vcpkg_copy_tools)
  cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO_CLEAN" "" "TOOL_NAMES")
  expect(${CURRENT_PACKAGES_DIR}/bin/${arg_TOOL_NAMES})
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  expect(${arg_FILE_LIST})
endfunction()
"""


def check(truth, words):
    if not truth:
        sys.exit(words)


def header_version(source):
    header = open(os.path.join(source, "include/lanesort/lanesort.h")).read()
    return ".".join(re.findall(r"define LANESORT_VERSION_[A-Z]+ (\d+)", header))


def run_port(args, here):
    port = json.load(open(os.path.join(args.source, "packaging/vcpkg/vcpkg.json")))
    check(port["version"] == header_version(args.source), "vcpkg.json is of version " + port["version"])
    script = os.path.join(here, "port.cmake")
    with open(script, "w") as file:
        file.write(STAND_INS + "include(%s/packaging/vcpkg/portfile.cmake)\n" % args.source)
    subprocess.run(["cmake", "-D", "SAID=" + here, "-D", "INSTALLED=" + args.prefix, "-D", "PORT=" + port["name"],
                    "-D", "FEATURES=tools", "-D", "CURRENT_PACKAGES_DIR=" + here + "/packages", "-P", script], check=True)
    said = {name: open(os.path.join(here, name)).read() for name in ("source", "options", "features")}
    check(os.path.samefile(said["source"], args.source), "the port builds " + said["source"])
    check(set(said["features"].split()) == set(port["features"]), "features differ: " + said["features"])
    return [option[2:].split("=")[0] for option in said["options"].split(";")]


def conan_stand_ins(args, said):
    def module(name, **members):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)

    class Toolchain:
        def __init__(self, recipe):
            self.cache_variables = said["options"]

        def generate(self):
            pass

    class Make:
        def __init__(self, recipe):
            self.recipe = recipe

        configure = build = lambda self: None

        def install(self):
            shutil.copytree(args.prefix, self.recipe.package_folder, dirs_exist_ok=True, symlinks=True)

    def copy(recipe, pattern, src, dst):
        src = os.path.realpath(src)
        found = [os.path.relpath(os.path.join(folder, name), src) for folder, _, names in os.walk(src) for name in names
                 if "/." not in folder and "/build" not in folder and "node_modules" not in folder]
        found = [name for name in found if fnmatch.fnmatch(name, pattern)]
        check(found, "Conan copies nothing by " + pattern)
        said["copied"] += found

    module("conan", ConanFile=object)
    module("conan.tools")
    dependencies = types.SimpleNamespace(generate=lambda: None)
    module("conan.tools.cmake", CMake=Make, CMakeToolchain=Toolchain, CMakeDeps=lambda recipe: dependencies)
    module("conan.tools.files", copy=copy, load=lambda recipe, path: open(path).read())


def run_recipe(args, here):
    said = {"options": {}, "copied": []}
    conan_stand_ins(args, said)
    place = os.path.join(args.source, "packaging/conan/conanfile.py")
    spec = importlib.util.spec_from_file_location("conanfile", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    recipe = module.Lanesort()
    recipe.recipe_folder = os.path.dirname(place)
    recipe.export_sources_folder = here
    recipe.source_folder = args.source
    recipe.package_folder = os.path.join(here, "package")
    recipe.options = types.SimpleNamespace(**recipe.default_options)
    recipe.cpp_info = types.SimpleNamespace(set_property=lambda *words: None)
    recipe.set_version()
    check(recipe.version == header_version(args.source), "Conan's version is " + recipe.version)
    recipe.export_sources()
    for folder in ("src", "bench", "cli"):  # what CMakeLists.txt adds; tests are not built there
        check("%s/CMakeLists.txt" % folder in said["copied"], folder + " is not exported")
    for step in ("generate", "build", "package", "package_info"):
        getattr(recipe, step)()
    for folder in recipe.cpp_info.builddirs:
        config = os.path.join(recipe.package_folder, folder, "lanesortConfig.cmake")
        check(os.path.exists(config), config + " is not there")
    return list(said["options"])


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "build", "prefix"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    cache = open(os.path.join(args.build, "CMakeCache.txt")).read()
    with tempfile.TemporaryDirectory(prefix="lanesort-recipes-") as here:
        for run in (run_port, run_recipe):
            folder = os.path.join(here, run.__name__)
            os.mkdir(folder)
            for option in run(args, folder):
                check(re.search("^%s:" % option, cache, re.M), "%s: %s is no option of CMake" % (run.__name__, option))
    print("both recipes hold")


main()
