#include "bankshot/optimise/order.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "bankshot/optimise/liveness.hpp"
#include "bankshot/optimise/schedule.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Instruction;

void find_stretches(const ptx::Block& block, const Control& control, size_t& step, std::vector<Stretch>& out) {
  bool goes_on = false;
  for (const ptx::Statement& statement : block.statements) {
    if (std::holds_alternative<ptx::Location>(statement)) continue;
    if (std::holds_alternative<Instruction>(statement)) {
      if (goes_on && control.blocks.of[step] == control.blocks.of[step - 1]) {
        ++out.back().size;
      } else {
        out.push_back({step, 1});
      }
      goes_on = true;
      ++step;
      continue;
    }
    goes_on = false;
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement))
      find_stretches(**inner, control, step, out);
  }
}

/// The first place in a body: that of what stands before it, too.
std::optional<ptx::Location> first_location(const ptx::Block& block) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* location = std::get_if<ptx::Location>(&statement); location != nullptr && location->line != 0)
      return *location;
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      if (auto found = first_location(**inner)) return found;
    }
  }
  return std::nullopt;
}

/// Puts the statements of a body into their new order.
class Mover {
 public:
  /// @param first  of the body
  Mover(const std::vector<Stretch>& stretches, const std::vector<std::vector<size_t>>& orders,
        std::optional<ptx::Location> first)
      : stretches_(stretches), orders_(orders), in_force_(std::move(first)) {}

  void block(ptx::Block& block) {
    std::vector<ptx::Statement> statements = std::move(block.statements);
    block.statements.clear();
    for (ptx::Statement& statement : statements) {
      if (const auto* location = std::get_if<ptx::Location>(&statement)) {
        locations_.push_back(*location);
        if (location->line != 0) in_force_ = *location;  // line 0 stays with the line before
      } else if (auto* instruction = std::get_if<Instruction>(&statement)) {
        instructions_.push_back({std::move(*instruction), in_force_, locations_.size()});
        if (instructions_.size() == stretches_[next_].size) flush(block.statements);
      } else {
        put_locations(block.statements, locations_.size());
        forget_locations();
        if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) this->block(**inner);
        block.statements.push_back(std::move(statement));
      }
    }
    put_locations(block.statements, locations_.size());
    forget_locations();
  }

 private:
  struct Placed {
    Instruction instruction;
    std::optional<ptx::Location> location;  ///< in force
    size_t behind = 0;                      ///< so many of locations_
  };

  void put_locations(std::vector<ptx::Statement>& out, size_t until) {
    for (; put_ < until; ++put_) out.emplace_back(std::move(locations_[put_]));
  }
  /// Between stretches: no instruction that waits counts them.
  void forget_locations() {
    if (put_ != locations_.size()) return;
    locations_.clear();
    put_ = 0;
  }

  void flush(std::vector<ptx::Statement>& out) {
    const size_t first = stretches_[next_].first;
    const std::vector<size_t>& order = orders_[next_++];
    if (std::is_sorted(order.begin(), order.end())) {
      for (Placed& placed : instructions_) {
        put_locations(out, placed.behind);
        out.emplace_back(std::move(placed.instruction));
      }
    } else {
      const std::optional<ptx::Location> last = in_force_;
      put_locations(out, locations_.size());
      std::optional<Position> told;
      for (const size_t step : order) {
        Placed& placed = instructions_[step - first];
        if (placed.location && told != placed.location->position) {
          out.emplace_back(*placed.location);
          told = placed.location->position;
        }
        out.emplace_back(std::move(placed.instruction));
      }
      if (last) out.emplace_back(*last);
    }
    instructions_.clear();
    forget_locations();
  }

  const std::vector<Stretch>& stretches_;
  const std::vector<std::vector<size_t>>& orders_;
  size_t next_ = 0;  ///< stretch
  std::vector<ptx::Location> locations_;
  size_t put_ = 0;  ///< of locations_
  std::optional<ptx::Location> in_force_;
  std::vector<Placed> instructions_;  ///< of the stretch
};

}  // namespace

void order(ptx::Function& function, const ptx::KernelCode& code, const Control& control, const Values& values,
           const std::vector<uint8_t>& slots, const OrderOptions& options) {
  constexpr size_t kMost = 5'000;  // instructions; what is longer stays as it is
  const Liveness liveness(code, control);
  std::vector<Stretch> stretches;
  size_t step = 0;
  find_stretches(*function.body, control, step, stretches);
  std::vector<std::vector<size_t>> orders(stretches.size());
  LiveSet live(code.entities());
  size_t at = 0;  // `live` is behind the step before
  std::optional<uint32_t> block;
  for (size_t k = stretches.size(); k-- > 0;) {
    const Stretch& stretch = stretches[k];
    const size_t end = stretch.first + stretch.size;
    const uint32_t its = control.blocks.of[stretch.first];
    if (control.dominators.number[its] == ptx::Dominators::kNotReached) continue;
    if (block != its) {
      live = liveness.behind(its);
      at = liveness.end(its);
      block = its;
    }
    liveness.back(at, end, live);
    at = end;
    if (stretch.size < 2 || stretch.size > kMost) continue;
    orders[k] = schedule(code, values, slots, stretch, live, options.registers);
  }
  Mover(stretches, orders, first_location(*function.body)).block(*function.body);
}

}  // namespace bankshot::optimise
