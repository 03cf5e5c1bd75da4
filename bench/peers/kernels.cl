// The four kernels of gpu.cu as OpenCL C.

kernel void vector_add(global const float* a, global const float* b, global float* c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

kernel void transpose(global const float* in, global float* out, int side) {
  local float tile[32][32];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * 32 + tx;
  int y = get_group_id(1) * 32 + ty;
  if (x < side && y < side) tile[ty][tx] = in[y * side + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + tx;
  y = get_group_id(0) * 32 + ty;
  if (x < side && y < side) out[y * side + x] = tile[tx][ty];
}

kernel void histogram(global const uchar* pixels, global uint* counts, int n) {
  local uint bins[256];
  for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0)) bins[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&bins[pixels[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0)) atomic_add(&counts[bin], bins[bin]);
}

kernel void matmul(global const float* a, global const float* b, global float* c, int side) {
  local float tile_a[16][16];
  local float tile_b[16][16];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * 16 + tx;
  int y = get_group_id(1) * 16 + ty;
  float sum = 0;
  for (int t = 0; t < side; t += 16) {
    tile_a[ty][tx] = a[y * side + t + tx];
    tile_b[ty][tx] = b[(t + ty) * side + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * side + x] = sum;
}
