//go:build unix

package hostinfo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/netconf"
)

// state is what the script must not change: links, routes and sysctl of networks. Counters change by themselves.
func state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, c := range [][]string{{"ip", "-o", "link"}, {"ip", "addr"}, {"ip", "route", "show", "table", "all"}, {"ip", "rule"},
		{"sysctl", "-a", "-r", `^net\.ipv4\.conf\.`}} {
		if _, err := exec.LookPath(c[0]); err != nil {
			continue
		}
		out, _ := exec.Command(c[0], c[1:]...).Output()
		b.Write(out)
	}
	return b.String()
}

func folder(t *testing.T, dir string) (files []netconf.File) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, netconf.File{Name: e.Name(), Text: text})
	}
	return files
}

// tool writes a command of a host that is not there.
func tool(t *testing.T, dir, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// The script runs in every shell that is here, with the tools of this machine, with some of its own that hang on a NIC, and with
// next to none. What it gathers is read, and links, routes and sysctl are the same after it.
func TestScriptGathersWhatIsRead(t *testing.T) {
	shells := [][]string{{"sh"}, {"dash"}, {"busybox", "sh"}, {"bash", "--posix"}}
	seen := 0
	for _, shell := range shells {
		if _, err := exec.LookPath(shell[0]); err != nil {
			continue
		}
		seen++
		name := strings.Join(shell, " ")
		tools := t.TempDir()
		tool(t, tools, "lspci", `echo '0000:17:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]'
printf '\tCapabilities: [48] Vital Product Data\n\t\t[SN] Serial number: MT2222X00001\n'
printf '\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)\n'
printf '\tCapabilities: [100 v1] Device Serial Number b8-3f-d2-03-00-12-34-56\n'`)
		tool(t, tools, "nvidia-smi", "exit 9")
		tool(t, tools, "rdma", "echo 'link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth7'; kill -9 $$")
		dir := filepath.Join(t.TempDir(), "h")
		run := func(path, dir string) (string, error) {
			cmd := exec.Command(shell[0], append(shell[1:], "-s", dir)...)
			cmd.Stdin = strings.NewReader(hostinfo.Script)
			cmd.Env = []string{"PATH=" + path, "NCCL_IB_TC=106", "SECRET=hunter2", "NCCL_X=a0b1c2d3-1111-2222-3333-a0b1c2d3e4f5"}
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		for try := 0; ; try++ { // others may change a link of this machine meanwhile, though not each time
			before := state(t)
			if out, err := run(tools+":/usr/sbin:/usr/bin:/sbin:/bin", dir); err != nil || out != "" {
				t.Fatalf("%s: %v: %s", name, err, out)
			}
			after := state(t)
			if after == before {
				break
			}
			if try == 3 {
				t.Errorf("%s: links, routes or sysctl are not as before:\n%s\n%s", name, before, after)
				break
			}
			dir = filepath.Join(t.TempDir(), "h")
		}
		files := folder(t, dir)
		h, err := hostinfo.Read("h", files)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, u := range h.Unread {
			t.Errorf("%s: %s:%d: not understood: %s", name, u.File, u.Line, u.Text)
		}
		p := h.Device("0000:17:00.0")
		if p == nil || p.Is.String() != "4.0 x8" || !h.Kernel.Known() || !h.MemLock.Known() ||
			h.NCCL["NCCL_IB_TC"].Value != "106" {
			t.Errorf("%s: %+v, kernel %+v, memlock %+v, NCCL %+v", name, p, h.Kernel, h.MemLock, h.NCCL)
		}
		if len(h.RDMA) != 0 || h.Complete(hostinfo.RDMALink) {
			t.Errorf("%s: what a command that failed has printed is a value: %+v", name, h.RDMA)
		}
		for _, f := range files {
			for _, secret := range []string{"hunter2", "SECRET", "MT2222X00001", "b8-3f-d2", "a0b1c2d3-1111"} {
				if strings.Contains(string(f.Text), secret) {
					t.Errorf("%s: %s has %s", name, f.Name, secret)
				}
			}
		}
		if out, err := run("/usr/bin:/bin", dir); err == nil {
			t.Errorf("%s: it writes into a folder that is there: %s", name, out)
		}
	}
	if seen == 0 {
		t.Skip("no shell here")
	}
}

// Without tools, NIC and GPU the script ends well and gathers what it can. A command that hangs is passed over.
func TestScriptWithoutTools(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	for _, more := range [][]string{nil, {"sleep"}, {"sleep", "timeout"}} {
		withoutTools(t, append(more, "mkdir", "sed", "cat", "uname", "env", "grep"))
	}
}

func withoutTools(t *testing.T, names []string) {
	t.Helper()
	tools := t.TempDir()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(name + " is not here")
		}
		if err := os.Symlink(path, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "h")
	script := strings.Replace(hostinfo.Script,
		"PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "PATH=$PATH", 1)
	if script == hostinfo.Script {
		t.Fatal("the script's PATH is another one")
	}
	if names[0] == "sleep" {
		limit := strings.NewReplacer("timeout 20 ", "timeout 1 ", "-lt 20 ", "-lt 1 ").Replace(script)
		if limit == script {
			t.Fatal("the script's limit is another one")
		}
		script = limit
		tool(t, tools, "lspci", "echo '00:00.0 Host bridge: x'; exec sleep 600")
	}
	cmd := exec.Command(sh, "-s", dir)
	cmd.Stdin = strings.NewReader(script)
	cmd.Env = []string{"PATH=" + tools}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	h, err := hostinfo.Read("h", folder(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if !h.Kernel.Known() || h.Complete(hostinfo.IPRoute) || h.Complete(hostinfo.Lsmod) || len(h.PCI) > 0 && h.PCI[0].Name == "x" ||
		h.Complete(hostinfo.Lspci) {
		t.Errorf("%q: %+v", names, h.Sections)
	}
}

// Each command that the script runs is on the page that says what it is for.
func TestCommandsAreOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/linux.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s*run \S+ ([a-z][a-z0-9_-]*)`).FindAllStringSubmatch(hostinfo.Script, -1) {
		seen[m[1]] = true
	}
	for name := range seen {
		on := regexp.MustCompile("`" + name + "[ `]").Match(page)
		if !on && name != "uname" && name != "ibdev2netdev" { // of the system, and a function of the script's own
			t.Errorf("docs/linux.md has no %s", name)
		}
	}
	if len(seen) < 10 {
		t.Errorf("the script runs %v", seen)
	}
}
