// Gravity between all pairs of bodies, a body a thread: tiles of bodies in shared memory, which all lanes read at one place, so
// that each access is a broadcast. Arithmetic with a reciprocal square root in each step.
//   n_body [bodies: 1024]
#include "../check.hpp"

constexpr int tile = 256;
constexpr float softening = 0.01f;

__global__ void n_body(const float4* bodies, float4* accelerations, int n) {
  __shared__ float4 near[tile];
  const int i = blockIdx.x * tile + threadIdx.x;
  const float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += tile) {
    const int other = first + threadIdx.x;
    near[threadIdx.x] = other < n ? bodies[other] : make_float4(0, 0, 0, 0);  // no mass, no force
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      const float4 body = near[k];
      const float dx = body.x - own.x, dy = body.y - own.y, dz = body.z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float force = body.w * inverse * inverse * inverse;
      x += force * dx, y += force * dy, z += force * dz;
    }
    __syncthreads();
  }
  if (i < n) accelerations[i] = make_float4(x, y, z, 0);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({}, 1);
  const int n = arguments.number(0, 1024);
  std::vector<float4> bodies(n);
  std::vector<float> expected, measured;
  Random random;
  const auto coordinate = [&] { return static_cast<float>(random.below(2001)) / 1000 - 1; };
  for (float4& body : bodies) {
    body.x = coordinate(), body.y = coordinate(), body.z = coordinate();
    body.w = static_cast<float>(1 + random.below(100)) / 100;
  }
  for (const float4& own : bodies) {
    double x = 0, y = 0, z = 0;
    for (const float4& body : bodies) {
      const double dx = body.x - own.x, dy = body.y - own.y, dz = body.z - own.z;
      const double square = dx * dx + dy * dy + dz * dz + softening, force = body.w / (square * std::sqrt(square));
      x += force * dx, y += force * dy, z += force * dz;
    }
    for (const double one : {x, y, z}) expected.push_back(static_cast<float>(one));
  }
  DeviceArray<float4> device_bodies(bodies), accelerations(n);
  n_body<<<(n + tile - 1) / tile, tile>>>(device_bodies.get(), accelerations.get(), n);
  finish_kernel();
  for (const float4& one : accelerations.to_host())
    for (const float part : {one.x, one.y, one.z}) measured.push_back(part);
  return verdict("n_body", measured, expected, 1e-3);
}
