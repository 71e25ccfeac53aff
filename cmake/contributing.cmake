# Carries out "Adding a kernel" of CONTRIBUTING.md: adds the file of the example and its line in the list of kernels,
# compiles the sources that read the list again, and runs the contract of kernels on the new kernel. These objects
# precede the library on the command line, so that the linker takes them instead of the library's.
set(list_of_kernels ${CMAKE_SOURCE_DIR}/src/mercer/kernels/expression/all_kernels.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_of_kernels})
file(READ ${list_of_kernels} list)
string(REPLACE "\n\nnamespace mercer {" "\n#include \"mercer/kernels/vectors/inverse_multiquadric.h\"\n\nnamespace mercer {" list "${list}")
string(REPLACE ">;" ", inverse_multiquadric>;" list "${list}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/contributing/mercer/kernels/expression/all_kernels.h CONTENT "${list}" @ONLY)
set(contributing_includes ${CMAKE_BINARY_DIR}/contributing ${CMAKE_SOURCE_DIR}/tests/contributing)

add_executable(mercer_contributing tests/contributing/inverse_multiquadric_test.cpp tests/contributing/kernel_median_test.cpp tests/contributing/text_test.cpp tests/kernels/contract_test.cpp
               src/mercer/kernels/expression/listed_kernels.cpp src/mercer/kernels/evaluation/pair_evaluation.cpp "$<FILTER:$<TARGET_OBJECTS:mercer_tests>,INCLUDE,[/_]tests[/_]contracts[/_]>")
# Compiled for the narrowest vectors only, which the test selects: the wider loops of the library do not contain the
# kernel.
mercer_simd_library(contributing_simd baseline ${CMAKE_SOURCE_DIR}/src/mercer/kernels/evaluation/formula_loops.cpp)
target_include_directories(contributing_simd BEFORE PRIVATE ${contributing_includes})
target_sources(mercer_contributing PRIVATE $<TARGET_OBJECTS:contributing_simd>)
target_include_directories(mercer_contributing BEFORE PRIVATE ${contributing_includes})
target_include_directories(mercer_contributing PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(mercer_contributing PRIVATE mercer mercer_headers GTest::gtest_main GTest::gmock rapidcheck LAPACK::LAPACK BLAS::BLAS)
mercer_warnings(mercer_contributing)
target_compile_options(mercer_contributing PRIVATE ${mercer_light_loops})
# the same definitions as mercer_tests, whose precompiled header is used
target_compile_definitions(mercer_contributing PRIVATE ${mercer_definitions})
target_precompile_headers(mercer_contributing REUSE_FROM mercer_tests)
target_compile_options(mercer_contributing PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
add_test(NAME contributing COMMAND mercer_contributing --gtest_filter=*multiquadric*:contributing.* --gtest_brief=1)
set_tests_properties(contributing PROPERTIES TIMEOUT 300 ENVIRONMENT_MODIFICATION MERCER_SIMD=set:baseline ${test_environment})
