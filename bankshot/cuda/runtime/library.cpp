// Libraries: modules that a program loads by itself; the driver interface's, with the runtime's errors.
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda {

struct Function;
struct Module;

extern "C" {
Status bankshot_load_library(const void*, Module**, const void*, int*, void**, unsigned);
Status bankshot_cuLibraryLoadFromFile(Module**, const char*, int*, void**, unsigned, int*, void**, unsigned);
Status bankshot_cuLibraryUnload(Module*);
Status bankshot_cuLibraryGetKernel(Function**, Module*, const char*);
Status bankshot_cuLibraryGetGlobal(uint64_t*, size_t*, Module*, const char*);
Status bankshot_cuLibraryGetManaged(uint64_t*, size_t*, Module*, const char*);
Status bankshot_cuLibraryGetKernelCount(unsigned*, Module*);
Status bankshot_cuLibraryEnumerateKernels(Function**, unsigned, Module*);
}

namespace runtime {
namespace {

/// The driver's function behind the initialisation that every call of the runtime interface makes.
template <class... Parameters>
Status pass_on(Status (*function)(Parameters...), Parameters... arguments) {
  const Status status = call([](Session&) { return Status::success; });
  return status == Status::success ? remember(function(arguments...)) : status;
}

}  // namespace

BANKSHOT_API(cudaLibraryLoadData)
(Module** library, const void* image, int* options, void** values, unsigned count, int*, void**, unsigned) {
  const void* const caller = __builtin_return_address(0);
  return pass_on(bankshot_load_library, caller, library, image, options, values, count);
}
BANKSHOT_API(cudaLibraryLoadFromFile)
(Module** library, const char* path, int* options, void** values, unsigned count, int* library_options,
 void** library_values, unsigned library_count) {
  return pass_on(bankshot_cuLibraryLoadFromFile, library, path, options, values, count, library_options, library_values,
                 library_count);
}
BANKSHOT_API(cudaLibraryUnload)(Module* library) { return pass_on(bankshot_cuLibraryUnload, library); }
BANKSHOT_API(cudaLibraryGetKernel)(Function** kernel, Module* library, const char* name) {
  return pass_on(bankshot_cuLibraryGetKernel, kernel, library, name);
}
BANKSHOT_API(cudaLibraryGetGlobal)(uint64_t* address, size_t* size, Module* library, const char* name) {
  return pass_on(bankshot_cuLibraryGetGlobal, address, size, library, name);
}
BANKSHOT_API(cudaLibraryGetManaged)(uint64_t* address, size_t* size, Module* library, const char* name) {
  return pass_on(bankshot_cuLibraryGetManaged, address, size, library, name);
}
BANKSHOT_API(cudaLibraryGetKernelCount)(unsigned* count, Module* library) {
  return pass_on(bankshot_cuLibraryGetKernelCount, count, library);
}
BANKSHOT_API(cudaLibraryEnumerateKernels)(Function** kernels, unsigned count, Module* library) {
  return pass_on(bankshot_cuLibraryEnumerateKernels, kernels, count, library);
}

}  // namespace runtime
}  // namespace bankshot::cuda
