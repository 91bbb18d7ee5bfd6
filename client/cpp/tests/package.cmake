# Builds an app in each of the ways that docs/clients/cpp.md describes, and runs it: cmake -DLIBRARY=… -DFOLDER=…
# -P package.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
get_filename_component(package ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
get_filename_component(repository ${package}/../.. ABSOLUTE)

# Builds an app whose CMake file uses these lines to find the package.
function(build_app name lines)
  file(WRITE ${FOLDER}/${name}/CMakeLists.txt "cmake_minimum_required(VERSION 3.21)
project(app CXX)
${lines}
add_executable(app ${package}/examples/plugin.cpp)
target_link_libraries(app PRIVATE license_key::client)
")
  run(${CMAKE_COMMAND} -S ${FOLDER}/${name} -B ${FOLDER}/${name}/build -DCMAKE_PREFIX_PATH=${FOLDER}/installed)
  run(${CMAKE_COMMAND} --build ${FOLDER}/${name}/build)
  run(${FOLDER}/${name}/build/app)
endfunction()

run(${CMAKE_COMMAND} -S ${package} -B ${FOLDER}/build -DLICENSE_KEY_CLIENT_LIBRARY=${LIBRARY} "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")
run(${CMAKE_COMMAND} --build ${FOLDER}/build)
run(${FOLDER}/build/plugin)
run(${CMAKE_COMMAND} --install ${FOLDER}/build --prefix ${FOLDER}/installed)
build_app(found "find_package(license_key_client REQUIRED)")
build_app(below "set(LICENSE_KEY_CLIENT_LIBRARY ${LIBRARY})
add_subdirectory(${package} license_key_client)")
build_app(fetched "include(FetchContent)
set(LICENSE_KEY_CLIENT_LIBRARY ${LIBRARY})
FetchContent_Declare(license_key_client SOURCE_DIR ${repository} SOURCE_SUBDIR client/cpp)
FetchContent_MakeAvailable(license_key_client)")

# Without a library, Cargo builds it. A script takes Cargo's place, because the optimized build takes minutes: it puts the library where
# Cargo puts it.
file(WRITE ${FOLDER}/cargo.sh "#!/bin/sh
while [ \"$1\" != --target-dir ]; do shift; done
mkdir -p \"$2/$4/release\" && cp ${LIBRARY} \"$2/$4/release/\"
")
file(CHMOD ${FOLDER}/cargo.sh PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
foreach(target "" x86_64-unknown-linux-gnu)
  build_app(
    cargo${target}
    "set(CARGO ${FOLDER}/cargo.sh CACHE FILEPATH \"\")
set(LICENSE_KEY_CLIENT_CARGO_TARGET \"${target}\")
add_subdirectory(${package} license_key_client)")
endforeach()
