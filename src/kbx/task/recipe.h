// SPDX-License-Identifier: Apache-2.0
// Recipes of arguments. A case holds recipes, not tensors, so the catalogue costs nothing and a case is reproduced from
// its label and the run's seed. Everything is drawn on the CPU from a counter-based generator of our own: the same
// values on every device, with any number of threads and with every version of torch (N(0,1) up to the last bit of the
// system's log and cos).
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kbx/task/value.h"

namespace kbx {

// Random numbers by index: each alone, in any order, on any thread. Philox 4x32-10 (Salmon et al., SC 2011), one block
// a number.
class Stream {
 public:
  Stream(uint64_t key, uint64_t number) : key_(key), number_(number) {}
  std::array<uint64_t, 2> block(uint64_t index) const;
  uint64_t bits(uint64_t index) const { return block(index)[0]; }
  double uniform(uint64_t index) const;                              // [0, 1), a multiple of 2^-53
  double normal(uint64_t index) const;                               // N(0, 1)
  int64_t integer(uint64_t index, int64_t low, int64_t high) const;  // [low, high)

 private:
  uint64_t key_;
  uint64_t number_;
};

// The random numbers of one argument of one case: one after the other, or a fresh stream of them.
class Draw {
 public:
  // seed: the run's secret; path: "task/case/argument". Different paths give independent numbers, and whoever sees
  // those of one path learns nothing about another's: the key is a hash (SHA-256) of both.
  Draw(std::string_view seed, std::string_view path);
  uint64_t bits() { return sequence_.bits(counter_++); }
  double uniform() { return sequence_.uniform(counter_++); }
  double normal() { return sequence_.normal(counter_++); }
  int64_t integer(int64_t low, int64_t high) { return sequence_.integer(counter_++, low, high); }
  Stream fork() { return {key_, ++streams_}; }
  // In an outline recipes make meta tensors: shape and dtype without values or memory.
  static Draw outline();
  bool is_outline() const { return outline_; }

 private:
  uint64_t key_;
  Stream sequence_;
  uint64_t counter_ = 0;
  uint64_t streams_ = 0;
  bool outline_ = false;
};

struct Recipe {
  std::function<Value(Draw&)> make;
  std::string text;  // as the catalogue prints it: "float32[64, 128] N(0,1)"

  Recipe(std::function<Value(Draw&)> make_, std::string text_) : make(std::move(make_)), text(std::move(text_)) {}
  // A constant.
  Recipe(Value value) : make([value](Draw&) { return value; }), text(to_text(value)) {}
  template <typename T>
  requires std::is_constructible_v<Value, T> Recipe(T value) : Recipe(Value(std::move(value))) {}
};

using Shape = std::vector<int64_t>;

// Random tensors. Values are drawn in double and rounded to dtype. Of a complex dtype both parts are drawn alike.
Recipe randn(Shape shape, at::ScalarType dtype, double scale = 1.0, double shift = 0.0);
Recipe uniform(Shape shape, at::ScalarType dtype, double low = 0.0, double high = 1.0);
Recipe randint(Shape shape, int64_t low, int64_t high, at::ScalarType dtype = at::kLong);
Recipe coin(Shape shape, double probability = 0.5);  // bool
// N(0,1) where a share of the elements is multiplied by a factor: what quantisers and naive variances trip over.
Recipe outliers(Shape shape, at::ScalarType dtype, double probability, double factor);
// A permutation of 0..n-1.
Recipe permutation(int64_t n);
// Different integers out of [0, n), in random order: indices without duplicates.
Recipe distinct(int64_t count, int64_t n);
// Fixed tensors.
Recipe values(std::vector<double> values, at::ScalarType dtype);
Recipe values(std::vector<double> values, Shape shape, at::ScalarType dtype);
Recipe full(Shape shape, double value, at::ScalarType dtype);
Recipe eye(int64_t n, at::ScalarType dtype);
Recipe empty(Shape shape, at::ScalarType dtype);  // zeros: what an out= argument holds before the call
// -0, 0, denormals, the largest finite values, infinities and NaN of dtype, then N(0,1) up to n elements.
Recipe specials(int64_t n, at::ScalarType dtype);

// Recipes made from recipes.
Recipe transposed(Recipe inner, int64_t dim0 = -2, int64_t dim1 = -1);  // a view: not contiguous
Recipe strided(Recipe inner, int64_t dim, int64_t step);                // every step-th element along dim: a view
Recipe symmetric(Recipe inner);                                         // (A + A^T) / 2
Recipe positive_definite(Recipe inner, double shift);                   // A A^T / n + shift I
Recipe lower_triangular(Recipe inner, double diagonal_shift);           // tril(A), |diagonal| + shift
Recipe softmaxed(Recipe inner, int64_t dim);                            // probabilities
Recipe apply(Recipe inner, std::function<at::Tensor(const at::Tensor&)> f, const std::string& what);
Recipe list_of(std::vector<Recipe> items);

}  // namespace kbx
