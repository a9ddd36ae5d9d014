# Case weights and offsets.
library(gpsieve)

# A table of distinct rows and how often each was seen: the fit is that of all rows.
seen <- aggregate(list(times = rep(1, nrow(warpbreaks))),
  warpbreaks[c("wool", "tension", "breaks")], sum
)
fit <- meanfield_gp(breaks ~ wool + tension, seen, likelihood = lik_poisson(), weights = times)
nobs(fit) # 54 looms, from fewer distinct rows
new <- unique(warpbreaks[c("wool", "tension")])
cbind(new, predict(fit, new, interval = "confidence"))

# Counts with an exposure: the latent function is the logarithm of a rate.
ships <- MASS::ships[MASS::ships$service > 0, ]
fit <- meanfield_gp(incidents ~ type + year + period + offset(log(service)), ships,
  likelihood = lik_poisson()
)
new <- transform(ships[c(1, 10, 20), ], service = 1000)
predict(fit, new) # incidents in 1000 months of service
sum(loo(fit))
