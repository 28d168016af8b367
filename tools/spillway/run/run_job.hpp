// `spillway run`: builds the pipeline that the options ask for and sees it through.
//
//     return run_job(options);
#pragma once

#include "spillway/run/run_options.hpp"

namespace spillway::tool {

/// Exit status: 0, or 130 when interrupted. Errors: usage_error, input_error, output_error, pipeline_error.
int run_job(const run_options& options);

/// `spillway explain`: prints threads, edges, policies and bytes of the pipeline that `run_job` would run; reads and writes no other file.
/// Exit status: 0. Errors: as run_job.
int explain_job(const run_options& options);

}  // namespace spillway::tool
