// From the cells of 180 nm to other processes.
#pragma once

namespace bankshot::circuit {

/// Factors for areas, delays and the energy of a change of state.
struct Scaling {
  double area = 1, delay = 1, energy = 1;
};

/// From 180 nm at 1.8 V to 40 nm at 1.0 V.
/// Source: Stillmaker and Baas, Scaling Equations for the Accurate Prediction of CMOS Device Performance from 180 nm to
/// 7 nm, Integration 58 (2017): the area of 45 nm is 0.053 of that of 180 nm; polynomials of delay and energy, here
/// those of 180 nm and of 45 nm (high performance). 40 nm is a half-node of 45 nm: its areas are (40/45)^2 of those,
/// delays and energies are taken to be the same. Leakage is not scaled.
Scaling to_40_nm();

}  // namespace bankshot::circuit
