package machine

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// Memory returns how much memory a process may still take here: what the machine has available, or
// less where a control group allows less. 0 if the machine does not say (not Linux): the caller
// then has only its own limit.
func Memory() unit.Bytes { return memory(os.DirFS("/")) }

// memory reads the files of Linux below root.
func memory(root fs.FS) unit.Bytes {
	least := available(root)
	for _, g := range groups(root) {
		if free := free(root, g); free >= 0 && (least == 0 || free < least) {
			least = max(free, 1) // 0 would mean unknown
		}
	}
	return least
}

// available returns what the kernel can give without swapping, in all what it has on kernels that
// do not say.
func available(root fs.FS) unit.Bytes {
	f, err := root.Open("proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	values := map[string]unit.Bytes{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		for _, key := range []string{"MemAvailable", "MemTotal"} {
			if n, ok := kilobytes(lines.Text(), key); ok {
				values[key] = n
			}
		}
	}
	if v, ok := values["MemAvailable"]; ok {
		return v
	}
	return values["MemTotal"]
}

// kilobytes reads a line such as "MemTotal:  32768 kB", if it has the key.
func kilobytes(line, key string) (unit.Bytes, bool) {
	rest, ok := strings.CutPrefix(line, key+":")
	number, _ := strings.CutSuffix(strings.TrimSpace(rest), " kB")
	n, err := strconv.ParseInt(number, 10, 64)
	return unit.Bytes(n) * unit.Kibibyte, ok && err == nil
}

// A group is a control group's folder with the names of its two files: one hierarchy has one pair.
type group struct{ dir, limit, usage string }

// groups lists the memory control groups that the process is in, from its own up to the root: any
// may set a limit. Within a container the process sees its own group as the root, so that is looked
// at whatever its path says.
func groups(root fs.FS) []group {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var all []group
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path
		if len(parts) != 3 {
			continue
		}
		base, limit, usage := "", "", ""
		switch {
		case parts[1] == "":
			base, limit, usage = "sys/fs/cgroup", "memory.max", "memory.current"
		case listed(parts[1], "memory"):
			base, limit, usage = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		default:
			continue
		}
		for p := path.Join("/", parts[2]); ; p = path.Dir(p) {
			all = append(all, group{path.Join(base, p), limit, usage})
			if p == "/" {
				break
			}
		}
	}
	return all
}

func listed(list, name string) bool {
	for e := range strings.SplitSeq(list, ",") {
		if e == name {
			return true
		}
	}
	return false
}

// free returns what a group may still take, -1 without a limit.
func free(root fs.FS, g group) unit.Bytes {
	limit, ok := number(root, path.Join(g.dir, g.limit))
	if !ok {
		return -1
	}
	used, _ := number(root, path.Join(g.dir, g.usage))
	// Pages of files count as used, and go when they are in the way.
	cached, _ := statistic(root, path.Join(g.dir, "memory.stat"), "inactive_file", "total_inactive_file")
	return max(0, limit-max(0, used-cached))
}

// number reads a file that holds one number. v1 writes a huge number, v2 max, where there is no
// limit: neither is one.
func number(root fs.FS, name string) (unit.Bytes, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return unit.Bytes(n), err == nil && n < 1<<60
}

// statistic reads the last of some keys that a file of lines "key number" has.
func statistic(root fs.FS, name string, keys ...string) (value unit.Bytes, found bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, k := range keys {
			if n, err := strconv.ParseInt(rest, 10, 64); key == k && err == nil {
				value, found = unit.Bytes(n), true
			}
		}
	}
	return value, found
}
