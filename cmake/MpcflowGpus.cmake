# Which GPUs the device code is built for: sets CMAKE_CUDA_ARCHITECTURES, where neither it nor CUDAARCHS is given.
#   native  those of this machine
#   all     all that users have: the newer of compute capability 7.0 and the oldest that the compiler knows, up to 9.0; what
#           comes later compiles the PTX of 9.0 when the program starts
#   auto    native where there is a GPU, else 8.0 (which 8.6 and 8.9 run, too), 9.0 and its PTX
set(MPCFLOW_GPUS auto CACHE STRING "GPUs to build for: auto, native or all")
set_property(CACHE MPCFLOW_GPUS PROPERTY STRINGS auto native all)

# mpcflow_native_gpus(<variable>): the compute capabilities of the GPUs here, as "90;86"; empty where there is none.
function(mpcflow_native_gpus variable)
  set(found "")
  find_program(MPCFLOW_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(MPCFLOW_NVIDIA_SMI)
  if(MPCFLOW_NVIDIA_SMI)
    execute_process(COMMAND ${MPCFLOW_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE told ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" found "${told}")
    list(TRANSFORM found REPLACE "\\." "")
    list(REMOVE_DUPLICATES found)
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# mpcflow_all_gpus(<variable> <nvcc>): of 7.0 to 9.0 those that the compiler knows.
function(mpcflow_all_gpus variable nvcc)
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE told ERROR_VARIABLE error RESULT_VARIABLE result)
  set(found "")
  foreach(each 70 75 80 86 89)
    if(told MATCHES "compute_${each}[^0-9]")
      list(APPEND found ${each}-real)
    endif()
  endforeach()
  if(NOT result EQUAL 0 OR NOT told MATCHES "compute_90[^0-9]")
    message(FATAL_ERROR "mpcflow: MPCFLOW_GPUS=all: ${nvcc} does not know compute capability 9.0 (CUDA 11.8 and later do): "
      "take a newer one, or name the GPUs, for example -DCMAKE_CUDA_ARCHITECTURES=80\n${error}")
  endif()
  set(${variable} ${found} 90 PARENT_SCOPE)
endfunction()

# mpcflow_choose_gpus(<nvcc>): a macro, as CMAKE_CUDA_ARCHITECTURES is for the caller.
macro(mpcflow_choose_gpus nvcc)
  if(NOT MPCFLOW_GPUS MATCHES "^(auto|native|all)$")
    message(FATAL_ERROR "mpcflow: MPCFLOW_GPUS is ${MPCFLOW_GPUS}: use auto, native or all; CMAKE_CUDA_ARCHITECTURES names any others")
  endif()
  if(NOT DEFINED CACHE{CMAKE_CUDA_ARCHITECTURES} AND NOT DEFINED ENV{CUDAARCHS})
    mpcflow_native_gpus(native_gpus)
    if(MPCFLOW_GPUS STREQUAL "all")
      mpcflow_all_gpus(CMAKE_CUDA_ARCHITECTURES ${nvcc})
    elseif(native_gpus)
      set(CMAKE_CUDA_ARCHITECTURES ${native_gpus})
    elseif(MPCFLOW_GPUS STREQUAL "native")
      message(FATAL_ERROR "mpcflow: MPCFLOW_GPUS=native: nvidia-smi shows no GPU here: use -DMPCFLOW_GPUS=all, or name the GPUs, "
        "for example -DCMAKE_CUDA_ARCHITECTURES=80")
    else()
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
    endif()
  endif()
endmacro()
