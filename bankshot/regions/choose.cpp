#include "bankshot/regions/choose.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::regions {

using report::HashedInstructions;
using report::HashedKernel;
using report::PatternsOfKernel;

namespace {

/// The parts of some indices as one.
HashedInstructions joined(const PatternsOfKernel& kernel, const search::RegionHash& found) {
  HashedInstructions all;
  all.hash = found.hash;
  all.excess = found.excess;
  all.baseline = found.without;
  for (const size_t k : found.regions) {
    const report::PatternsOfPart& part = kernel.parts[k];
    scratchpad::add(all.words, part.words);
    for (const report::PartInstruction& one : part.instructions) all.ptx_lines.push_back(one.source.ptx_line);
    all.arrays.insert(all.arrays.end(), part.arrays.begin(), part.arrays.end());
  }
  std::ranges::sort(all.ptx_lines);
  std::ranges::sort(all.arrays);
  all.arrays.erase(std::unique(all.arrays.begin(), all.arrays.end()), all.arrays.end());
  return all;
}

}  // namespace

Result<HashedKernel> choose_hashes(const PatternsOfKernel& kernel, const scratchpad::Rules& rules,
                                   const search::Chooser& choose) {
  HashedKernel made;
  made.name = kernel.name;
  made.demangled = kernel.demangled;
  made.module = kernel.module;
  scratchpad::Region together;
  std::vector<scratchpad::Region> regions;
  std::vector<bool> keeps;
  std::vector<size_t> all;
  for (const report::PatternsOfPart& part : kernel.parts) {
    all.push_back(regions.size());
    regions.push_back({part.words, part.patterns.patterns});
    keeps.push_back(!part.why_kept.empty());
    scratchpad::add(together.words, part.words);
    together.patterns.insert(together.patterns.end(), part.patterns.patterns.begin(), part.patterns.patterns.end());
  }
  Result<std::vector<search::RegionHash>> one = search::find_by_region(rules, {&together, 1}, {false}, choose);
  if (!one) return one.error();
  one->front().regions = all;
  made.baseline = one->front().without;
  made.one = joined(kernel, one->front());
  const Result<std::vector<search::RegionHash>> own = search::find_by_region(rules, regions, keeps, choose);
  if (!own) return own.error();
  for (const search::RegionHash& found : *own) {
    made.excess += found.excess;
    if (found.hash != scratchpad::modulo_hash(found.hash.size())) made.hashes.push_back(joined(kernel, found));
    for (const size_t k : found.regions) {
      if (!kernel.parts[k].why_kept.empty() && found.without != 0) made.kept.push_back(kernel.parts[k].why_kept);
    }
  }
  // A heuristic may find less on a part alone than on all of them.
  if (made.excess > made.one.excess && std::ranges::none_of(keeps, [](bool keep) { return keep; })) {
    made.hashes = {made.one};
    made.excess = made.one.excess;
  }
  return made;
}

unsigned bits_of_parameters(const std::string& hash_class, unsigned banks) {
  const scratchpad::HashSize size{scratchpad::kUsualAddressBits, static_cast<unsigned>(std::countr_zero(banks))};
  const scratchpad::HashClass* const c = scratchpad::find_searchable_class(hash_class);
  if (c == nullptr || (c->circuit == nullptr && c->rows != scratchpad::RowSpace::any)) return 0;
  if (c->circuit == nullptr) return size.address_bits * size.bank_bits;
  unsigned bits = 0;
  for (const scratchpad::CircuitField& field : c->circuit->fields(size)) bits += field.bits;
  return bits;
}

}  // namespace bankshot::regions
