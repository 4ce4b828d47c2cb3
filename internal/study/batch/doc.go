// Package batch writes what starts a sweep's workers as batch jobs: a job array for Slurm, a Job for Kubernetes. It is text
// from values, and no more: who takes jobs from the queue is `railyard worker`.
//
//	Workers (how many, what each may take, where the queue is) --> Slurm: workers.sbatch
//	                                                           \-> Kubernetes: workers.yaml
//
// Both end by themselves when nothing is left to do, are told with SIGTERM before their time is over, so that they hand
// back what they have, and are started again when they are lost. No credentials stand in the text: it names a file (Slurm)
// or a Secret (Kubernetes).
package batch
