# All targets of fuzz/ as one libFuzzer program, <build>/fuzz_targets TARGET: separate programs would each contain the
# library and BLAS. The program links all libraries except the C library statically (see dependencies.cmake) and runs on
# machines without these libraries. The library is compiled with coverage (tools/fuzz). Debian has simdjson only as a
# shared library, which is also searched for beside the program.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "MERCER_FUZZ needs clang (libFuzzer), got ${CMAKE_CXX_COMPILER_ID}")
endif()
target_compile_options(mercer PUBLIC $<BUILD_INTERFACE:-fsanitize=fuzzer-no-link>)
mercer_fuzz_sources(fuzz_sources)
set(fuzz_list "")
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  string(APPEND fuzz_list "FUZZ_TARGET(${name})\n")
  set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=run_${name})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/fuzz/fuzz_targets.inc CONTENT "${fuzz_list}")
add_executable(fuzz_targets ${CMAKE_SOURCE_DIR}/fuzz/program/main.cpp ${fuzz_sources})
set_target_properties(fuzz_targets PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} BUILD_RPATH "$ORIGIN")
target_include_directories(fuzz_targets PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_BINARY_DIR}/fuzz)
target_link_libraries(fuzz_targets PRIVATE mercer_requests mercer mercer_headers)
target_link_options(fuzz_targets PRIVATE -fsanitize=fuzzer -static-libstdc++ -static-libgcc -Wl,--gc-sections,--strip-debug)
mercer_warnings(fuzz_targets)
