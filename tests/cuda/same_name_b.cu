static __global__ void same(float* out) {
  __shared__ float tile[32];
  tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
void launch_b(float* out) {
  same<<<1, 32>>>(out);
  same<<<1, 32>>>(out);
}
