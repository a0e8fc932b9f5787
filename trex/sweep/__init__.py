"""Many runs on Dask: a sweep's matrix of jobs, each a child process, its files in the run store."""
