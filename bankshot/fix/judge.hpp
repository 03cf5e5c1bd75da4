// Which of the forms that were tried is worth having.
#pragma once

#include "bankshot/fix/plan.hpp"

namespace bankshot::fix {

/// Sets KernelPlan::chosen and verdict of every kernel for which something was rewritten: the form of fewest simulated
/// cycles, if it takes at least 1 % fewer than the kernel as it is; without cycles the one that saves most wavefronts
/// beyond the warp instructions it adds, if there is one. Of equals padding, which is simpler.
/// A form that cannot be written in the source gives way to one that can and costs at most 1 % more.
/// @param even_if_slower  something is chosen in any case
void judge(Plan& plan, bool even_if_slower);

}  // namespace bankshot::fix
