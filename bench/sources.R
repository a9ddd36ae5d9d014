# All that scripts need to run the cases of this folder and to report them. They name the folder in
# `here`.

source(file.path(here, "..", "tools", "data.R"))
for (file in c("measure.R", "profile.R", "report.R", "rates.R", "cases.R")) {
  source(file.path(here, file))
}
