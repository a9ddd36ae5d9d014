# The numbers that decide in gpsieve(), each with the reason or the measurement that set it. What
# fits cost, and how the time is shared, stands in choose-control.R and choose-time-needs.R.

# Rows ---------------------------------------------------------------------------------------------

# With fewer rows nothing can be compared, and with at most as many different values a column has
# levels, or counts of rare things.
fewest_to_compare <- 10
# With fewer rows the values of a response say too little about its distribution, judged rows too
# little about which candidate is hopeless, and times too little about a period.
fewest_to_suggest <- 20L
# Errors of fewer rows neither decide a comparison early, nor between a line and a function of which
# it is a part, nor say how wide intervals should be.
fewest_to_decide <- 50
# Fewer rows do not say how axes of inputs, or the scale of a response, are to be bent
# (prior_of_warp()).
fewest_to_warp <- 100
# So many judged rows tell candidates apart that differ enough to matter.
enough_judged <- 200
# Blocks of so many rows learn what is only compared: with blocks of 800 rows counts take half of a
# call with 1000. From 1000 points of the wing weight, 10 inputs, a call takes 13 CPU seconds with
# such blocks and 26 with the usual ones; errors of the borehole, 8 inputs, are .00025 and .00019 of
# the standard deviation, where the usual function has .0014. At most so many rows are cheap enough
# for the rough and smooth function without its prior too: with 50 rows its intervals are right
# where those of a very smooth one are too short. Of several classes of so few rows the evidence of
# a function with a smooth part can be greatest where it is too sure of the classes of new rows. So
# many rows also say enough of the noise with which candidates are compared.
short_block_rows <- 400
# With at most so many rows, times latent functions, hyper-parameters are learned anew without the
# rows to judge, if there is time: with those of all rows, held-out scores of sets of 100 to 400
# rows were too good by up to 1.3 standard errors.
most_learned_anew <- 1000
# A part that is judged has at least so many rows, one that is fitted at least as many as the next:
# those of fewer are mostly borders.
fewest_trial_rows <- 1000
fewest_leaf_rows <- 400
# More rows in a leaf say more about its function while the function is the same everywhere, but a
# prediction with variances factors the leaves that it visits; with the rows near their borders
# leaves have up to 1.3 times as many rows.
most_leaf_rows <- 3000
# Of many rows one fold is held out, which has at most so many rows: the time of predictions is
# proportional to their number, the standard error of a score to its inverse root.
most_validation_rows <- 5000
# The spectrum of a longer series is that of so many of its last rows.
most_in_spectrum <- 3000L
# A series of so many times as many steps as rows is mostly gaps, as one with a value for "missing"
# among its times is. As many waves would be looked at as there are steps.
most_gaps <- 10
# Of the blocks in the order of time so many are judged, the last ones.
judged_blocks <- 3L

# Columns and levels -------------------------------------------------------------------------------

# Functions of so few columns, places and times as a rule, learn in two fifths of the time: the
# errors of winds in space and time (15,973 rows) rise from .566 to .572, those of temperatures in
# the ocean (10,000 rows) from 1.126 to 1.129. Their terms depend on all of the columns, so that a
# tree for each term gains nothing. A formula of the noise has at most so many inputs too.
few_columns <- 3L
# The product of functions of single columns takes a pass over all pairs of rows for each column.
most_smooth_columns <- 50
# Held-out log densities of a row, with constants against indicators: greater by 0.04 for the 150
# lecturers of a part of lme4's InstEval, by 0.003 to 0.006 for the 131 and 160 schools of nlme's
# bdf and MathAchieve, in a third of the time; not greater for the 38 models of ggplot2's mpg and
# the 50 chicks of ChickWeight.
many_levels <- 60L

# Held-out rows ------------------------------------------------------------------------------------

# A row counts for so many nats at most where outliers could decide alone.
most_nats <- 1
# The log density of judged rows must exceed that of a constant by so much for the function to be
# more than chance: an odds ratio of 7. Several candidates were judged on these rows, and the best
# taken.
clear_held_out_gain <- 2
# What is at most a tenth greater is not taken for greater: squared errors of a candidate of greater
# density (on six splits of MASS's cpus those of the log-normal mean are 2.3 to 100 times those of
# Gaussian noise), and the variance of negative binomial counts beside that of Poisson counts.
hardly_greater <- 1.1
# A known period takes part if random waves would explain as much with at most this probability, and
# noise changes with inputs if noise that is the same everywhere would seem to.
by_chance <- 0.01
# A peak of the spectrum is a period if it is so many times the median of the spectrum around it:
# of 200 random walks of 300 rows, 90 % have no such peak, and of series of white noise all.
clear_peak <- 30

# Noise --------------------------------------------------------------------------------------------

# Noise that explains more than this share of held-out squared errors leaves little to another
# function, and a function without noise must leave at most this share of those of one that has it
# (R/choose-smooth.R has the measurements).
half_of_errors <- 0.5
# The variance of the noise with which learning of smooth functions begins, of a response of
# variance 1.
little_noise <- 1e-6
# Below a thousandth of the variance the noise that was learned says how many steps were taken.
least_known_noise <- 1e-3
# Of 120 rows of which two are 1e4 times as large the variance is 6e5 times that of the quartiles,
# of 200 times 300 draws of Student's t with three degrees of freedom 1.4 to 7.4 times.
most_variance_of_outliers <- 100

# Values of inputs and responses -------------------------------------------------------------------

# A value of an input is far from the others if it is farther from their median than so many
# spreads.
far_away <- 10
# Positive numbers are compared on the scale of their logarithm too where the greatest is so many
# times the least.
least_growth <- c(rows = 3, series = 1.2)
# Whole numbers whose mean is greater are as well described by a density.
largest_mean_count <- 50
# Numbers below 1 of which none is greater are small in their unit, and no shares.
least_greatest_share <- 0.1
