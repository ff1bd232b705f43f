# Target mpcflow_version: the header "mpcflow_version.hpp" with version and commit, rewritten at build
# time only when they change.
set(MPCFLOW_VERSION_HEADER ${PROJECT_BINARY_DIR}/generated/mpcflow_version.hpp)
add_custom_target(mpcflow_version_header
  BYPRODUCTS ${MPCFLOW_VERSION_HEADER}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
          -DOUTPUT=${MPCFLOW_VERSION_HEADER} -P ${CMAKE_CURRENT_LIST_DIR}/write_version.cmake
  VERBATIM)
add_library(mpcflow_version INTERFACE)
add_dependencies(mpcflow_version mpcflow_version_header)
target_include_directories(mpcflow_version INTERFACE ${PROJECT_BINARY_DIR}/generated)
