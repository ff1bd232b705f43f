# Compile options that every target of mpcflow shares; those of mpcflow_bits go to users of the installed library, too.
#
# The bits of a run must not depend on compiler, machine or device (docs/physics.md): no contraction
# of a*b+c into one rounding, no fast math, on host and device.
add_library(mpcflow_bits INTERFACE)
set_target_properties(mpcflow_bits PROPERTIES EXPORT_NAME bits)
target_compile_features(mpcflow_bits INTERFACE cxx_std_20)
target_compile_options(mpcflow_bits INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -Xcompiler=-ffp-contract=off>)
# GCC 12.2 vectorises straight-line code (SLP) so that SRD+a in mixed precision has other bits than at -O0,
# with clang or with nvcc; the golden hashes of tests/solver found it. The speed is the same without.
target_compile_options(mpcflow_bits INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-tree-slp-vectorize>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-tree-slp-vectorize>)

# Nobody asks what exceptions arithmetic raised, nor for errno: no result depends on it, and loops with comparisons become
# vectors only so.
target_compile_options(mpcflow_bits INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-trapping-math -fno-math-errno>)

add_library(mpcflow_options INTERFACE)
target_link_libraries(mpcflow_options INTERFACE mpcflow_bits)
target_include_directories(mpcflow_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(mpcflow_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -lineinfo -Xcompiler=-Wall,-Wextra>)
if(CMAKE_UNITY_BUILD)
  # A file of several, which looks like a header to it, may not use what is in an anonymous namespace.
  target_compile_options(mpcflow_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(MPCFLOW_WERROR)
  target_compile_options(mpcflow_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror>)
endif()
if(NOT MPCFLOW_AVX512)
  target_compile_definitions(mpcflow_options INTERFACE MPCFLOW_NO_AVX512)
endif()
if(MPCFLOW_SANITIZE)
  # The sanitized solver compiles in half of the time without inlining all of its calls, and its tests take as long.
  target_compile_definitions(mpcflow_options INTERFACE MPCFLOW_NO_FLATTEN MPCFLOW_SANITIZED)
  # Not every compiler says which one it has.
  foreach(kind address thread)
    if(MPCFLOW_SANITIZE MATCHES ${kind})
      string(TOUPPER MPCFLOW_SANITIZED_${kind} definition)
      target_compile_definitions(mpcflow_options INTERFACE ${definition})
    endif()
  endforeach()
  target_compile_options(mpcflow_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${MPCFLOW_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  if(MPCFLOW_NO_SANITIZE)
    target_compile_options(mpcflow_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=${MPCFLOW_NO_SANITIZE}>)
  endif()
  target_link_options(mpcflow_options INTERFACE -fsanitize=${MPCFLOW_SANITIZE})
endif()
