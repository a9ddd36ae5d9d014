// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/meanfield/block_evidence.cpp"
#include "../core/models/meanfield/cavities.cpp"
#include "../core/models/meanfield/cavity_step.cpp"
#include "../core/models/meanfield/coarse_start.cpp"
#include "../core/models/meanfield/fields.cpp"
#include "../core/models/meanfield/gaussian.cpp"
#include "../core/models/meanfield/gradient.cpp"
