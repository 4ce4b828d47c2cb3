package arrows

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// Groups of packages. A pure package is a function of its input: it runs the same under simulated
// and under real time.
const (
	pure = "unit cause balance bayes splitmix traffic batch located hash wire topo qos tune coll nccl nccltests cc cm roce headers verbs " +
		"workload exec " +
		"inventory netconf dcbx rib netconf/frr netconf/nxos netconf/eos netconf/sonic netconf/nvue netconf/junos " +
		"netconf/dialects lint lldp hostinfo hostlint plan network transport pcie faults spares corpus catalogue design sizing pcapng"
	engine = "sim fabric lists host nic"
	tensor = "nn dataset corpus train"
)

// ban refuses imports in a group of packages, in non-test code.
type ban struct {
	in      string // packages; "" means all
	but     string // except these
	imports string // import paths; a trailing /... takes what lies below
	free    string // import paths among them that may be imported
	why     string
}

var bans = []ban{
	{in: pure, imports: "railyard/internal/engine/sim", why: "a core that knows the simulator cannot run on real time, and " +
		"then interop with a kernel RDMA stack says nothing about the simulator"},
	{in: pure, imports: "net/...", free: "net/netip", why: "cores have no socket: a driver hands them what arrived " +
		"and sends what they ask for. (net/netip holds addresses as values.)"},
	{in: pure + " " + engine + " nn train", imports: "os/... io/ioutil syscall",
		why: "these packages work on values: dataset, scenario, result and cli read and write files"},
	{but: "cli cli/call cli/clitest cli/benchcmd cli/perfcmd cli/rdmacmd run rank launch lab live web fleet endpoint rdma tools/failures " +
		"tools/fleet tools/monsters tools/mutate",
		imports: "time",
		why: "virtual time is unit.Time, integer picoseconds. The clock of this machine must not reach an event or a table: the " +
			"same scenario gives the same bytes. (Three tools count what programs take.)"},
	{but: "output web cli launch", imports: "crypto/rand", why: "random numbers come from named streams. (web and cli draw a " +
		"token, " +
		"output names of temporary files that nobody can foresee, launch the number by which connections know their job; no result " +
		"has them.)"},
	{imports: "math/rand math/rand/v2", why: "random numbers come from named streams derived from the " +
		"scenario's seed (sim.NewStream; nn, dataset and train have their own; package splitmix draws them), so " +
		"that a draw added in one place moves no other, and no version of Go changes a result"},
	{in: pure + " fabric nn", imports: "sync/... context", why: "one owner, no lock: these are state machines " +
		"or plain loops. Parallel work is arranged by sim (islands on workers), host, dataset, train and run"},
	{but: "rank launch web lab fleet endpoint rdma tools/failures", imports: "net net/http", why: "a run reads its scenario and " +
		"its data folder and writes its run directory: nothing else on this machine or outside it"},
	{but: "train contents rank endpoint machine", imports: "unsafe", why: "only train and contents show float32 as the bytes that " +
		"packets carry, only rank has counters in memory that processes share, only endpoint hands Linux many packets at once, and " +
		"only machine tells it where the heap grows"},
	{but: "machine sim cli faultsearch tools/release", imports: "runtime/debug", why: "there is one collector of " +
		"garbage, and machine says how it " +
		"collects. (sim and faultsearch print stacks, cli and release what the program was built of.)"},
	{imports: "C", why: "the binary is static and builds with Go alone"},
	{imports: "log log/slog",
		why: "stdout carries results, stderr progress and errors, both through cli: a package returns an error"},
	{imports: "plugin", why: "choices by name are map literals"},
}

func TestBannedImports(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, problem := range checkBans(f) {
			t.Error(problem)
		}
	}
}

