// Which rows of the table of instructions were executed, for the tests: a row that no test executes is not tested.
#pragma once

#include <set>

#include "bankshot/simt/rows/row.hpp"

namespace bankshot::simt {

struct LoadedProgram;

/// From now on programs are decoded such that they tell; those decoded before do not. For the rest of the process.
void record_rows();

/// The rows of which some lane executed an instruction, of the tables of all instruction sets of the host.
std::set<const Row*> recorded_rows();

/// The decoder's: has the next instruction of the program's code tell that it is of this row, if rows are recorded.
void record_row(const LoadedProgram& program, const Row* row, Instr& instr);

}  // namespace bankshot::simt
