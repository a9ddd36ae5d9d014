// Written by tools/sources.sh.
#include "../core/models/meanfield/cavities.cpp"
#include "../core/models/meanfield/fields.cpp"
#include "../core/models/meanfield/gradient.cpp"
#include "../core/models/meanfield/inverse.cpp"
#include "../core/models/meanfield/meanfield.cpp"
#include "../core/models/meanfield/newton.cpp"
#include "../core/models/meanfield/solution.cpp"
