// Molecular dynamics with a cut-off: space is cut into boxes, and every particle feels those in its own box and in the
// 26 around it. A CTA does one box: it holds its own particles and those of one neighbour after another in shared
// memory. A particle is four doubles, so that threads side by side are 8 words apart and 8 of 32 meet in a bank (4 of
// each half of a warp, as an access of 8 bytes goes by halves); charges, 2 words apart, have no conflicts.
//   lavamd [boxes along an edge: 2] [particles in a box, up to 100: 100]
#include "../check.hpp"

constexpr int most_particles = 100, block_threads = 128;

struct Particle {
  double v, x, y, z;  // v is the square of the distance from the origin
};

/// e to the power of x, for x from -20 to 0: Taylor's polynomial of x / 256, squared 8 times.
__host__ __device__ inline double exponential(double x) {
  const double y = x / 256;
  double power = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5))));
  for (int i = 0; i < 8; ++i) power *= power;
  return power;
}

/// Adds to force what a particle at b of this charge does to one at a: v is its potential, x, y and z the force.
__host__ __device__ inline void interact(Particle a, Particle b, double charge, double decay, Particle& force) {
  const double squared_distance = a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z) * 2;
  const double potential = exponential(-decay * squared_distance), strength = 2 * potential * charge;
  force.v += charge * potential;
  force.x += strength * (a.x - b.x);
  force.y += strength * (a.y - b.y);
  force.z += strength * (a.z - b.z);
}

/// @param particles, charges, forces  [boxes][count], boxes in the order x, y, z with x fastest
__global__ void lavamd(const Particle* particles, const double* charges, Particle* forces, int count, double decay) {
  // Volatile, as the loop reads both particles from shared memory at each interaction (paper, section 7.2).
  __shared__ volatile Particle own[most_particles];
  __shared__ volatile Particle other[most_particles];
  __shared__ volatile double charge[most_particles];
  auto copy = [](volatile Particle& to, const Particle& from) {
    to.v = from.v;
    to.x = from.x;
    to.y = from.y;
    to.z = from.z;
  };
  auto value = [](const volatile Particle& from) { return Particle{from.v, from.x, from.y, from.z}; };

  const int thread = threadIdx.x, edge = gridDim.x;
  const int box = (blockIdx.z * edge + blockIdx.y) * edge + blockIdx.x;
  Particle force = {0, 0, 0, 0};
  if (thread < count) copy(own[thread], particles[box * count + thread]);
  for (int neighbour = 0; neighbour < 27; ++neighbour) {
    const int x = blockIdx.x + neighbour % 3 - 1, y = blockIdx.y + neighbour / 3 % 3 - 1;
    const int z = blockIdx.z + neighbour / 9 - 1;
    if (x < 0 || x >= edge || y < 0 || y >= edge || z < 0 || z >= edge) continue;
    const int from = ((z * edge + y) * edge + x) * count;
    if (thread < count) {
      copy(other[thread], particles[from + thread]);
      charge[thread] = charges[from + thread];
    }
    __syncthreads();
    if (thread < count)
      for (int j = 0; j < count; ++j) interact(value(own[thread]), value(other[j]), charge[j], decay, force);
    __syncthreads();
  }
  if (thread < count) forces[box * count + thread] = force;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int edge = arguments.number(0, 2), count = arguments.number(1, most_particles);
  if (count > most_particles) {
    std::fprintf(stderr, "a box holds at most %d particles\n", most_particles);
    return 2;
  }
  const int boxes = edge * edge * edge;
  const double decay = 0.5;
  std::vector<Particle> particles(size_t(boxes) * count), forces(particles.size());
  std::vector<double> charges(particles.size());
  Random random;
  for (size_t i = 0; i < particles.size(); ++i) {
    const int box = static_cast<int>(i) / count;
    const int place[3] = {box % edge, box / edge % edge, box / edge / edge};
    double at[3];
    for (int axis = 0; axis < 3; ++axis) at[axis] = place[axis] + random.below(1000) / 1000.0;
    particles[i] = {at[0] * at[0] + at[1] * at[1] + at[2] * at[2], at[0], at[1], at[2]};
    charges[i] = random.below(1000) / 1000.0;
  }
  DeviceArray<Particle> device_particles(particles), device_forces(particles.size());
  DeviceArray<double> device_charges(charges);
  lavamd<<<dim3(edge, edge, edge), block_threads>>>(device_particles.get(), device_charges.get(), device_forces.get(),
                                                    count, decay);
  finish_kernel();

  for (size_t i = 0; i < particles.size(); ++i)
    for (size_t j = 0; j < particles.size(); ++j) {
      const int a = static_cast<int>(i) / count, b = static_cast<int>(j) / count;
      if (std::abs(a % edge - b % edge) > 1 || std::abs(a / edge % edge - b / edge % edge) > 1 ||
          std::abs(a / edge / edge - b / edge / edge) > 1)
        continue;
      interact(particles[i], particles[j], charges[j], decay, forces[i]);
    }
  auto flat = [](const std::vector<Particle>& from) {
    std::vector<double> to;
    for (const Particle& particle : from) to.insert(to.end(), {particle.v, particle.x, particle.y, particle.z});
    return to;
  };
  return verdict("lavamd", flat(device_forces.to_host()), flat(forces), 1e-9);
}
