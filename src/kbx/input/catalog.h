// SPDX-License-Identifier: Apache-2.0
// The tasks as kbx knows them, from tasks/catalog.json: enough to tell which task a submission is for, and what its
// function is called. Names are looked up exactly; for a name that is not there, those that look like it are offered.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kbx {

struct CatalogTask {
  std::string name, category, entry, signature, description;
};

class Catalog {
 public:
  // tasks: the array of tasks/catalog.json. Throws Error(kEnvironment) when it is not one.
  explicit Catalog(const nlohmann::json& tasks);

  const CatalogTask* find(std::string_view name) const;
  // At most three, nearest first.
  std::vector<std::string> near(std::string_view name) const;
  const std::vector<CatalogTask>& tasks() const { return tasks_; }
  bool has_category(std::string_view name) const;

 private:
  std::vector<CatalogTask> tasks_;  // by name
};

// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace kbx
