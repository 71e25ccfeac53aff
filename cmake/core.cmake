# The library for places without BLAS, threads and files, a browser for one: the same objects, but for those that ask the system, whose place
# src/mercer/without takes (Eigen, one thread, bytes in memory). Nothing is compiled twice but what may use zlib.
file(GLOB without_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/mercer/without/*.cpp)
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/mercer/without/lapack.cpp APPEND PROPERTY COMPILE_OPTIONS ${mercer_light_loops})
add_library(mercer_core STATIC EXCLUDE_FROM_ALL ${without_sources} ${CMAKE_SOURCE_DIR}/src/mercer/pictures/png.cpp
            "$<FILTER:$<TARGET_OBJECTS:mercer>;$<TARGET_OBJECTS:mercer_upper>,EXCLUDE,${needs_system}>" ${mercer_simd_objects})
target_include_directories(mercer_core PUBLIC ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(mercer_core PRIVATE mercer_headers)
mercer_warnings(mercer_core)