func checkBans(f file) (problems []string) {
	for _, s := range f.syntax.Imports {
		if s.Name != nil && s.Name.Name == "." {
			problems = append(problems, fmt.Sprintf("%s: dot import of %s: names of others are called by their package", f.name,
				s.Path.Value))
		}
	}
	for _, b := range bans {
		if b.in != "" && !listed(b.in, f.pkg) || listed(b.but, f.pkg) {
			continue
		}
		for _, path := range f.imports {
			for banned := range strings.FieldsSeq(b.imports) {
				tree, below := strings.CutSuffix(banned, "/...")
				if (path == tree || below && strings.HasPrefix(path, tree+"/")) && !listed(b.free, path) {
					problems = append(problems,
						fmt.Sprintf("%s: %s must not import %s: %s", f.name, f.pkg, path, b.why))
				}
			}
		}
	}
	return problems
}

// Nothing but main imports the command line, test code neither: what a test needs of it belongs
// below it. (tools/pgo is main with a profile taken.) But packages of commands have scripts, which play the whole program.
func TestNothingImportsTheCommandLine(t *testing.T) {
	for _, f := range sources(t) {
		for _, path := range f.imports {
			if path == module+"/internal/cli/cli" && !mayImportTheCommandLine(f) {
				t.Errorf("%s imports cli: arguments, progress and exit codes are the top. What you need from it "+
					"belongs in run or result", f.name)
			}
		}
	}
}

func mayImportTheCommandLine(f file) bool {
	plays := f.test && f.name == "internal/cli/"+f.pkg+"/script_test.go" && strings.HasPrefix(f.pkg, "cli/")
	return plays || f.pkg == "cmd/railyard" || f.pkg == "tools/pgo"
}

// The scripts of a command may import it, and nothing beside them.
func TestImportsOfTheCommandLineAreFound(t *testing.T) {
	for _, c := range []struct {
		f    file
		want bool
	}{
		{file{name: "internal/cli/cli/topocmd/script_test.go", pkg: "cli/topocmd", test: true}, true},
		{file{name: "internal/cli/cli/topocmd/topo_test.go", pkg: "cli/topocmd", test: true}, false},
		{file{name: "internal/cli/cli/topocmd/topo.go", pkg: "cli/topocmd"}, false},
		{file{name: "internal/net/cc/script_test.go", pkg: "cc", test: true}, false},
		{file{name: "cmd/railyard/main.go", pkg: "cmd/railyard"}, true},
	} {
		if got := mayImportTheCommandLine(c.f); got != c.want {
			t.Errorf("%s: %v, want %v", c.f.name, got, c.want)
		}
	}
}

// inexact are the functions of math whose last bit depends on the processor: assembly on some,
// fused multiply-adds on others. Sqrt, Floor, Ceil, Trunc, Round, Abs, FMA, Mod, Frexp, Ldexp and
// the bit functions are exact everywhere.
const inexact = "Exp Exp2 Expm1 Log Log2 Log10 Log1p Pow Pow10 Sin Cos Sincos Tan Asin Acos Atan Atan2 Sinh Cosh " +
	"Tanh Asinh Acosh Atanh " +
	"Hypot Cbrt Erf Erfc Erfinv Erfcinv Gamma Lgamma J0 J1 Jn Y0 Y1 Yn"

// initAllowed are the init functions that there are, with the reason. None may register anything.
var initAllowed = map[string]string{
	"internal/plan/scenario/list.go": "the tables of fields and the kinds of their lists name each other: as variables " +
		"they would be an initialisation cycle",
}

// Calls that some packages must not make, in non-test code.
func TestBannedCalls(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, problem := range checkCalls(f) {
			t.Error(problem)
		}
	}
}

