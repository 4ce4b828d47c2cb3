//go:build linux

package launch_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"railyard/internal/out/result"
	"railyard/internal/run/launch"
)

// What processes that a test starts elsewhere run, and print.

func init() { launchNode, launchInto = runNode, runInto }

func runNode(node int, at string) {
	job := plain
	if os.Getenv("JOB") == "long" {
		job = long
	}
	cfg := config(must(scenarioOf(training(2, 2, job))))
	cfg.Nodes, cfg.Node, cfg.Rendezvous = 2, node, at
	if roce, nodes := os.Getenv("ROCE"), 0; roce != "" {
		nodes = must(strconv.Atoi(roce))
		cfg = config(must(scenarioOf(training(nodes, 1, plain))))
		cfg.Nodes, cfg.Node, cfg.Rendezvous, cfg.Transport, cfg.Faults = nodes, node, at, launch.RoCE, "lose:1/101 mark:1/7 late:1/43"
	}
	cfg.Say = func(line string) { fmt.Println(line) }
	cfg.Run.Progress = func(p result.Progress) {
		if p.Phase == "training" && p.Done > 3 && job == long {
			fmt.Println("under way")
			job = ""
		}
	}
	var sum *result.Summary
	var err error
	if node == 0 {
		sum, err = launch.Run(context.Background(), cfg)
	} else {
		err = launch.Join(context.Background(), cfg)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if sum != nil {
		fmt.Println("weights", sum.WeightsSHA256)
	}
	os.Exit(0)
}

func runInto(dir string) {
	cfg := config(must(scenarioOf(training(1, 2, "    layers: [784, 128, 10]\n    batch: 8\n    epochs: 3\n    checkpoint: {every: 1}\n") +
		"output: {operations: true}\n")))
	var err error
	if cfg.Run.Dir, err = result.Create(dir); err == nil {
		_, err = launch.Run(context.Background(), cfg)
	}
	fmt.Println(err)
	os.Exit(1)
}

// rooted skips a test that may not make namespaces, and says so.
func rooted(t *testing.T, program string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("wants to be root")
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skip("wants ", program)
	}
}

func sh(t *testing.T, line string, args ...any) {
	t.Helper()
	line = fmt.Sprintf(line, args...)
	if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
		t.Skipf("%s: %v: %s", line, err, out)
	}
}

// hosts makes network namespaces that a bridge in one more of them connects, at 10.77.0.1, 10.77.0.2, ...
func hosts(t *testing.T, mtus ...int) (names []string) {
	t.Helper()
	rooted(t, "ip")
	space := func(i int) string {
		n := fmt.Sprintf("railyard-%d-%d", os.Getpid(), i)
		sh(t, "ip netns add %s", n)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", n).Run() })
		return n
	}
	middle := space(len(mtus))
	sh(t, "ip -n %s link add br0 type bridge && ip -n %s link set br0 up", middle, middle)
	for i, mtu := range mtus {
		n := space(i)
		names = append(names, n)
		sh(t, "ip -n %s link add eth0 mtu %d type veth peer name port%d mtu %d netns %s", n, mtu, i, mtu, middle)
		sh(t, "ip -n %s link set port%d master br0 up", middle, i)
		sh(t, "ip -n %s addr add 10.77.0.%d/24 dev eth0 && ip -n %s link set eth0 up && ip -n %s link set lo up", n, i+1, n, n)
	}
	return names
}

