// Package perfcmd has the commands beside nccl-tests: perf, import (of measured tables, and of other simulators' files) and
// commission. Which scenarios a sweep is, and how its figures are counted, is package perf's; what to expect of a cluster is
// package commission's.
package perfcmd
