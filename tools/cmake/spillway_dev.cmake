# What spillway's own targets are compiled with. Nothing here touches a global flag: everything rides on the target
# `spillway_dev`, which own targets link privately and no install exports.

add_library(spillway_dev INTERFACE)

if(SPILLWAY_WARNINGS OR SPILLWAY_WERROR)
  target_compile_options(spillway_dev INTERFACE -Wall -Wextra -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 takes `"text" + std::string` at -O2 for an overlapping copy inside its own library (GCC bug 105651).
    target_compile_options(spillway_dev INTERFACE -Wno-restrict)
  endif()
endif()
if(SPILLWAY_WERROR)
  target_compile_options(spillway_dev INTERFACE -Werror)
endif()
if(SPILLWAY_FRAME_POINTERS)
  target_compile_options(spillway_dev INTERFACE -fno-omit-frame-pointer)
endif()

if(SPILLWAY_SANITIZE STREQUAL "address")
  set(spillway_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(SPILLWAY_SANITIZE STREQUAL "thread")
  set(spillway_sanitizers -fsanitize=thread)
elseif(SPILLWAY_SANITIZE)
  message(FATAL_ERROR "SPILLWAY_SANITIZE is '${SPILLWAY_SANITIZE}'; it takes address, thread or nothing")
endif()
if(SPILLWAY_SANITIZE)
  target_compile_options(spillway_dev INTERFACE ${spillway_sanitizers} -fno-omit-frame-pointer)
  target_link_options(spillway_dev INTERFACE ${spillway_sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The checks that the sanitizers add hide initialisations from GCC's flow analysis; the Release build keeps this warning.
    target_compile_options(spillway_dev INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# spillway_need(<package> <Debian package> <target>): finds what `target` comes from, unless the enclosing project brings it. GLOBAL,
# because an enclosing project links spillway from a folder that does not see the targets found here otherwise.
macro(spillway_need package debian_package target)
  if(NOT TARGET ${target})
    find_package(${package} QUIET GLOBAL)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "spillway needs ${package}. On Debian or Ubuntu: apt-get install ${debian_package}")
    endif()
  endif()
endmacro()

# spillway_program(<name> <source>...): a program of our own in ${build}/bin.
function(spillway_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE spillway::spillway spillway_dev)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
endfunction()
