package view

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/sheet"
	"railyard/internal/config/rib"
	"railyard/internal/learn/dataset"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/design"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// A script writes a scenario line by line and looks at it: as text, and as the data of one key, an element a line. ~ is an
// empty line of a text.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t, width: 100} })
}

type stage struct {
	scripttest.Log
	t     *testing.T
	yaml  []string
	width int
	files plan.Files
}

// texts are the views of a plan, or of one of its jobs, as text.
var texts = map[string]func(*sheet.Sheet, *plan.Plan, *plan.Job) error{
	"topo": TopoText, "inventory": InventoryText, "placement": PlacementText, "dag": DagText, "groups": GroupsText,
	"memory": MemoryText, "model": ModelText, "corpus": CorpusText,
}

// values are the same as data.
var values = map[string]func(*plan.Plan, *plan.Job) (any, error){
	"topo": TopoData, "inventory": InventoryData, "placement": PlacementData, "dag": DagData, "groups": GroupsData,
	"memory": MemoryData, "model": ModelData, "corpus": CorpusData, "schedule": ScheduleData,
}

func (s *stage) Do(command []string) {
	words := command[1:]
	switch command[0] {
	case "anew": // forgets the scenario
		s.yaml = nil
	case "of": // a line of the scenario
		s.yaml = append(s.yaml, strings.Join(words, " "))
	case "width":
		s.width, _ = strconv.Atoi(words[0])
	case "show": // WHAT [JOB]
		p := s.plan()
		s.text(func(out *sheet.Sheet) error { return texts[words[0]](out, p, job(p, words[1:])) })
	case "data": // WHAT KEY [JOB]
		p := s.plan()
		v, err := values[words[0]](p, job(p, words[2:]))
		s.data(v, err, words[1])
	case "routes": // SWITCH
		p, n, at := s.network(words[0])
		s.text(func(out *sheet.Sheet) error { RibText(out, p, n, at); return nil })
	case "routes-data": // SWITCH KEY
		_, n, at := s.network(words[0])
		s.data(RibData(n, at), nil, words[1])
	case "hash": // SEEDS
		seeds, _ := strconv.Atoi(words[0])
		s.text(func(out *sheet.Sheet) error { HashText(out, HashOf(s.plan(), seeds)); return nil })
	case "estimate":
		in := s.inspection()
		s.text(func(out *sheet.Sheet) error { EstimateText(out, in, nil); return nil })
	case "thresholds":
		in := s.inspection()
		f := &in.Plan.Scenario.Fabric
		s.text(func(out *sheet.Sheet) error {
			ThresholdText(out, f, in.Thresholds)
			DifferingText(out, f.SwitchesKey(), in.Plan.Switches.Differing())
			ConfiguredText(out, in.Plan)
			return nil
		})
	case "decoder": // NAME
		if d := DecoderOf(words[0]); d != nil {
			s.text(func(out *sheet.Sheet) error { DecoderText(out, d); return nil })
		} else {
			s.WriteString("none of that name\n")
		}
	case "names": // of lists that end in NAME
		s.text(func(out *sheet.Sheet) error { NamesText(out, ListsNamed(NameLists(), words[0])); return nil })
	case "design": // what the requirement's designs come to: text of the part that is named
		s.study(words[0])
	case "values": // the values of a scenario whose paths begin with PREFIX
		s.values(words[0])
	default:
		s.t.Fatalf("unknown command %v", command)
	}
}

