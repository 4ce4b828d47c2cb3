//go:build unix

package cli

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"railyard/internal/out/result"
)

// What a page of a large run costs, as docs/serve.md has it. By hand:
//
//	go test ./internal/cli/cli -run TestBrowserServeCosts -serve-run DIR -timeout 0 -v
var costsOf = flag.String("serve-run", "", "a run directory; what its page costs in a browser is printed")

// spent is the processor time of this process so far: of the server, and of what tells the browser what to do.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// It prints figures and judges none: they are of a machine, and of what else it does.
func TestBrowserServeCosts(t *testing.T) {
	if *costsOf == "" {
		t.Skip("no -serve-run")
	}
	dir, err := filepath.Abs(*costsOf)
	if err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []struct{ scene, query, options string }{
		{"webgl", "?bench=1&map=webgl", "--enable-unsafe-swiftshader"}, {"canvas", "?bench=1&map=canvas", "--disable-gpu"},
	} {
		t.Run(way.scene, func(t *testing.T) { costs(t, run, way.scene, way.query, way.options) })
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, most, _ := strings.Cut(string(status), "VmHWM:")
		most, _, _ = strings.Cut(most, "\n")
		t.Logf("memory of this process at most: %s", strings.TrimSpace(most))
	}
}

// costs prints what a page of a run costs whose map is drawn in a way.
func costs(t *testing.T, run *result.Run, scene, query, option string) {
	hash := "#/run/" + filepath.Base(run.Path) + query
	address := serving(t, filepath.Dir(run.Path))
	b := startOnline(t, "--use-angle=swiftshader", "--ignore-gpu-blocklist", option)
	b.show(1440, "light")
	before, began := spent(t), time.Now()
	b.open(address + hash)
	b.await(`document.querySelector("#headline dd") && document.getElementById("answer")`)
	headline := time.Since(began)
	b.await(`document.querySelector(".map")?.dataset.scene`)
	t.Logf("headline and answer after %v, the map after %v, by the clock and with the browser's own work", headline, time.Since(began))
	b.await(fmt.Sprintf(`document.querySelector(".map")?.dataset.scene === %q`, scene))
	t.Logf("drawn by %s after %v", scene, time.Since(began))
	b.await(`document.getElementById("progress")?.textContent.includes("rows read")`)
	var progress string
	b.run(`document.getElementById("progress").textContent`, &progress)
	t.Logf("%s All tables after %v of processor time, %v by the clock", progress, spent(t)-before, time.Since(began))
	if scene == "canvas" { // without a GPU the other draws for seconds what is not asked about here
		zooms(t, b, run, hash)
	}
	b.run(fmt.Sprintf(`(location.hash = %q, 0)`, hash+"&t=0"), new(int))
	b.await(`document.getElementById("when")?.dataset.t === "0"`)
	b.run(`(document.getElementById("play").click(), 0)`, new(int))
	time.Sleep(20 * time.Second)
	var said string
	b.run(`document.getElementById("said").textContent`, &said)
	t.Log(said)
}

// zooms opens drawn windows of time with a drawn port, and prints what the answers to each cost.
func zooms(t *testing.T, b *chromium, run *result.Run, at string) {
	t.Helper()
	var ports []string
	for l, err := range run.Links() {
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Port)
	}
	draws := rand.New(rand.NewPCG(3, 5))
	end := int64(run.Summary.VirtualTime)
	var all []time.Duration
	for range 20 {
		width := end >> draws.IntN(9)
		from := draws.Int64N(end - width + 1)
		hash := fmt.Sprintf(`((a) => { location.hash = a + "&t=%d&from=%d&until=%d&sel=" + encodeURIComponent("port|%s"); return 0; })(%q)`,
			from+width/2, from, from+width, ports[draws.IntN(len(ports))], at)
		before := spent(t)
		b.run(hash, new(int))
		b.await(fmt.Sprintf(`document.getElementById("settled") && document.getElementById("when")?.dataset.t === "%d" &&
			document.getElementById("grain")?.dataset.level === "0"`, from+width/2))
		all = append(all, spent(t)-before)
	}
	slices.Sort(all)
	t.Logf("20 zooms, each with a port's series, log and map: median %v of processor time, at most %v", all[10], all[19])
}
