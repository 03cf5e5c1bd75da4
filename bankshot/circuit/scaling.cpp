#include "bankshot/circuit/scaling.hpp"

namespace bankshot::circuit {
namespace {

/// Polynomials of the supply voltage, the coefficient of the highest power first.
struct Process {
  double volts;
  double delay[4];
  double energy[3];
};

constexpr Process k180{1.8, {0, 97.09, -356.7, 406.5}, {24.64, -17.98, 0}};
constexpr Process k45{1.0, {-501.6, 1567, -1619, 566.1}, {1.018, -0.3107, 0.1539}};
constexpr double kArea45 = 0.053;  // of 180 nm

template <int N>
constexpr double at(const double (&coefficient)[N], double volts) {
  double value = 0;
  for (const double c : coefficient) value = value * volts + c;
  return value;
}

}  // namespace

Scaling to_40_nm() {
  return {.area = kArea45 * (40.0 / 45) * (40.0 / 45),
          .delay = at(k45.delay, k45.volts) / at(k180.delay, k180.volts),
          .energy = at(k45.energy, k45.volts) / at(k180.energy, k180.volts)};
}

}  // namespace bankshot::circuit
