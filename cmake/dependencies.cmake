# What the library links (mercer_libraries, found again by mercerConfig.cmake), what it only compiles against (mercer_headers),
# and the definitions that say which optional parts are there (mercer_definitions).
set(mercer_definitions)
set(mercer_optional_packages)

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(hwy REQUIRED)
# OpenBLAS where it is installed, whatever else offers BLAS otherwise.
if(NOT BLA_VENDOR)
  set(BLA_VENDOR OpenBLAS)
  find_package(BLAS QUIET)
  if(NOT BLAS_FOUND)
    unset(BLA_VENDOR)
  endif()
endif()
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)
set(mercer_libraries)
find_library(LAPACKE_LIBRARY lapacke)
if(LAPACKE_LIBRARY)
  list(APPEND mercer_libraries lapacke)
  list(APPEND mercer_definitions MERCER_HAVE_LAPACKE=1)
endif()
list(APPEND mercer_libraries LAPACK::LAPACK BLAS::BLAS)

# The compressors of data files are optional.
find_package(ZLIB)
if(ZLIB_FOUND)
  list(APPEND mercer_libraries ZLIB::ZLIB)
  list(APPEND mercer_definitions MERCER_HAVE_ZLIB=1)
  list(APPEND mercer_optional_packages ZLIB)
endif()
find_package(LibLZMA)
if(LIBLZMA_FOUND)
  list(APPEND mercer_libraries LibLZMA::LibLZMA)
  list(APPEND mercer_definitions MERCER_HAVE_LZMA=1)
  list(APPEND mercer_optional_packages LibLZMA)
endif()

# Header-only: fast_float lies in the compiler's own include path.
find_package(Eigen3 3.4 REQUIRED)
find_package(nlohmann_json REQUIRED)
add_library(mercer_headers INTERFACE)
# fmt's headers; what they need compiled is in base/format.cpp. (Nothing of libhwy is linked: the programs in LIBSVM's manner are static, and libhwy
# takes milliseconds to load.)
target_include_directories(mercer_headers SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(mercer_headers INTERFACE Eigen3::Eigen nlohmann_json::nlohmann_json)