// node starts a launcher in a namespace.
func node(ns string, i int, job string, env ...string) (*exec.Cmd, *strings.Builder) {
	cmd := exec.Command("ip", "netns", "exec", ns, must(os.Executable()), "launch-node", fmt.Sprint(i), "10.77.0.1:29500")
	cmd.Env = append(append(os.Environ(), "JOB="+job), env...)
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

// Two hosts with networks of their own train as one.
func TestTwoNetworks(t *testing.T) {
	want := simulated(t, training(2, 2, plain)) // and the digits are there
	names := hosts(t, 1500, 1500)
	a, said := node(names[0], 0, "plain")
	b, other := node(names[1], 1, "plain")
	for _, c := range []*exec.Cmd{a, b} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if err, err2 := a.Wait(), b.Wait(); err != nil || err2 != nil || !strings.Contains(said.String(), "weights "+want.WeightsSHA256) {
		t.Errorf("%v, %v, node 0 said %q, node 1 %q", err, err2, said, other)
	}
}

// Hosts with networks of their own train as one over RoCE, two and three, with packets lost; path MTU is what the smallest of two
// interfaces lets.
//
// It fails if a rank sends packets that its interface, or the other end's, does not take.
func TestNetworksOverRoCE(t *testing.T) {
	for _, mtus := range [][]int{{1500, 1500}, {9000, 1500, 9000}} {
		t.Run(fmt.Sprint(mtus), func(t *testing.T) { networksOverRoCE(t, mtus) })
	}
}

func networksOverRoCE(t *testing.T, mtus []int) {
	want := simulated(t, training(len(mtus), 1, plain))
	var all []*exec.Cmd
	var said []*strings.Builder
	for i, n := range hosts(t, mtus...) {
		c, out := node(n, i, "plain", fmt.Sprint("ROCE=", len(mtus)))
		all, said = append(all, c), append(said, out)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range all {
		if err := c.Wait(); err != nil {
			t.Errorf("node %d: %v: %s", i, err, said[i])
		}
	}
	if !strings.Contains(said[0].String(), "weights "+want.WeightsSHA256) {
		t.Errorf("node 0 said %q, want weights %s", said[0], want.WeightsSHA256)
	}
}

// A link that is cut ends the job on both sides, with the other node's ranks named.
func TestACutLink(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the time after which silence counts")
	}
	simulated(t, training(1, 1, plain)) // the digits are there
	names := hosts(t, 1500, 1500)
	a, _ := node(names[0], 0, "long")
	b, other := node(names[1], 1, "long")
	a.Stdout = nil
	out := must(a.StdoutPipe())
	for _, c := range []*exec.Cmd{a, b} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	said := &strings.Builder{}
	buf := make([]byte, 4096)
	for cut := false; ; {
		n, err := out.Read(buf)
		said.Write(buf[:n])
		if !cut && strings.Contains(said.String(), "under way") {
			cut = true
			sh(t, "ip -n %s link set eth0 down", names[0])
		}
		if err != nil {
			break
		}
	}
	err, err2 := a.Wait(), b.Wait()
	if err == nil || err2 == nil || !strings.Contains(said.String(), "has not answered for 5s: ranks 2 to 3; a link may be cut") ||
		!strings.Contains(other.String(), "node 0 (10.77.0.1:29500) has not answered for 5s; a link may be cut") {
		t.Errorf("%v, %v, node 0 said %q, node 1 %q", err, err2, said, other)
	}
}

// into runs a launch into a small file system of its own that is mounted with these options.
func into(t *testing.T, options string) string {
	t.Helper()
	rooted(t, "unshare")
	simulated(t, training(1, 1, plain)) // the digits are there
	at := filepath.Join(t.TempDir(), "small")
	line := fmt.Sprintf("mount -t tmpfs -o %s railyard %s && exec %s launch-into %s/run", options, at, must(os.Executable()), at)
	if err := os.Mkdir(at, 0o777); err != nil {
		t.Fatal(err)
	}
	sh(t, "unshare -m true")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "unshare", "-m", "sh", "-c", line).CombinedOutput()
	if err == nil {
		t.Errorf("it did not fail: %s", out)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	return string(out)
}

func TestAFolderThatIsReadOnly(t *testing.T) {
	if got := into(t, "ro"); !strings.Contains(got, "read-only file system") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}

func TestADiskThatIsFull(t *testing.T) {
	if got := into(t, "size=300k"); !strings.Contains(got, "no space left on device") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}
