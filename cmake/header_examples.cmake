# Compiles and runs the examples in the comments of the public headers as one program (tests/header_examples/generate.py
# describes their form). The program runs in a folder of its own, where `data` is the folder of example data.
set(header_examples_folder ${CMAKE_BINARY_DIR}/header_examples)
set(header_examples_source ${header_examples_folder}/header_examples.cpp)
list(TRANSFORM public_headers PREPEND ${CMAKE_SOURCE_DIR}/src/ OUTPUT_VARIABLE public_header_files)
file(MAKE_DIRECTORY ${header_examples_folder})
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/data ${header_examples_folder}/data SYMBOLIC)
add_custom_command(
  OUTPUT ${header_examples_source}
  COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/header_examples/generate.py ${CMAKE_SOURCE_DIR}/src ${header_examples_source} ${public_headers}
  DEPENDS ${CMAKE_SOURCE_DIR}/tests/header_examples/generate.py ${public_header_files}
  COMMENT "Collecting the examples of the public headers"
  VERBATIM)
add_executable(mercer_header_examples ${header_examples_source})
target_link_libraries(mercer_header_examples PRIVATE mercer)
mercer_warnings(mercer_header_examples)
# Examples show values without using them, and leave options at their defaults.
target_compile_options(mercer_header_examples PRIVATE ${mercer_light} -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-value -Wno-missing-field-initializers)
add_test(NAME header_examples COMMAND mercer_header_examples WORKING_DIRECTORY ${header_examples_folder})
set_tests_properties(header_examples PROPERTIES TIMEOUT 300 ${test_environment})
