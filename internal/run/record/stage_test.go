package record

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Scripts in testdata tell a recorder what happens, and read what it leaves: rows, figures, notes, a diagnosis. The network is
// what the script says of it.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t, net: newTold()} })
}

// stage is a run without an engine.
type stage struct {
	scripttest.Log
	t     *testing.T
	yaml  strings.Builder
	base  string
	plan  *plan.Plan
	net   *told
	r     *Recorder
	dir   *result.Dir
	path  string
	sum   *result.Summary
	run   *result.Run
	marks map[string]*Mark
	sees  *Viewer
	ends  map[int32]unit.Time // of ranks: their last steps

	waited   map[int32][]exec.Wait // by ranks, in the step that they took last
	schedule []byte                // of the first job's collective.schedule
}

// Read takes a line of the scenario, which begins with a bar, or a command.
func (s *stage) Read(line string) {
	if text, is := strings.CutPrefix(line, "|"); is {
		s.yaml.WriteString(strings.TrimPrefix(text, " ") + "\n")
		return
	}
	s.Do(strings.Fields(line))
}

// commands by their first word; what is left of the line are words, and fields as name=value.
var commands = map[string]func(s *stage, words []string, fields []field){
	"base": (*stage).keep, "new": (*stage).anew, "begin": (*stage).begin, "now": (*stage).atTime,
	"net": (*stage).setNet, "port": (*stage).setPort, "pair": (*stage).setPair, "flow": (*stage).flow,
	"lost": (*stage).lost, "timeout": (*stage).timeout, "sample": (*stage).sample, "event": (*stage).event,
	"happens": (*stage).happens, "step": (*stage).step, "op": (*stage).operation, "ops": (*stage).operations,
	"walk": (*stage).walk, "path": (*stage).critical, "look": (*stage).look, "due": (*stage).due,
	"idle": (*stage).idle, "lastlook": (*stage).lastLook, "report": (*stage).report, "mark": (*stage).mark,
	"repeat": (*stage).repeat, "repeated": (*stage).repeated, "marked": (*stage).marked, "behind": (*stage).behind,
	"gaveup": (*stage).gaveUp, "hung": (*stage).hung, "cannot": (*stage).cannot, "ended": (*stage).ended,
	"saved": (*stage).saved, "broke": (*stage).broke, "again": (*stage).again, "join": (*stage).join,
	"finish": (*stage).finish, "show": (*stage).show, "table": (*stage).table, "view": (*stage).view,
	"schedule": (*stage).ring, "views": (*stage).views, "said": (*stage).said, "compute": (*stage).compute,
	"conclude": (*stage).conclude, "whole": (*stage).whole,
}

type field struct{ name, value string }

func (s *stage) Do(command []string) {
	do := commands[command[0]]
	if do == nil {
		s.t.Fatalf("no command %q", command)
	}
	var words []string
	var fields []field
	for _, w := range command[1:] {
		if name, value, is := strings.Cut(w, "="); is {
			fields = append(fields, field{name, strings.ReplaceAll(value, "_", " ")})
		} else {
			words = append(words, w)
		}
	}
	do(s, words, fields)
}

// base keeps the scenario so far; new leaves a run, for another one that begins so.
func (s *stage) keep([]string, []field) { s.base = s.yaml.String() }

func (s *stage) anew([]string, []field) {
	s.yaml.Reset()
	s.yaml.WriteString(s.base)
	s.net = newTold()
}

// begin plans the scenario and opens a recorder of it: islands=1, steps=0 of each job; examples=0 that trainings learn from.
func (s *stage) begin(_ []string, fields []field) {
	in := struct {
		Islands, Steps, Examples int64
		Measured                 bool
	}{Islands: 1}
	s.set(&in, fields)
	sc, err := scenario.Parse("test.yaml", []byte(s.yaml.String()))
	s.must(err)
	s.plan, err = plan.New(sc, plan.Files{Jobs: []plan.JobFiles{{Schedule: s.schedule}}}, nil)
	s.must(err)
	for i := range s.plan.Jobs {
		j := &s.plan.Jobs[i]
		j.Saving = j.Checkpoint().Takes // where no other job writes to the storage
	}
	s.net.plan = s.plan
	s.path = filepath.Join(s.t.TempDir(), "run")
	s.dir, err = result.Create(s.path)
	s.must(err)
	s.sum = &result.Summary{Name: sc.Name, Seed: sc.Seed, ScenarioYAML: string(sc.YAML())}
	if len(s.plan.Jobs) > 1 {
		s.sum.Jobs = make([]result.JobFigures, len(s.plan.Jobs))
	}
	for i, f := range s.sum.PerJob() {
		f.From, f.StepsPlanned = unit.Time(s.plan.Jobs[i].Spec.Start), in.Steps
		if len(s.plan.Jobs) > 1 {
			f.Job, f.Kind = s.plan.Jobs[i].Spec.Name, s.plan.Jobs[i].KindName()
		}
	}
	s.sum.Thresholds, s.sum.Mistakes, err = foresight.Thresholds(s.plan)
	s.must(err)
	s.must(s.dir.Begin(s.sum))
	hooks := Hooks{
		Progress: func(p result.Progress) {
			loss := ""
			if p.HasLoss {
				loss = fmt.Sprint(", loss ", p.Loss)
			}
			fmt.Fprintf(s, "progress: %s %d of %d at %v, %d packet-hops%s\n", p.Phase, p.Done, p.Total, unit.Duration(p.Virtual),
				p.PacketHops, loss)
		},
		Stopped: func() bool { return false },
		Step: func(job int, step int64, at unit.Time, _ float64) {
			again := map[bool]string{true: ", again"}[s.r.Repeating()]
			fmt.Fprintf(s, "job %d ended step %d at %v%s\n", job, step, unit.Duration(at), again)
		},
		Ended: func(int64) {},
		Done:  func(last unit.Time) { fmt.Fprintf(s, "done at %v\n", unit.Duration(last)) },
	}
	s.sees = nil
	s.marks, s.ends, s.waited = map[string]*Mark{}, map[int32]unit.Time{}, map[int32][]exec.Wait{}
	if in.Measured {
		s.r = NewMeasured(s.plan, s.dir, hooks, func() unit.Time { return s.net.now })
	} else {
		s.r = New(s.plan, s.dir, int(in.Islands), hooks)
	}
	parts := Parts{Network: s.net}
	for i := range s.plan.Jobs {
		p := JobParts{Steps: in.Steps}
		if in.Examples > 0 {
			p = s.training(i, in.Examples)
		}
		parts.Jobs = append(parts.Jobs, p)
	}
	s.r.Open(parts)
	for i := range s.plan.Jobs {
		if s.plan.Jobs[i].Work != nil {
			s.r.Job(i).PathFinder()
			s.r.Job(i).paths = nil // scripts say what it would find
		}
	}
}

