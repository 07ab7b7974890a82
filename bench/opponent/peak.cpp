// The core's peak of fused multiply-adds: as many independent chains as hide the latency, and nothing else.

#include "opponent.h"

#include <chrono>

namespace
{
  using Vector = double __attribute__((vector_size(32)));
  constexpr int chains = 12; // latency 4, two units: 8 would do; 12 and two operands still fit into 16 registers
  constexpr int lanes = sizeof(Vector) / sizeof(double);
} // namespace

extern "C" __attribute__((visibility("default"))) double opponent_fma_peak(void)
{
  using Clock = std::chrono::steady_clock;
  constexpr int rounds = 400000;
  Vector a = Vector{} + 0.999999, b = Vector{} + 1e-6, x[chains];
  for (int k = 0; k < chains; ++k)
    x[k] = Vector{} + k;
  asm volatile("" : "+x"(a), "+x"(b)); // not constants to the optimiser
  const auto start = Clock::now();
  for (int i = 0; i < rounds; ++i)
    for (int k = 0; k < chains; ++k)
      x[k] = x[k] * a + b; // contracted to one instruction
  for (int k = 0; k < chains; ++k)
    asm volatile("" : "+x"(x[k])); // every chain is needed
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  return double(rounds) * chains * lanes / ns;
}
