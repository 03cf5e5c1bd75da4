// Thread block clusters: shared memory of other blocks, barriers, shapes, launches that are refused.
#include <cooperative_groups.h>

#include <vector>

#include "check.hpp"

namespace cg = cooperative_groups;

/// Bins are spread over the blocks of a cluster: the example of the CUDA C++ Programming Guide, written anew.
__global__ void histogram(int* bins, int bin_count, const int* values, int count) {
  extern __shared__ int mine[];
  const cg::cluster_group cluster = cg::this_cluster();
  const int of_a_block = bin_count / static_cast<int>(cluster.num_blocks());
  for (int i = static_cast<int>(threadIdx.x); i < of_a_block; i += static_cast<int>(blockDim.x)) mine[i] = 0;
  cluster.sync();
  for (int i = static_cast<int>(cg::this_grid().thread_rank()); i < count;
       i += static_cast<int>(cg::this_grid().size())) {
    int* const theirs = cluster.map_shared_rank(mine, values[i] / of_a_block);
    atomicAdd(theirs + values[i] % of_a_block, 1);
  }
  cluster.sync();
  int* const part = bins + static_cast<int>(cluster.block_rank()) * of_a_block;
  for (int i = static_cast<int>(threadIdx.x); i < of_a_block; i += static_cast<int>(blockDim.x))
    atomicAdd(&part[i], mine[i]);
}

struct Place {
  int rank, blocks, x, y, z, shape_x, shape_y, shape_z, value, is_shared;
};

