// The kernels of kernels.cl on the CPU device of PoCL, an OpenCL platform; the first launch includes their compilation.
//   opencl KERNELS.cl vector_add|transpose|histogram|matmul SIZE WARM_SECONDS SECONDS
//   opencl --version
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "problem.hpp"

/// Ends the program if a call failed.
void check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s failed with status %d\n", call, status);
  std::exit(1);
}

/// The platform of PoCL, and its version.
std::pair<cl_platform_id, std::string> pocl() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  for (cl_uint k = 0; k < std::min(count, 16u); ++k) {
    char version[256] = "";
    check(clGetPlatformInfo(platforms[k], CL_PLATFORM_VERSION, sizeof version, version, nullptr), "clGetPlatformInfo");
    if (std::strstr(version, "PoCL") || std::strstr(version, "pocl")) return {platforms[k], version};
  }
  std::fprintf(stderr, "PoCL is not among the OpenCL platforms\n");
  std::exit(1);
}

int main(int argc, char** argv) {
  const auto [platform, version] = pocl();
  if (argc == 2 && std::string(argv[1]) == "--version") return std::puts(version.c_str()) < 0;
  if (argc < 2) read_request(0, argv);  // tells the usage
  std::ifstream file(argv[1]);
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const Request request = read_request(argc - 1, argv + 1);
  const Problem& problem = request.problem;

  cl_int status = CL_SUCCESS;
  cl_device_id device;
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr), "clGetDeviceIDs");
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  const auto buffer = [&](const Bytes& bytes) {
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes.size(), nullptr, &status);
    check(status, "clCreateBuffer");
    check(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    return memory;
  };
  std::vector<cl_mem> arrays;
  for (const Bytes& input : problem.inputs) arrays.push_back(buffer(input));
  arrays.push_back(buffer(Bytes(problem.expected.size())));

  const auto built = [&] {
    const char* text = source.c_str();
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, problem.name.c_str(), &status);
    check(status, "clCreateKernel");
    cl_uint index = 0;
    for (const cl_mem& array : arrays) check(clSetKernelArg(kernel, index++, sizeof array, &array), "clSetKernelArg");
    check(clSetKernelArg(kernel, index, sizeof problem.size, &problem.size), "clSetKernelArg");
    return kernel;
  };
  const size_t local[] = {problem.group.x, problem.group.y};
  const size_t global[] = {problem.groups.x * local[0], problem.groups.y * local[1]};
  const cl_uint zero = 0;
  cl_kernel kernel = nullptr;
  time_launches(
      request,
      [&] {
        check(clEnqueueFillBuffer(queue, arrays.back(), &zero, sizeof zero, 0, problem.expected.size(), 0, nullptr,
                                  nullptr),
              "clEnqueueFillBuffer");
        check(clFinish(queue), "clFinish");
      },
      [&] {
        if (!kernel) kernel = built();
        check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
      });

  Bytes measured(problem.expected.size());
  check(clEnqueueReadBuffer(queue, arrays.back(), CL_TRUE, 0, measured.size(), measured.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  return verdict(problem, measured);
}
