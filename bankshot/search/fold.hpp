// The inner loop of the proof: sums of cosets when a row is added.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bankshot::search {

/// Whether fold() can be asked: the host has the instructions, and a coset has a bit that whole vectors agree in.
bool can_fold(uint32_t coset, size_t sums);

/// to[x without bit `top` of x] = from[x] + from[x ^ coset] for the x that have not the highest bit, `top`, of the
/// coset; `gone` where that is more than `room`. What tree.cpp does one by one, sixteen at a time.
/// @param sums  of `from`; `to` gets half as many  @param list  gets the indices of sums that are not gone; has
///              room for as many as `to`
/// @return      how many these are
size_t fold(const int32_t* from, size_t sums, uint32_t coset, int32_t room, int32_t gone, int32_t* to, uint32_t* list);

}  // namespace bankshot::search
