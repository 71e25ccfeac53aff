# One program per source of examples/, each next to its Python counterpart. The sources are written as a user of the
# installed library would write them.
file(GLOB example_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.cpp)
foreach(source ${example_sources})
  get_filename_component(example ${source} NAME_WE)
  add_executable(example_${example} ${source})
  target_link_libraries(example_${example} PRIVATE mercer)
  mercer_warnings(example_${example})
  target_compile_options(example_${example} PRIVATE ${mercer_light})
  # Both must print the same.
  add_test(NAME examples.${example}
           COMMAND ${CMAKE_SOURCE_DIR}/tests/examples/run $<TARGET_FILE:example_${example}> ${CMAKE_SOURCE_DIR}/examples/${example}.py ${CMAKE_SOURCE_DIR}/data
                   $<$<TARGET_EXISTS:mercer_python>:${CMAKE_BINARY_DIR}/python>)
  set_tests_properties(examples.${example} PROPERTIES TIMEOUT 120)
endforeach()
