# Installs the public headers, the library and a package file, so that find_package(mercer) defines mercer::mercer.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)

# The public headers are these files and everything that they include; all other headers are not installed.
# tests/consumer compiles each public header alone.
set(public_roots
  mercer.h data/dataset.h data/folds.h data/vectors.h export/export_model.h gram/make_gram.h gram/gram_views.h
  gram/gram.h gram/row_cache.h inspection/*.h io/read.h kernel_analysis/*.h kernels/*.h kernels/expression/algebra.h
  kernels/expression/all_kernels.h kernels/expression/cosine.h kernels/expression/listed_kernels.h
  kernels/expression/registered_functions.h
  kernels/features/*.h kernels/graphs/*.h kernels/images/*.h kernels/points/*.h kernels/series/*.h kernels/sets/*.h
  kernels/strings/*.h kernels/vectors/*.h meta/kernel_alignment.h meta/learn_kernel.h meta/multiple_kernels.h
  meta/relevance.h methods/canonical_order.h methods/estimator.h methods/method.h methods/medoid_distances.h
  methods/option.h methods/clustering/kernel_kmeans.h methods/clustering/kernel_kmedoids.h
  methods/components/*.h methods/neighbours/*.h methods/nystroem/nystroem_features.h
  methods/nystroem/nystroem_kmeans.h methods/nystroem/nystroem_logistic.h methods/nystroem/nystroem_ridge.h
  methods/nystroem/nystroem_spectral.h methods/nystroem/nystroem_svc.h methods/random_features/random_features.h
  methods/regression/*.h methods/svm/calibrated_fit.h
  methods/svm/cross_validation.h methods/svm/libsvm_model.h methods/svm/linear_svc.h methods/svm/one_class.h
  methods/svm/pegasos.h methods/svm/svc.h methods/svm/svm_estimator.h methods/svm/svm_model.h methods/svm/svr.h
  methods/svm/fit_svm.h methods/svm/svm_solvers.h metrics/*.h model/*.h model_selection/search.h
  model_selection/search_space.h plot/charts.h plot/class_regions.h plot/convergence_picture.h
  plot/decision_features.h plot/evaluation_page.h plot/evaluation_plots.h plot/heat_map.h plot/panels.h plot/png.h
  plot/region_sequences.h plot/report_page.h plot/score_map.h plot/spectrum_plot.h plot/svg.h preprocess/*.h
  solvers/interior_point/quadratic_program.h
  solvers/smo/smo.h)
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
