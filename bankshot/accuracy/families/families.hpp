// The functions of the families: which rows each answers, and how. One file each.
#pragma once

#include "bankshot/accuracy/benchmark.hpp"

namespace bankshot::accuracy {

std::optional<Plan> plan_latency(const Row& row);          ///< latency.cpp: pointer chases
std::optional<Plan> plan_l1_strides(const Row& row);       ///< l1_strides.cpp: loads that hit L1, by stride
std::optional<Plan> plan_shared(const Row& row);           ///< shared.cpp: loads of shared memory by their conflicts
std::optional<Plan> plan_sm_bandwidth(const Row& row);     ///< sm_bandwidth.cpp: shared memory and L1 of one SM
std::optional<Plan> plan_cache_bandwidth(const Row& row);  ///< cache_bandwidth.cpp: L1 and L2 of the chip
std::optional<Plan> plan_dram(const Row& row);             ///< dram.cpp: streams
std::optional<Plan> plan_instructions(const Row& row);     ///< instructions.cpp: dependent chains and throughput
std::optional<Plan> plan_barriers(const Row& row);         ///< barriers.cpp
std::optional<Plan> plan_atomics(const Row& row);          ///< atomics.cpp: shared and global
std::optional<Plan> plan_warp(const Row& row);             ///< warp.cpp: shuffles, votes, ldmatrix
std::optional<Plan> plan_tensor(const Row& row);           ///< tensor.cpp: mma and wmma
std::optional<Plan> plan_issue(const Row& row);            ///< issue.cpp: when memory instructions issue

}  // namespace bankshot::accuracy
