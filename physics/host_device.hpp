#pragma once
/// Functions marked MPCFLOW_HD are compiled for the CPU by g++ and for CPU and GPU by nvcc. Two marks keep
/// what few threads need from costing all of them registers on a GPU, since such a function is called there
/// and never inlined. On the CPU MPCFLOW_HD_CALLED is inlined like any other, for it is short and used by
/// every particle where it is used at all; MPCFLOW_HD_RARE is called there, too, so that it is compiled once
/// and not wherever it is called, and all that it calls in turn is inlined into it. All calls in functions
/// marked MPCFLOW_FLATTEN are inlined, but where time to compile matters more than speed and
/// MPCFLOW_NO_FLATTEN is defined; with MPCFLOW_NO_FLATTEN_PLAIN those marked MPCFLOW_FLATTEN_PLAIN, which are
/// for processors without vector units and for single particles, are left as they are.

#ifdef MPCFLOW_NO_FLATTEN
#define MPCFLOW_FLATTEN
#else
#define MPCFLOW_FLATTEN [[gnu::flatten]]
#endif
#ifdef MPCFLOW_NO_FLATTEN_PLAIN
#define MPCFLOW_FLATTEN_PLAIN
#else
#define MPCFLOW_FLATTEN_PLAIN MPCFLOW_FLATTEN
#endif

#ifdef __CUDACC__
#define MPCFLOW_HD __host__ __device__ inline
#define MPCFLOW_HD_CALLED __host__ __device__ __noinline__ inline
#define MPCFLOW_HD_RARE __host__ __device__ __noinline__ inline
#else
#define MPCFLOW_HD inline
#define MPCFLOW_HD_CALLED inline
#define MPCFLOW_HD_RARE [[gnu::noinline]] MPCFLOW_FLATTEN inline
#endif
