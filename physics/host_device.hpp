#pragma once
/// Functions marked MPCFLOW_HD are compiled for the CPU by g++ and for CPU and GPU by nvcc. Those marked
/// MPCFLOW_HD_RARE are called and never inlined: what few threads need shall not cost all of them registers
/// on a GPU, nor time to compile wherever they are called. All other calls in those marked MPCFLOW_FLATTEN
/// are inlined, but where time to compile matters more than speed and MPCFLOW_NO_FLATTEN is defined.

#ifdef __CUDACC__
#define MPCFLOW_HD __host__ __device__ inline
#define MPCFLOW_HD_RARE __host__ __device__ __noinline__ inline
#else
#define MPCFLOW_HD inline
#define MPCFLOW_HD_RARE [[gnu::noinline]] inline
#endif

#ifdef MPCFLOW_NO_FLATTEN
#define MPCFLOW_FLATTEN
#else
#define MPCFLOW_FLATTEN [[gnu::flatten]]
#endif
