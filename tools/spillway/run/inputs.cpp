#include "spillway/run/inputs.hpp"

#include "spillway/connectors/input_file.hpp"
#include "spillway/demo/demo_source.hpp"

namespace spillway::tool {

byte_source* run_inputs::next() {
  if (opened_ == options_.inputs.size()) return nullptr;
  open_.reset();
  if (options_.demo) {
    open_ = std::make_unique<demo_source>();
  } else {
    open_ = std::make_unique<input_file>(options_.inputs[opened_], stop_);
  }
  ++opened_;
  return open_.get();
}

}  // namespace spillway::tool
