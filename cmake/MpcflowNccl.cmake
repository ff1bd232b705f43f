# Looks for the header of NCCL, by which GPUs give each other sums and particles. The library itself is looked for when
# a run on several GPUs begins, so that the program runs without it, too; without either they go through the host's memory.
# Sets MPCFLOW_NCCL_INCLUDE, empty where there is no header.
set(MPCFLOW_NCCL AUTO CACHE STRING "Build for NCCL between GPUs: ON, OFF, or AUTO, if nccl.h is found")
set_property(CACHE MPCFLOW_NCCL PROPERTY STRINGS AUTO ON OFF)
set(MPCFLOW_NCCL_INCLUDE "")
if(MPCFLOW_NCCL AND MPCFLOW_HAVE_CUDA)
  find_path(MPCFLOW_NCCL_HEADER nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV NCCL_HOME PATH_SUFFIXES include)
  mark_as_advanced(MPCFLOW_NCCL_HEADER)
  if(MPCFLOW_NCCL_HEADER)
    set(MPCFLOW_NCCL_INCLUDE ${MPCFLOW_NCCL_HEADER})
    message(STATUS "mpcflow: NCCL, ${MPCFLOW_NCCL_HEADER}/nccl.h")
  elseif(NOT MPCFLOW_NCCL STREQUAL "AUTO")
    message(FATAL_ERROR "mpcflow: MPCFLOW_NCCL is ${MPCFLOW_NCCL}, and there is no nccl.h (Debian: libnccl-dev)")
  endif()
endif()
if(NOT MPCFLOW_NCCL_INCLUDE)
  message(STATUS "mpcflow: no NCCL is used, GPUs of several ranks exchange through the host's memory")
endif()
