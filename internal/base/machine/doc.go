// Package machine says what this machine has for a run: its memory, within the limit of the control
// group that the process is in; and what the process has taken of it so far, CPU time and memory. Only
// what starts or measures runs asks: what is found here decides whether and how many runs go at once,
// never a result. How this process collects garbage is said here too, since there is one collector: whoever wants it otherwise
// for a while asks Collect, Limit or Rest, never package runtime/debug.
//
// Not here: how much a run needs (foresight.Estimate).
//
//	/proc/meminfo          MemAvailable   \
//	cgroup v2 memory.max  - memory.current  > the least of them
//	cgroup v1 limit       - usage          /
//
// Sources: proc(5), getrusage(2), cgroups(7), Linux Documentation/admin-guide/cgroup-v2.rst and
// cgroup-v1/memory.rst.
package machine
