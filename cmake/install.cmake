# Public headers, library and a package file, so that find_package(mercer) gives mercer::mercer.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)

# The public headers are these and whatever they include; all others are internal and stay here. tests/consumer compiles each of them alone.
set(public_roots
  mercer.h kernels/*.h kernels/strings/*.h kernels/texts/*.h kernels/sets/*.h kernels/graphs/*.h kernels/points/*.h kernels/series/*.h kernels/images/*.h kernels/features/*.h gram/*.h data/*.h data/readers/read.h
  kernels/text/registry.h solvers/interior_point.h solvers/smo/smo.h
  methods/*/methods.h methods/svm/svm.h methods/svm/svm_scores.h methods/svm/train.h methods/svm/files/libsvm_model.h methods/svm/files/model_file.h
  methods/regression/*.h methods/neighbours/*.h methods/clusters/*.h methods/components/*.h methods/density/*.h
  selection/*.h selection/learned/alignment.h selection/learned/multiple_kernels.h selection/learned/relevance.h
  insight/*.h insight/machines/*.h insight/evaluation/*.h pictures/*.h pictures/evaluation/*.h api/*.h api/evaluation/*.h
  api/export/export.h api/tuning/tune.h api/learning/learn.h)
set(public_headers)
set(to_visit)
foreach(root ${public_roots})
  file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/src/mercer/${root})
  list(APPEND to_visit ${found})
endforeach()
while(to_visit)
  list(POP_FRONT to_visit header)
  if(header IN_LIST public_headers)
    continue()
  endif()
  list(APPEND public_headers ${header})
  file(STRINGS ${CMAKE_SOURCE_DIR}/src/${header} lines REGEX "^#include \"mercer/")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" line "${line}")
    list(APPEND to_visit ${line})
  endforeach()
endwhile()

install(TARGETS mercer EXPORT mercer_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(header ${public_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(EXPORT mercer_targets NAMESPACE mercer:: DESTINATION ${package_dir})
configure_package_config_file(cmake/mercerConfig.cmake.in ${CMAKE_BINARY_DIR}/mercerConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/mercerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/mercerConfig.cmake ${CMAKE_BINARY_DIR}/mercerConfigVersion.cmake DESTINATION ${package_dir})
