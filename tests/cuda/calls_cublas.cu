// A library of NVIDIA's that has a runtime library of its own in it, which is not the program's fault.
#include <cublas_v2.h>

int main() {
  cublasHandle_t handle;
  return cublasCreate(&handle);
}