func (s *stage) plan() *plan.Plan {
	p, err := plan.New(plantest.Read(s.t, strings.Join(s.yaml, "\n")+"\n"), s.files, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// job is the one that is named, else the first.
func job(p *plan.Plan, name []string) *plan.Job {
	for i := range p.Jobs {
		if len(name) == 0 || p.Jobs[i].Spec.Name == name[0] {
			return &p.Jobs[i]
		}
	}
	return nil
}

func (s *stage) network(of string) (*plan.Plan, *rib.Network, int) {
	p := s.plan()
	devices, err := configs.Devices(p)
	if err != nil {
		s.t.Fatal(err)
	}
	for at := range devices {
		if devices[at].Name == of {
			return p, rib.New(devices, func(d int) bool { return d == at }), at
		}
	}
	s.t.Fatalf("no switch %s", of)
	return nil, nil, 0
}

func (s *stage) inspection() *foresight.Inspection {
	p := s.plan()
	data := make([]dataset.Size, len(p.Jobs))
	for i := range data {
		data[i] = plantest.Images
	}
	return foresight.Inspect(p, data, nil, 0)
}

// study sizes and lays out the designs of a requirement, and shows a part of it.
func (s *stage) study(part string) {
	r, err := scenario.ParseRequirement("r.yaml", []byte(strings.Join(s.yaml, "\n")))
	if err != nil {
		s.t.Fatal(err)
	}
	d := &Study{Requirement: r, Options: design.Study(r), Chosen: -1}
	for i, o := range d.Options {
		var l *design.Layout
		if o.Refused == "" {
			if l, err = design.Lay(r, o); err != nil {
				s.t.Fatal(err)
			}
		}
		if d.Layouts = append(d.Layouts, l); l != nil && d.Chosen < 0 {
			d.Chosen = i
		}
	}
	if part == "beside" {
		s.text(func(out *sheet.Sheet) error { d.BesideText(out); return nil })
		return
	}
	if d.Layout() == nil {
		fmt.Fprintln(s, "no design closes")
		return
	}
	o := d.Layout().Option
	s.text(func(out *sheet.Sheet) error {
		switch part {
		case "tiers":
			d.TiersText(out, o)
		case "growth":
			d.GrowthText(out, o)
		case "loss":
			d.LossText(out, o)
		case "bill":
			d.BillText(out, d.Layout())
		}
		return nil
	})
	if part == "data" {
		v := d.Data()
		s.data(v.Options[d.Chosen].Networks[0], nil, "tiers")
		s.data(v.Options[d.Chosen].Networks[0], nil, "bound")
		s.data(v.Chosen, nil, "growth")
		s.data(v.Chosen, nil, "bill")
	}
}

// text writes a sheet, its empty lines as ~.
func (s *stage) text(print func(*sheet.Sheet) error) {
	out := sheet.New(s.width)
	if err := print(out); err != nil {
		fmt.Fprintln(s, "error:", err)
		return
	}
	var b strings.Builder
	if err := out.Flush(&b); err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if line == "\n" {
			line = "~\n"
		}
		s.WriteString(line)
	}
}

// data writes what stands under a key of a value: of a list each element, of an element with a list of its own that one too.
func (s *stage) data(v any, err error, key string) {
	if err != nil {
		fmt.Fprintln(s, "error:", err)
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		s.t.Fatal(err)
	}
	if all[key] == nil {
		fmt.Fprintf(s, "no %s\n", key)
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(all[key], &list) != nil {
		list = []json.RawMessage{all[key]}
	}
	if len(list) == 0 {
		s.WriteString("none\n")
	}
	for _, e := range list {
		fmt.Fprintf(s, "%s\n", e)
	}
}

// values writes the rows of some values of a scenario, as text and as data.
func (s *stage) values(prefix string) {
	sc := plantest.Read(s.t, strings.Join(s.yaml, "\n")+"\n")
	out := sheet.New(400)
	ScenarioText(out, sc)
	var b strings.Builder
	if err := out.Flush(&b); err != nil {
		s.t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	fmt.Fprintln(s, lines[0])
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimLeft(line, "*+ "), prefix) {
			fmt.Fprintf(s, "%s\n%s\n", strings.TrimRight(line, " "), lines[i+1])
		}
	}
	s.Log.WriteString("data\n")
	v, _ := json.Marshal(ScenarioData(sc))
	var all struct {
		Fields []map[string]string `json:"fields"`
	}
	if err := json.Unmarshal(v, &all); err != nil {
		s.t.Fatal(err)
	}
	for _, f := range all.Fields {
		if strings.HasPrefix(f["path"], prefix) {
			fmt.Fprintf(s, "%s: %s (%s), default %s, of %s\n", f["path"], f["value"], f["kind"], f["default"], f["origin"])
		}
	}
}
