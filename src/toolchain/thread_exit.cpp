// On Windows, GCC keeps thread_local objects in memory that it frees when the thread ends, possibly
// before their destructors run (GCC bug 83562): both are functions that the thread calls at its
// end, in the order in which their keys were made. This makes the key of the destructors first,
// when the package is loaded.
#if defined(__MINGW32__) && !defined(__clang__)
#include <cxxabi.h>

namespace {

void nothing(void*) {}

const int destructors_first = abi::__cxa_thread_atexit(nothing, nullptr, nullptr);

}  // namespace
#endif
