# The sources of a folder are compiled together, a few at a time: most of what compiling one of them takes goes into the headers they share, so that this takes
# a third of the time. -DMERCER_TOGETHER=OFF compiles each by itself, as an edit of one file all day long may want it.
option(MERCER_TOGETHER "Compile the sources of a folder together" ON)
set(mercer_together_most 8)

# Those compiled each by itself, and why.
set(mercer_alone
    # It includes methods/codec.h, which wants the file form of every model that its neighbours save.
    src/mercer/api/model_archive.cpp
    # Compiled again with the example of CONTRIBUTING.md (cmake/contributing.cmake): nothing else of the library may come with them.
    src/mercer/kernels/evaluation/precise.cpp
    src/mercer/kernels/text/registry.cpp
    # Each has measures of its own (left, top, width, mapped) that its neighbours have too.
    src/mercer/pictures/convergence_picture.cpp
    src/mercer/pictures/learning_pictures.cpp
    src/mercer/pictures/region_picture.cpp
    src/mercer/pictures/score_map.cpp
    # With definitions of its own (cmake/tests.cmake).
    tests/contracts/paths.cpp)

# mercer_together(TARGET [pattern]): those whose path matches the pattern stay alone too. The folders of a program are small, and each would bring the
# parser of command lines and JSON with it: they are taken as one.
function(mercer_together target)
  if(NOT MERCER_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    string(REPLACE "${CMAKE_SOURCE_DIR}/" "" name ${source})
    if(NOT source MATCHES "\\.cpp$" OR name IN_LIST mercer_alone OR (ARGN AND source MATCHES "${ARGN}"))
      continue()
    endif()
    get_filename_component(folder ${name} DIRECTORY)
    set(most ${mercer_together_most})
    if(folder MATCHES "^apps/cli/mercer")
      set(folder apps/cli/mercer)
      set(most 13)
    endif()
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR count_${folder} "${count_${folder}} + 1")
    math(EXPR group "(${count_${folder}} - 1) / ${most}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()
