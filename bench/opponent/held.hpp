// Constrained dynamics of the opponent: what held.cpp offers to opponent.cpp. Two files, so that both are compiled at once.
#ifndef OPPONENT_HELD_HPP
#define OPPONENT_HELD_HPP

#include "opponent.h"

#include <pinocchio/fwd.hpp>

#include <pinocchio/multibody.hpp>

#include <memory>
#include <vector>

namespace opponent
{
  namespace pin = pinocchio;

#ifdef OPPONENT_SHIPPED
  // The library has some algorithms for references only; called with vectors they would be compiled here instead.
  using Vector = Eigen::Ref<const Eigen::VectorXd>;
#else
  using Vector = Eigen::VectorXd;
#endif

  // One argument set of every algorithm: x is the acceleration or the torque.
  struct State
  {
    Vector q, v, x;
  };

  // A model with frames that are held, and room for results.
  struct Held;

  std::shared_ptr<Held> hold(const pin::Model & model, const OpponentHold * holds, int32_t n);

  inline bool is_held(int32_t quantity)
  {
    return quantity >= OPPONENT_CONSTRAINED_FD && quantity <= OPPONENT_IMPULSE_DERIVATIVES;
  }

  // How many numbers of a result are written, and how many there are.
  int64_t size(const Held & held, int32_t quantity);
  int64_t size_kept(const Held & held, int32_t quantity);
  // Nanoseconds of `reps` calls. Where `places` is not null, every result is kept in one of `kept` places.
  double time(Held & held, int32_t quantity, const std::vector<State> & states, int32_t reps, double * places, int32_t kept);
  // The result of the last call.
  void write(const Held & held, int32_t quantity, double * out);
} // namespace opponent

#endif
