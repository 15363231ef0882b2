// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/catalog.h"

#include <algorithm>
#include <array>

#include "kbx/base/error.h"

namespace kbx {

Catalog::Catalog(const nlohmann::json& tasks) {
  try {
    for (const auto& task : tasks) {
      tasks_.push_back({task.at("name"), task.at("category"), task.at("entry"), task.at("signature"),
                        task.value("description", "")});
    }
  } catch (const nlohmann::json::exception& wrong) {
    throw Error(ErrorKind::kEnvironment, std::string("the task catalogue is damaged: ") + wrong.what());
  }
  std::sort(tasks_.begin(), tasks_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

const CatalogTask* Catalog::find(std::string_view name) const {
  const auto at = std::lower_bound(tasks_.begin(), tasks_.end(), name,
                                   [](const CatalogTask& task, std::string_view wanted) { return task.name < wanted; });
  return at != tasks_.end() && at->name == name ? &*at : nullptr;
}

bool Catalog::has_category(std::string_view name) const {
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const CatalogTask& task) { return task.category == name; });
}

std::vector<std::string> Catalog::near(std::string_view name) const {
  constexpr size_t kLongest = 100;  // no task's name comes near; keeps a hostile name cheap
  constexpr size_t kOffered = 3;
  if (name.size() > kLongest) return {};
  std::vector<std::pair<size_t, std::string>> found;
  for (const CatalogTask& task : tasks_) {
    const size_t distance = edit_distance(name, task.name);
    if (distance <= std::max<size_t>(1, std::min(name.size(), task.name.size()) / 3))
      found.emplace_back(distance, task.name);
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kOffered) found.resize(kOffered);
  std::vector<std::string> names;
  for (auto& [distance, task] : found) names.push_back(std::move(task));
  return names;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: two back is needed for the swap.
  std::array<std::vector<size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    const auto& above = rows[(i - 1) % 3];
    const auto& above2 = rows[(i + 1) % 3];
    auto& row = rows[i % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], above2[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace kbx
