# mpcflow_instantiate_laws(<template> <variable>): configures <template> of this folder for each line of the table of laws
# (physics/collision/laws.hpp), in each arithmetic: a file of its own, so that they compile side by side. Sets <variable> to
# the files.
function(mpcflow_instantiate_laws template variable)
  set(table ${PROJECT_SOURCE_DIR}/physics/collision/laws.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} lines REGEX "^ *LawLine<[A-Za-z]+>{")
  string(REGEX REPLACE ".*(\\.[a-z]+)\\.in$" "\\1" extension ${template})
  set(files "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^ *LawLine<([A-Za-z]+)>.*" "\\1" LAW "${line}")
    foreach(REAL double float)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/instantiate_${LAW}_${REAL}${extension})
      configure_file(${template} ${file} @ONLY)
      list(APPEND files ${file})
    endforeach()
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()
