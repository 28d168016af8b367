// What can be found wrong with inputs and outputs before the first byte is written.
//
// 1. Every named input is opened; of a regular CSV file the header is read and its columns are looked up.
// 2. No output may be one of the inputs, under whatever name: opening it would empty it. No two outputs may be one file.
//
//     preflight(options);
#pragma once

#include "spillway/run/run_options.hpp"

namespace spillway::tool {

/// Errors: input_error, usage_error.
void preflight(const run_options& options);

}  // namespace spillway::tool
