# Read by cpack for each kind of archive: the libraries of the component "libraries" go into the TGZ alone.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CPACK_MPCFLOW_BUILD_DIR};mpcflow;Unspecified;/")
if(CPACK_GENERATOR STREQUAL "TGZ")
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${CPACK_MPCFLOW_BUILD_DIR};mpcflow;libraries;/")
endif()
# Without these cpack makes a DEB that names no library, and only warns.
if(CPACK_GENERATOR STREQUAL "DEB")
  foreach(command dpkg-shlibdeps file)
    find_program(path_of_${command} ${command})
    if(NOT path_of_${command})
      message(FATAL_ERROR "mpcflow: a DEB needs ${command}, which is not here: apt-get install dpkg-dev file; or cpack -G TGZ")
    endif()
  endforeach()
endif()