// ring writes the file of a schedule: a ring over ranks in an order, schedule 0:2:1:3.
func (s *stage) ring(words []string, _ []field) {
	var order []int32
	for r := range strings.SplitSeq(words[0], ":") {
		order = append(order, int32(s.number(r)))
	}
	ring, err := coll.RingAllReduce([][]int32{order})
	s.must(err)
	var text bytes.Buffer
	s.must(coll.WriteText(&text, ring))
	s.schedule = text.Bytes()
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// set gives fields of a struct, and of those in it, values as text.
func (s *stage) set(to any, fields []field) {
	s.t.Helper()
	for _, f := range fields {
		v := reflect.ValueOf(to).Elem().FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, f.name) })
		if !v.IsValid() {
			s.t.Fatalf("%T has no %q", to, f.name)
		}
		switch x := v.Addr().Interface().(type) {
		case *unit.Time:
			*x = s.time(f.value)
		case *unit.Duration:
			*x = unit.Duration(s.time(f.value))
		case *unit.Bytes:
			*x = s.bytes(f.value)
		case *unit.Bitrate:
			rate, err := unit.ParseBitrate(f.value)
			s.must(err)
			*x = rate
		case *topo.PortID:
			*x = s.portOf(f.value)
		case *fabric.Kind:
			*x = fabric.Kind(s.index(kindNames[:], f.value))
		case *nic.Wait:
			*x = nic.Wait(s.index(waits[:], f.value))
		case *string:
			*x = f.value
		case *bool:
			*x = f.value == "yes"
		case *float64:
			n, err := strconv.ParseFloat(f.value, 64)
			s.must(err)
			*x = n
		default:
			n := s.number(f.value)
			if v.CanUint() {
				v.SetUint(uint64(n))
			} else {
				v.SetInt(n)
			}
		}
	}
}

func (s *stage) time(text string) unit.Time {
	s.t.Helper()
	switch text {
	case "0":
		return 0
	case "never":
		return -1
	}
	d, err := unit.ParseDuration(text)
	s.must(err)
	return unit.Time(d)
}

func (s *stage) bytes(text string) unit.Bytes {
	b, err := unit.ParseBytes(text)
	s.must(err)
	return b
}

func (s *stage) number(text string) int64 {
	s.t.Helper()
	return scripttest.Number(s.t, text)
}

func (s *stage) index(names []string, name string) int {
	i := slices.Index(names, name)
	if i < 0 {
		s.t.Fatalf("%q is none of %q", name, names)
	}
	return i
}

func (s *stage) portOf(name string) topo.PortID {
	s.t.Helper()
	i := slices.IndexFunc(s.plan.Graph.Ports, func(p topo.Port) bool { return p.Name == name })
	if i < 0 && name != "none" {
		var all []string
		for _, p := range s.plan.Graph.Ports {
			all = append(all, p.Name)
		}
		s.t.Fatalf("no port %q among %q", name, all)
	}
	return topo.PortID(i)
}

func (s *stage) pairOf(name string) int32 {
	s.t.Helper()
	i := -1
	for k := range s.plan.Pairs { // of pairs with one name the last: those of the job's latest life
		if s.plan.Pairs[k].Name == name {
			i = k
		}
	}
	if i < 0 {
		var all []string
		for _, p := range s.plan.Pairs {
			all = append(all, p.Name)
		}
		s.t.Fatalf("no queue pair %q among %q", name, all)
	}
	return int32(i)
}

// take removes the fields of a name, and gives each as its parts between colons.
func take(fields *[]field, name string) (all [][]string) {
	rest := (*fields)[:0]
	for _, f := range *fields {
		if f.name == name {
			all = append(all, strings.Split(f.value, ":"))
		} else {
			rest = append(rest, f)
		}
	}
	*fields = rest
	return all
}

// split reads cause=time.
func (s *stage) split(fields *[]field) (all cause.Split) {
	for _, c := range cause.All() {
		for _, v := range take(fields, c.Column()) {
			all[c] = unit.Duration(s.time(v[0]))
		}
		for _, v := range take(fields, strings.ReplaceAll(c.Column(), "_", "-")) {
			all[c] = unit.Duration(s.time(v[0]))
		}
	}
	return all
}
