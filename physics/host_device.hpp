#pragma once
/// Functions marked MPCFLOW_HD are compiled for the CPU by g++ and for CPU and GPU by nvcc.

#ifdef __CUDACC__
#define MPCFLOW_HD __host__ __device__ inline
#else
#define MPCFLOW_HD inline
#endif
