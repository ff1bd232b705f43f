# mpcflow_find_python(VARIABLE MODULES): sets it to the first Python that has these modules, "h5py, numpy" for example, of $PYTHON,
# the one on the path and the system's; empty where there is none.
function(mpcflow_find_python variable modules)
  set(${variable} "" PARENT_SCOPE)
  foreach(candidate "$ENV{PYTHON}" python3 /usr/bin/python3)
    if(candidate)
      execute_process(COMMAND ${candidate} -c "import ${modules}" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
      if(result EQUAL 0)
        set(${variable} ${candidate} PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

# What runs the tools.
mpcflow_find_python(MPCFLOW_TOOLS_PYTHON "h5py, matplotlib, numpy, yaml")
