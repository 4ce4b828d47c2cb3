package netconftest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/config/netconf"
)

// A stage reads configurations of a dialect. A script has them as they are written, and under each what it comes to: facts,
// each after its line, then what is wrong or not understood, by line and column. Lines that begin with @ are commands:
//
//	@ file NAME     what follows is of another file
//	@ places        the outcome is the places of things
//	@ fit           the outcome is what the platform cannot say of it, and then what is rendered
//	@ render        the outcome is what is rendered, or why nothing is
type stage struct {
	scripttest.Log
	dialect netconf.Dialect
	first   string
	files   []netconf.File
	asked   string
}

// Scripts plays testdata/*.txt on a dialect, whose first file has a name.
func Scripts(t *testing.T, dialect netconf.Dialect, file string) {
	t.Helper()
	ScriptsIn(t, "testdata", dialect, file)
}

// ScriptsIn is Scripts with those of a directory.
func ScriptsIn(t *testing.T, dir string, dialect netconf.Dialect, file string) {
	t.Helper()
	scripttest.RunIn(t, dir, func(*testing.T) scripttest.Stage { return &stage{dialect: dialect, first: file} })
}

// Do is of no use: lines are read.
func (s *stage) Do([]string) { panic("a script of configurations has lines") }

// Read takes a line of a configuration, or a command.
func (s *stage) Read(line string) {
	if command, ok := strings.CutPrefix(line, "@ "); ok {
		if name, ok := strings.CutPrefix(command, "file "); ok {
			s.files = append(s.files, netconf.File{Name: name})
		} else {
			s.asked = command
		}
		return
	}
	if len(s.files) == 0 {
		s.files = append(s.files, netconf.File{Name: s.first})
	}
	f := &s.files[len(s.files)-1]
	f.Text = append(f.Text, line+"\n"...)
}

// Told reads what has been written since the last call.
func (s *stage) Told() string {
	files, asked := s.files, s.asked
	s.files, s.asked = nil, ""
	p := s.dialect.Parse(files)
	switch asked {
	case "fit":
		fitting, left := s.dialect.Fit(p.Device)
		for _, text := range left {
			fmt.Fprintf(s, "left: %s\n", text)
		}
		s.rendered(fitting)
	case "render":
		s.rendered(p.Device)
	case "places":
		s.places(p)
		return s.Log.Told()
	case "":
		s.device(p)
	default:
		panic("@ " + asked + ": want file, places, fit or render")
	}
	s.wrong(p)
	return s.Log.Told()
}

func (s *stage) rendered(d *netconf.Device) {
	files, err := s.dialect.Render(d)
	if err != nil {
		fmt.Fprintln(s, err)
	}
	for _, f := range files {
		if len(files) > 1 {
			fmt.Fprintf(s, "== %s\n", f.Name)
		}
		for line := range strings.Lines(string(f.Text)) {
			if strings.TrimSpace(line) != "" { // it would end the outcome
				fmt.Fprintln(s, strings.TrimRight(line, "\n"))
			}
		}
	}
}

// places writes where things are said, by line.
func (s *stage) places(p *netconf.Parsed) {
	names := slices.SortedFunc(maps.Keys(p.Places), func(a, b string) int {
		x, y := p.Places[a], p.Places[b]
		return cmp.Or(cmp.Compare(x.File, y.File), x.Line-y.Line, cmp.Compare(a, b))
	})
	for _, name := range names {
		if at := p.Places[name]; at.File == s.first {
			fmt.Fprintf(s, "%d: %s\n", at.Line, name)
		} else {
			fmt.Fprintf(s, "%s:%d: %s\n", at.File, at.Line, name)
		}
	}
}

// device writes what is read: facts of the device, ports, and the profiles that ports have, each once.
func (s *stage) device(p *netconf.Parsed) {
	d := p.Device
	if d.Name != "" {
		fmt.Fprintf(s, "%s\n", d.Name)
	}
	facts := d.Facts()
	for _, f := range facts {
		if f.Port == "" {
			fmt.Fprintf(s, "%s: %s\n", f.What, f.Value)
		}
	}
	if d.BGP != nil {
		s.sessions(d.BGP)
	}
	for i := range d.Interfaces {
		here := &d.Interfaces[i]
		fmt.Fprint(s, here.Name)
		if own := p.Native(here.Name); own != here.Name {
			fmt.Fprintf(s, " (%s)", own)
		}
		fmt.Fprintf(s, ": %s\n", here.Kind)
		s.port(here)
		if why := p.Untrusted[here.Name]; why != "" {
			fmt.Fprintf(s, "  untrusted: %s\n", why)
		}
		for _, f := range facts {
			switch {
			case f.Port != here.Name || f.What == here.Kind.String():
			case strings.HasPrefix(f.What, "DSCP ") || strings.HasPrefix(f.What, "class "): // of the profile
			default:
				fmt.Fprintf(s, "  %s\n", strings.TrimSuffix(f.What+": "+f.Value, ": there"))
			}
		}
		if here.QoS != nil {
			fmt.Fprintf(s, "  profile %d\n", here.QoS.Profile)
		}
	}
	if d.QoS != nil {
		for n := range d.QoS.Profiles {
			s.profile(n, &d.QoS.Profiles[n])
		}
	}
}

