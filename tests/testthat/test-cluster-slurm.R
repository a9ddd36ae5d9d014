# Part of the extended tests: the recipe for Slurm, on a cluster of this machine alone.

# A controller, a node and their authentication on loopback, in a folder of its own; TRUE if jobs
# can be submitted to it until the frame `env` ends.
local_slurm <- function(env = parent.frame()) {
  folder <- withr::local_tempdir(.local_envir = env)
  path <- function(...) file.path(folder, ...)
  run <- function(command, ...) {
    system2(command, c(...), stdout = path("commands.log"), stderr = path("commands.log"))
  }
  stop_process <- function(name) {
    if (file.exists(path(name))) tools::pskill(as.integer(readLines(path(name))))
  }
  withr::defer(for (name in c("slurmd.pid", "slurmctld.pid", "munge.pid")) stop_process(name),
    envir = env
  )
  dir.create(path("state"))
  dir.create(path("spool"))
  Sys.chmod(folder, "755") # munge refuses a socket in a folder that others cannot enter
  writeBin(as.raw(with_own_seed(1, sample(0:255, 1024, TRUE))), path("munge.key"))
  Sys.chmod(path("munge.key"), "600")
  run("munged", "--force", paste0("--key-file=", path("munge.key")),
    paste0("--socket=", path("munge.socket")), paste0("--pid-file=", path("munge.pid")),
    paste0("--log-file=", path("munge.log")), paste0("--seed-file=", path("munge.seed"))
  )
  host <- sub("[.].*", "", Sys.info()[["nodename"]])
  port <- 20000 + Sys.getpid() %% 20000
  writeLines(c(
    "ClusterName=gpsieve", sprintf("SlurmctldHost=%s(127.0.0.1)", host),
    sprintf("SlurmctldPort=%d", port), sprintf("SlurmdPort=%d", port + 1),
    "SlurmUser=root", "SlurmdUser=root", paste0("AuthInfo=socket=", path("munge.socket")),
    paste0("StateSaveLocation=", path("state")), paste0("SlurmdSpoolDir=", path("spool")),
    paste0("SlurmctldPidFile=", path("slurmctld.pid")),
    paste0("SlurmdPidFile=", path("slurmd.pid")),
    paste0("SlurmctldLogFile=", path("slurmctld.log")),
    paste0("SlurmdLogFile=", path("slurmd.log")),
    # Neither control groups nor a database of accounts.
    "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "SelectType=select/linear",
    "JobAcctGatherType=jobacct_gather/none", "AccountingStorageType=accounting_storage/none",
    "MpiDefault=none", "ReturnToService=2",
    sprintf("NodeName=%s NodeAddr=127.0.0.1 CPUs=%d", host, parallel::detectCores()),
    sprintf("PartitionName=main Nodes=%s Default=YES State=UP OverSubscribe=FORCE:8", host)
  ), path("slurm.conf"))
  withr::local_envvar(SLURM_CONF = path("slurm.conf"), .local_envir = env)
  run("slurmctld")
  run("slurmd")
  for (second in 1:30) {
    Sys.sleep(1)
    state <- suppressWarnings(system2("sinfo", c("-h", "-o", "%t"), stdout = TRUE, stderr = FALSE))
    if (identical(state[1], "idle")) return(TRUE)
  }
  FALSE
}

test_that("the recipe for Slurm gives the fit of one process", {
  skip_if(!nzchar(Sys.getenv("GPSIEVE_EXTENDED")), "part of the extended tests")
  skip_on_os(c("windows", "mac"))
  needed <- c("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
  skip_if(!all(nzchar(Sys.which(needed))), "Slurm (Debian: slurm-wlm, munge) is not installed")
  skip_if(Sys.info()[["user"]] != "root", "Slurm's processes need root")
  skip_if_not_installed("mirai")
  skip_if_not(local_slurm(), "Slurm does not start here")

  folder <- withr::local_tempdir()
  data <- toy_data("binary", n = 600)$data
  data[c("a", "b")] <- round(data[c("a", "b")], 6) # what 15 digits hold exactly
  parts <- split(data, rep(1:3, each = 200))
  for (i in 1:3) write.csv(parts[[i]], file.path(folder, paste0(i, ".csv")), row.names = FALSE)
  answer <- withr::local_tempfile(fileext = ".rds")
  withr::local_dir(withr::local_tempdir()) # where the jobs write what they print
  script <- system.file("cluster", "slurm.R", package = "gpsieve")
  printed <- system2(file.path(R.home("bin"), "Rscript"), c(script, folder, 2, answer),
    stdout = TRUE, stderr = TRUE, timeout = 900
  )
  expect_length(grep("Submitted batch job", printed), 2)
  expect_false(any(grepl("have died", printed)))
  fit <- readRDS(answer)
  alone <- ep_gp(y ~ ., rows_from_files(folder), inducing = 300, seed = fit$seed,
    control = control_ep(shards = 16), verbose = FALSE
  )
  expect_identical(fit$posteriors, alone$posteriors)
})
