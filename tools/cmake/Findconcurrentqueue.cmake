# moodycamel's ConcurrentQueue: a header that some distributions install without a CMake file.
# Defines concurrentqueue::concurrentqueue, for #include <concurrentqueue/concurrentqueue.h>.

find_path(concurrentqueue_INCLUDE_DIR concurrentqueue/concurrentqueue.h)
mark_as_advanced(concurrentqueue_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(concurrentqueue REQUIRED_VARS concurrentqueue_INCLUDE_DIR)

if(concurrentqueue_FOUND AND NOT TARGET concurrentqueue::concurrentqueue)
  add_library(concurrentqueue::concurrentqueue INTERFACE IMPORTED)
  set_target_properties(concurrentqueue::concurrentqueue PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${concurrentqueue_INCLUDE_DIR}")
endif()
