// The guess at what a mistyped word was to be.
#pragma once
#include <string>
#include <vector>

namespace lanesort::bench {

// The candidate nearest to a mistyped word; empty if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// "; did you mean <nearest>?", or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

// Of every key there is.
std::vector<std::string> dtype_names();

}  // namespace lanesort::bench
