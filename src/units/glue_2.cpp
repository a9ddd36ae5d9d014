// Written by tools/sources.sh.
#include "../bind_likelihood.cpp"
#include "../bind_meanfield.cpp"
#include "../bind_online.cpp"
#include "../bind_predict.cpp"
#include "../bind_rvm.cpp"
#include "../context_r.cpp"
#include "../convert.cpp"
#include "../convert_ep.cpp"
