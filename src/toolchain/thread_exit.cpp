// On Windows, GCC keeps thread_local objects in memory that a function frees when the thread ends;
// their destructors are run by another one, possibly later (GCC bug 83562). A thread calls such
// functions at its end in the order in which they were registered as keys of thread-specific data.
// The call below, made when the package is loaded, registers that of the destructors first.
#if defined(__MINGW32__) && !defined(__clang__)
#include <cxxabi.h>

namespace {

void nothing(void*) {}

const int destructors_first = abi::__cxa_thread_atexit(nothing, nullptr, nullptr);

}  // namespace
#endif