/// Every block reads what the next one of its cluster has written.
__device__ void look(Place* places) {
  __shared__ int word;
  const cg::cluster_group cluster = cg::this_cluster();
  const int linear = static_cast<int>((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
  word = 1000 + linear;
  cluster.barrier_arrive();
  cluster.barrier_wait();
  const int next = static_cast<int>((cluster.block_rank() + 1) % cluster.num_blocks());
  int* const theirs = cluster.map_shared_rank(&word, next);
  const dim3 at = cluster.block_index(), shape = cluster.dim_blocks();
  places[linear] = {static_cast<int>(cluster.block_rank()),
                    static_cast<int>(cluster.num_blocks()),
                    static_cast<int>(at.x),
                    static_cast<int>(at.y),
                    static_cast<int>(at.z),
                    static_cast<int>(shape.x),
                    static_cast<int>(shape.y),
                    static_cast<int>(shape.z),
                    *theirs,
                    static_cast<int>(__isShared(&word)) +
                        2 * static_cast<int>(cluster.query_shared_rank(theirs) == static_cast<unsigned>(next))};
  cluster.sync();
}
__global__ void any_shape(Place* places) { look(places); }
__global__ void __cluster_dims__(2, 1, 2) fixed_shape(Place* places) { look(places); }

template <class... Parameters, class... Arguments>
cudaError_t launch(dim3 grid, dim3 block, dim3 cluster, size_t shared, void (*kernel)(Parameters...),
                   Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// Launches either kernel and compares with the coordinates that every block should have.
void check_shape(dim3 grid, dim3 shape, bool fixed) {
  const int blocks = static_cast<int>(grid.x * grid.y * grid.z), size = static_cast<int>(shape.x * shape.y * shape.z);
  Place* places;
  OK(cudaMallocManaged(&places, blocks * sizeof(Place)));
  if (fixed) {
    fixed_shape<<<grid, 1>>>(places);
  } else {
    OK(launch(grid, dim3(1), shape, 0, any_shape, places));
  }
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < blocks; ++i) {
    const int at[] = {i % static_cast<int>(grid.x), i / static_cast<int>(grid.x) % static_cast<int>(grid.y),
                      i / static_cast<int>(grid.x * grid.y)};
    const int sides[] = {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z)};
    const int x = at[0] % sides[0], y = at[1] % sides[1], z = at[2] % sides[2],
              rank = x + sides[0] * (y + sides[1] * z);
    const int next = (rank + 1) % size, nx = next % sides[0], ny = next / sides[0] % sides[1],
              nz = next / sides[0] / sides[1];
    const int neighbour =
        (at[0] - x + nx) + static_cast<int>(grid.x) * ((at[1] - y + ny) + static_cast<int>(grid.y) * (at[2] - z + nz));
    EXPECT_EQ(places[i].rank, rank);
    EXPECT_EQ(places[i].blocks, size);
    EXPECT(places[i].x == x && places[i].y == y && places[i].z == z);
    EXPECT(places[i].shape_x == sides[0] && places[i].shape_y == sides[1] && places[i].shape_z == sides[2]);
    EXPECT_EQ(places[i].value, 1000 + neighbour);
    EXPECT_EQ(places[i].is_shared, 3);
  }
  OK(cudaFree(places));
}

void check_histogram(unsigned cluster) {
  constexpr int kBins = 240, kCount = 5000;
  std::vector<int> values(kCount), expected(kBins), result(kBins);
  for (int i = 0; i < kCount; ++i) ++expected[values[i] = (i * i + 7 * i) % kBins];
  int *bins, *input;
  OK(cudaMalloc(&bins, kBins * sizeof(int)));
  OK(cudaMalloc(&input, kCount * sizeof(int)));
  OK(cudaMemset(bins, 0, kBins * sizeof(int)));
  OK(cudaMemcpy(input, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  OK(launch(dim3(2 * cluster), dim3(96), dim3(cluster), kBins / cluster * sizeof(int), histogram, bins,
            static_cast<int>(kBins), input, static_cast<int>(kCount)));
  OK(cudaMemcpy(result.data(), bins, kBins * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(result == expected);
  OK(cudaFree(bins));
  OK(cudaFree(input));
}

void check_refusals() {
  Place* none = nullptr;
  EXPECT_EQ(launch(dim3(10), dim3(32), dim3(4), 0, any_shape, none), cudaErrorInvalidClusterSize);   // no multiple
  EXPECT_EQ(launch(dim3(16), dim3(32), dim3(16), 0, any_shape, none), cudaErrorInvalidClusterSize);  // not portable
  EXPECT_EQ(launch(dim3(8), dim3(32), dim3(4), 0, fixed_shape, none),
            cudaErrorInvalidClusterSize);  // another than required
  cudaGetLastError();
  OK(cudaFuncSetAttribute(any_shape, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, any_shape));
  EXPECT_EQ(attributes.nonPortableClusterSizeAllowed, 1);
  check_shape(dim3(32), dim3(16, 1, 1), false);
  EXPECT_EQ(launch(dim3(32), dim3(32), dim3(32), 0, any_shape, none), cudaErrorInvalidClusterSize);
  cudaGetLastError();
  OK(cudaFuncGetAttributes(&attributes, fixed_shape));
  EXPECT_EQ(attributes.clusterDimMustBeSet, 1);
  EXPECT_EQ(attributes.requiredClusterWidth, 2);
  EXPECT_EQ(attributes.requiredClusterHeight, 1);
  EXPECT_EQ(attributes.requiredClusterDepth, 2);
}

void check_occupancy() {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(64);
  config.blockDim = dim3(1024);
  int size = 0, clusters = 0, blocks = 0, sms = 0, can = 0;
  OK(cudaOccupancyMaxPotentialClusterSize(&size, histogram, &config));
  EXPECT_EQ(size, 8);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  OK(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, histogram, 1024, 0));
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_EQ(clusters, sms * blocks / 4);
  OK(cudaDeviceGetAttribute(&can, cudaDevAttrClusterLaunch, 0));
  EXPECT_EQ(can, 1);
}

int main() {
  for (const unsigned cluster : {1u, 2u, 4u, 8u}) check_histogram(cluster);
  check_shape(dim3(8), dim3(4, 1, 1), false);
  check_shape(dim3(6, 4, 2), dim3(3, 2, 1), false);
  check_shape(dim3(4, 2, 4), dim3(2, 1, 2), true);
  check_refusals();
  check_occupancy();
  return finish("clusters");
}
