// Arrays, texture objects and texture and surface references of the driver interface, with a module from PTX text.
#include <cuda.h>

#include <cstring>

#include "check.hpp"

static const char kPtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.global .texref picture;
.global .surfref board;
.visible .entry read(.param .u64 out, .param .f32 x)
{
  .reg .b32 %r<5>;
  .reg .f32 %f<6>;
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [out];
  ld.param.f32 %f0, [x];
  tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [picture, {%f0}];
  st.global.f32 [%d0], %f1;
  ret;
}
.visible .entry write()
{
  .reg .b32 %r<3>;
  mov.b32 %r0, 0x42280000;
  mov.b32 %r1, 4;
  sust.b.1d.b32.trap [board, {%r1}], {%r0};
  ret;
}
)";

static float read_at(CUfunction kernel, CUdeviceptr out, float x) {
  void* arguments[] = {&out, &x};
  float result = -1;
  DRIVER_OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  DRIVER_OK(cuMemcpyDtoH(&result, out, 4));
  return result;
}

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction read, write;
  DRIVER_OK(cuInit(0));
  DRIVER_OK(cuDeviceGet(&device, 0));
  DRIVER_OK(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER_OK(cuCtxSetCurrent(context));
  DRIVER_OK(cuModuleLoadData(&module, kPtx));
  DRIVER_OK(cuModuleGetFunction(&read, module, "read"));
  DRIVER_OK(cuModuleGetFunction(&write, module, "write"));

  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR desc{};
  desc.Width = 4;
  desc.Format = CU_AD_FORMAT_FLOAT;
  desc.NumChannels = 1;
  desc.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  DRIVER_OK(cuArray3DCreate(&array, &desc));
  const float values[4] = {1, 2, 3, 4};
  DRIVER_OK(cuMemcpyHtoA(array, 0, values, sizeof values));
  float back[2];
  DRIVER_OK(cuMemcpyAtoH(back, array, 8, sizeof back));
  EXPECT(back[0] == 3 && back[1] == 4);
  CUDA_ARRAY3D_DESCRIPTOR told{};
  DRIVER_OK(cuArray3DGetDescriptor(&told, array));
  EXPECT(std::memcmp(&told, &desc, sizeof told) == 0);
  desc.Flags = 0x40;
  EXPECT_EQ(cuArray3DCreate(&array, &desc), CUDA_ERROR_INVALID_VALUE);

  CUdeviceptr out;
  DRIVER_OK(cuMemAlloc(&out, 4));
  CUtexref picture;
  CUsurfref board;
  EXPECT_EQ(cuModuleGetTexRef(&picture, module, "board"), CUDA_ERROR_NOT_FOUND);
  DRIVER_OK(cuModuleGetTexRef(&picture, module, "picture"));
  DRIVER_OK(cuModuleGetSurfRef(&board, module, "board"));
  DRIVER_OK(cuTexRefSetArray(picture, array, CU_TRSA_OVERRIDE_FORMAT));
  DRIVER_OK(cuTexRefSetAddressMode(picture, 0, CU_TR_ADDRESS_MODE_CLAMP));
  EXPECT(read_at(read, out, 2.5f) == 3);
  DRIVER_OK(cuTexRefSetFilterMode(picture, CU_TR_FILTER_MODE_LINEAR));
  EXPECT(read_at(read, out, 2) == 2.5f);
  DRIVER_OK(cuTexRefSetFlags(picture, CU_TRSF_NORMALIZED_COORDINATES));
  EXPECT(read_at(read, out, 0.5f) == 2.5f);
  CUfilter_mode filter;
  DRIVER_OK(cuTexRefGetFilterMode(&filter, picture));
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_LINEAR);
  CUarray bound;
  DRIVER_OK(cuTexRefGetArray(&bound, picture));
  EXPECT(bound == array);

  DRIVER_OK(cuSurfRefSetArray(board, array, 0));
  DRIVER_OK(cuLaunchKernel(write, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  DRIVER_OK(cuMemcpyAtoH(back, array, 4, 4));
  EXPECT(back[0] == 42);

  // Linear memory by number would be tex with .s32; by place it is the texel that the place lies in.
  CUdeviceptr line;
  DRIVER_OK(cuMemAlloc(&line, sizeof values));
  DRIVER_OK(cuMemcpyAtoD(line, array, 0, sizeof values));
  size_t offset = 1;
  DRIVER_OK(cuTexRefSetFlags(picture, 0));
  DRIVER_OK(cuTexRefSetFormat(picture, CU_AD_FORMAT_FLOAT, 1));
  DRIVER_OK(cuTexRefSetAddress(&offset, picture, line, sizeof values));
  EXPECT_EQ(offset, 0);
  EXPECT(read_at(read, out, 1.5f) == 42);

  CUDA_RESOURCE_DESC resource{}, resource_told{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture{};
  texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject object;
  DRIVER_OK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  DRIVER_OK(cuTexObjectGetResourceDesc(&resource_told, object));
  EXPECT(resource_told.res.array.hArray == array);
  DRIVER_OK(cuTexObjectDestroy(object));
  EXPECT_EQ(cuTexObjectDestroy(object), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuArrayDestroy(array));
  EXPECT_EQ(cuTexObjectCreate(&object, &resource, &texture, nullptr), CUDA_ERROR_INVALID_VALUE);
  return finish("texture_references");
}