func checkCalls(f file) (problems []string) {
	report := func(n ast.Node, format string, args ...any) {
		problems = append(problems,
			fmt.Sprintf("%s:%d: %s", f.name, f.fset.Position(n.Pos()).Line, fmt.Sprintf(format, args...)))
	}
	named := localNames(f.syntax)
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if listed(pure+" sim fabric nn train", f.pkg) {
				report(n, "%s starts a goroutine: it is a state machine or a plain loop, and the order of its work "+
					"must not depend on a scheduler. nic runs bodies on other cores, dataset draws on them", f.pkg)
			}
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" && initAllowed[f.name] == "" {
				report(n, "init function: a package does nothing by being imported. Choices by name are map "+
					"literals, without registration. (initAllowed in this test has the exceptions.)")
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "println" || id.Name == "print") && !prints(f.pkg) {
				report(n, "%s in %s: %s", id.Name, f.pkg, onePrinter)
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && err == nil && !prints(f.pkg) && f.pkg != "shown" {
				if strings.ContainsFunc(text, controls) {
					report(n, "%s in %s: a code that a terminal obeys: %s", n.Value, f.pkg, onePrinter)
				}
				if terminals[text] {
					report(n, "%s in %s: %s", n.Value, f.pkg, onePrinter)
				}
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			path := named[x.Name]
			inner := packageIn(strings.TrimPrefix(path, module+"/"))
			if names, limited := onlyThese[[2]string{f.pkg, inner}]; limited && !listed(names, n.Sel.Name) {
				report(n, "%s.%s in %s: of %s it may use only %s, so that it builds and reads nothing", inner,
					n.Sel.Name, f.pkg, inner, join(names))
			}
			switch {
			case f.pkg == "launch" && path == "os" && n.Sel.Name == "NewFile": // what a process inherits
			case printers[path+"."+n.Sel.Name] && !prints(f.pkg):
				report(n, "%s.%s in %s: %s", x.Name, n.Sel.Name, f.pkg, onePrinter)
			case path == "math" && listed(inexact, n.Sel.Name) && listed(pure+" "+engine+" "+tensor, f.pkg):
				report(n, "math.%s in %s: its last bit differs between processors, and what is computed here "+
					"reaches events, the data set or the weights, which are the same bits everywhere. nn and "+
					"dataset have their own exp, log and sine, made of + - * /", n.Sel.Name, f.pkg)
			case (path == "os" || path == "syscall") && n.Sel.Name == "Exit" && !isMain(f.pkg):
				report(n, "%s.Exit: only main exits. Return an error: deferred work is done, and a test can see it",
					x.Name)
			}
		}
		return true
	})
	return problems
}

// Ways to print past the one writer. (cli hands its main's files on to shown.NewWriter.)
var (
	printers = map[string]bool{"os.Stdout": true, "os.Stderr": true, "fmt.Print": true, "fmt.Printf": true, "fmt.Println": true,
		"os.NewFile": true, "syscall.Write": true, "syscall.Stdout": true, "syscall.Stderr": true, "golang.org/x/sys/unix.Write": true,
		"debug.PrintStack": true, "runtime/debug.PrintStack": true}
	terminals = map[string]bool{"/dev/tty": true, "/dev/stdout": true, "/dev/stderr": true, "/dev/fd/1": true, "/dev/fd/2": true}
)

const onePrinter = "what is printed goes through shown.Writer, which shows what a terminal would obey: return a value or " +
	"an error, or write to the writer that you are given"

// prints reports whether a package may write to stdout and stderr: mains, and output for who names them
// as a file's place (its pages have shown what they hold).
func prints(pkg string) bool { return isMain(pkg) || pkg == "output" }

// isMain reports whether a package is a program, or has a test be one: clitest.
func isMain(pkg string) bool {
	return strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "tools/") || pkg == "cli/clitest"
}

// controls tells which characters of a literal a terminal obeys: ESC, BEL, CSI and OSC of C1.
func controls(r rune) bool { return r == 0x1b || r == 0x07 || r >= 0x80 && r < 0xa0 }

// onlyThese are the names that a package may use of another: types of parameters, words and bounds,
// so that it stays pure although the other is not.
var onlyThese = map[[2]string]string{
	{"plan", "fabric"}: "Buffer Chances Class Config Down ECN Faults Leak Links MaxHops PFC PortProfile Profile Quirks Reboot " +
		"Routing Setting Storm Watchdog While",
	{"plan", "dataset"}: "Size",
	{"scenario", "topo"}: "DesignName DesignSingleSwitch DesignDualRail DesignRailOnly DesignRailOptimized DesignLeafSpine " +
		"DesignDragonfly DesignMultiPlane DesignDirect DesignCustom",
	{"plan", "result"}: "JobCollectives JobFlows JobModel JobReplay JobTrain KindBackground KindCollective KindJob RowGroupRows",
	{"plan", "train"}:  "Clip Layers LossPart Notes Ties Views",
}

