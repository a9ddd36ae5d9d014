# A fit whose rows are divided among the jobs of a Slurm cluster. The rows are
# files in a folder that every node can read; package mirai and this package are
# installed on every node.
#
#   Rscript slurm.R FOLDER 16 fit.rds

arguments <- commandArgs(TRUE)
jobs <- as.integer(arguments[2])

# This process listens, with a certificate of its own; each job runs one R
# process, which connects.
cluster <- mirai::make_cluster(jobs, url = mirai::host_url(tls = TRUE))
options <- paste("#SBATCH --job-name=gpsieve", "#SBATCH --time=02:00:00",
  "#SBATCH --cpus-per-task=1", sep = "\n")
invisible(mirai::launch_remote(cluster,
  remote = mirai::cluster_config(command = "sbatch", options = options)
))
while (mirai::status(attr(cluster, "id"))$connections < jobs) Sys.sleep(1)

fit <- gpsieve::ep_gp(y ~ ., gpsieve::rows_from_files(arguments[1]),
  inducing = 300, cluster = cluster
)
saveRDS(fit, arguments[3])
parallel::stopCluster(cluster)
