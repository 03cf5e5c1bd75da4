// In the place of PyTorch's, which needs the headers of cuBLAS, cuSOLVER and cuSPARSE.
#pragma once
#include "cuda_is_the_cpu.h"
