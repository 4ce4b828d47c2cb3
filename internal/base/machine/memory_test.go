package machine

import (
	"runtime"
	"testing"
	"testing/fstest"

	"railyard/internal/base/unit"
)

const meminfo = "MemTotal:       32768 kB\nMemFree:         1024 kB\nMemAvailable:   16384 kB\n"

func TestMemory(t *testing.T) {
	const MiB = 1 << 20
	for name, c := range map[string]struct {
		files map[string]string
		want  unit.Bytes
	}{
		"nothing":          {nil, 0},
		"no control group": {map[string]string{"proc/meminfo": meminfo}, 16 * MiB},
		"an old kernel":    {map[string]string{"proc/meminfo": "MemTotal: 32768 kB\n"}, 32 * MiB},
		"v2 without a limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "max\n"}, 16 * MiB},
		"v2, limit of the machine": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "33554432\n"}, 16 * MiB},
		"v2, limit less what is used": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "8388608\n", "sys/fs/cgroup/memory.current": "5242880\n"}, 3 * MiB},
		"v2, file pages go": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max":     "8388608\n",
			"sys/fs/cgroup/memory.current": "5242880\n",
			"sys/fs/cgroup/memory.stat":    "anon 7\ninactive_file 4194304\n"}, 7 * MiB},
		"v2, a group above has the limit": {map[string]string{"proc/meminfo": meminfo,
			"proc/self/cgroup":                  "0::/user/one\n",
			"sys/fs/cgroup/user/one/memory.max": "max\n", "sys/fs/cgroup/user/memory.max": "2097152\n"}, 2 * MiB},
		"v2, full": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "8388608\n", "sys/fs/cgroup/memory.current": "9999999\n"}, 1},
		"v1": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/a\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "4194304\n"}, 4 * MiB},
		"v1 without a limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 16 * MiB},
	} {
		files := fstest.MapFS{}
		for path, text := range c.files {
			files[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memory(files); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// The machine that runs the tests has some.
func TestMemoryHere(t *testing.T) {
	if m := Memory(); runtime.GOOS == "linux" && m < 1<<20 {
		t.Errorf("%d bytes", m)
	}
}