// localNames maps the names by which a file calls its imports to their paths.
func localNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, s := range f.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if s.Name != nil {
			name = s.Name.Name
		}
		names[name] = path
	}
	return names
}

func TestBannedThingsAreFound(t *testing.T) {
	for _, c := range []struct{ pkg, src, want string }{
		{"exec", `import "time"; var _ = time.Now`, "integer picoseconds"},
		{"roce", `import "net/http"; var _ http.Client`, "no socket"},
		{"coll", `import "os"; var _ = os.Args`, "work on values"},
		{"topo", `import "railyard/internal/engine/sim"; var _ sim.Key`, "cannot run on real time"},
		{"result", `import "math/rand/v2"; var _ = rand.Int`, "named streams"},
		{"result", `import "unsafe"; var _ unsafe.Pointer`, "only train"},
		{"nn", `import "math"; var _ = math.Exp(1)`, "last bit"},
		{"fabric", `import m "math"; var _ = m.Pow(2, 3)`, "last bit"},
		{"cli", `import "os"; func f() { os.Exit(1) }`, "only main exits"},
		{"sim", `func f() { go f() }`, "goroutine"},
		{"plan", `import "railyard/internal/engine/fabric"; var _ = fabric.New`, "builds and reads nothing"},
		{"plan", `import "railyard/internal/base/input"; func f() { go f() }`, "goroutine"},
		{"cli", `func init() {}`, "init function"},
		{"cli", `import "os"; var _ = os.Stdout`, "shown.Writer"},
		{"report", `import . "fmt"; func f() { Println("x") }`, "dot import"},
		{"report", `import w "os"; var _ = w.Stderr.WriteString`, "shown.Writer"},
		{"lab", `import "fmt"; func f() { fmt.Printf("x") }`, "shown.Writer"},
		{"topo", `func f() { println("x") }`, "shown.Writer"},
		{"run", `import "log"; func f() { log.Print("x") }`, "stderr progress"},
		{"located", "const red = \"\\x1b[31m\"", "a terminal obeys"},
		{"cli", `import "os"; func f() { os.OpenFile("/dev/tty", 1, 0) }`, "shown.Writer"},
		{"cli", `import "os"; func f() { os.NewFile(1, "out") }`, "shown.Writer"},
	} {
		f := parse(t, "x.go", "package p; "+c.src)
		f.pkg = c.pkg
		found := strings.Join(append(checkBans(f), checkCalls(f)...), "\n")
		if !strings.Contains(found, c.want) {
			t.Errorf("%s in package %s: found %q, want a problem with %q", c.src, c.pkg, found, c.want)
		}
	}
	for _, c := range []struct{ pkg, src string }{
		{"nn", `import "math"; var _ = math.Sqrt(2)`},
		{"cli", `import ("math"; "os"; "time"); var _, _, _ = math.Exp(1), os.Args, time.Now`},
		{"cmd/railyard", `import "os"; func f() { os.Exit(1) }`},
		{"cmd/railyard", `import "os"; var _ = os.Stdout`},
		{"tools/mutate", `import "fmt"; func f() { fmt.Println() }`},
		{"shown", "const red = \"\\x1b[31m\""},
		{"train", `import "unsafe"; var _ unsafe.Pointer`},
		{"wire", `import "net/netip"; var _ netip.Addr`},
		{"plan", `import "railyard/internal/engine/fabric"; var _ fabric.Config`},
	} {
		f := parse(t, "x.go", "package p; "+c.src)
		f.pkg = c.pkg
		if got := append(checkBans(f), checkCalls(f)...); got != nil {
			t.Errorf("%s in package %s: %q, want no problem", c.src, c.pkg, got)
		}
	}
}