// profile writes the DSCPs of each class, and the classes of which more is said than their number.
func (s *stage) profile(n int, p *netconf.Profile) {
	fmt.Fprintf(s, "profile %d: DSCPs", n)
	for tc := range uint8(netconf.Classes) {
		if all := p.DSCPs(tc); len(all) > 0 {
			fmt.Fprintf(s, " %d:%s", tc, strings.Join(netconf.Ranges(all), ","))
		}
	}
	fmt.Fprintln(s)
	for i := range p.Classes {
		c := &p.Classes[i]
		if !c.Strict && c.Share == 0 && c.ECN == nil && c.Pause == nil && c.Queue == c.TC {
			continue
		}
		fmt.Fprintf(s, "  class %d in queue %d, %s", c.TC, c.Queue, c.Served())
		if c.ECN != nil {
			fmt.Fprintf(s, ", %v", c.ECN)
		}
		if c.Pause != nil {
			fmt.Fprintf(s, ", pauses priority %d", c.Pause.Priority)
		}
		if b := c.Buffer(); b != nil {
			fmt.Fprintf(s, " at %s, xON %v below, headroom %v, reserve %v", b.XOFFText(), b.Resume, b.Headroom, b.Reserve)
		}
		fmt.Fprintln(s)
	}
}

// port writes what is no fact.
func (s *stage) port(i *netconf.Interface) {
	if i.Description != "" {
		fmt.Fprintf(s, "  %q\n", i.Description)
	}
	if i.Speed != 0 {
		fmt.Fprintf(s, "  %v\n", i.Speed)
	}
	if i.Routed {
		fmt.Fprintf(s, "  routed\n")
	}
	if i.Trunk {
		fmt.Fprintf(s, "  in VLANs %v\n", i.InVLANs())
	}
}

// sessions writes of them what is no fact.
func (s *stage) sessions(b *netconf.BGP) {
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		if n.Description != "" {
			fmt.Fprintf(s, "  %s is %q\n", n.Name(), n.Description)
		}
		if n.Down {
			fmt.Fprintf(s, "  %s is shut down\n", n.Name())
		}
	}
	for _, from := range b.Listen {
		fmt.Fprintf(s, "  listens to %v\n", from)
	}
}

// wrong writes what is a problem, a slip or not understood.
func (s *stage) wrong(p *netconf.Parsed) {
	where := func(at netconf.Place) string {
		if at.File == s.first {
			return fmt.Sprint(at.Line)
		}
		return fmt.Sprintf("%s:%d", at.File, at.Line)
	}
	for _, q := range p.Problems {
		kind := "wrong"
		if q.Warning {
			kind = "not known"
		}
		fmt.Fprintf(s, "%s:%d: %s: %s\n", where(netconf.Place{File: q.File, Line: q.Line}), q.Column, kind, q.Message)
	}
	for _, x := range p.Slips {
		fmt.Fprintf(s, "%s: %s: %s\n", where(x.Place), x.Rule, x.Text)
	}
	for _, x := range p.Loose {
		fmt.Fprintf(s, "%s: unused: %s (QoS %v, pauses %v)\n", where(x.Place), x.Text, x.QoS, x.Pauses)
	}
	for _, u := range p.Unread {
		of := ""
		if u.Port != "" {
			of = " of " + u.Port
		}
		fmt.Fprintf(s, "%s:%d: not understood%s: %s\n", where(u.Place), u.Column, of, u.Text)
	}
	if p.Tagged {
		fmt.Fprintln(s, "tags have classes too")
	}
	if len(p.Routes) > 0 {
		fmt.Fprintf(s, "static routes to %v\n", p.Routes)
	}
	if p.Lines.Known > 0 {
		fmt.Fprintf(s, "of no matter: %d\n", p.Lines.Known)
	}
}
