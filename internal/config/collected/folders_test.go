package collected

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/config/dump"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
)

// What is as much as a device may have is read; files are taken in the order of their names, however deep they lie.
func TestAsMuchAsADeviceMayHave(t *testing.T) {
	many := map[string]string{}
	for i := range mostFiles {
		many[fmt.Sprintf("f%03d", i)] = "x"
	}
	dir := folder(t, many)
	if files, err := Files(dir, nil); err != nil || len(files) != mostFiles || files[7].Name != filepath.Join(dir, "f007") {
		t.Errorf("%d files, %v", len(files), err)
	}
	dir = folder(t, map[string]string{"b": strings.Repeat("x", MostConfig-2), "a/z": "y", "c": "z"})
	files, err := Files(dir, nil)
	if err != nil || len(files) != 3 || string(files[0].Text) != "y" || string(files[2].Text) != "z" {
		t.Errorf("%d files of as many bytes as a device may have, %v", len(files), err)
	}
	_, err = Files("-", strings.NewReader(strings.Repeat("x", MostConfig+1)))
	refused(t, err, "cannot read -: ")
	one := folder(t, map[string]string{"long": strings.Repeat("x", MostConfig+1)})
	_, err = Files(filepath.Join(one, "long"), nil)
	refused(t, err, "cannot read "+filepath.Join(one, "long")+": ")
}

// Each dialect has a line that names the host; a folder among the files makes them one device's.
func TestFilesThatNameTheirHosts(t *testing.T) {
	for _, c := range []struct {
		what  string
		files map[string]string
		want  int // devices
	}{
		{"three dialects", map[string]string{"a": "x\n  hostname one \n", "b": "set system host-name two\n",
			"c": "nv set system hostname three\n"}, 3},
		{"NVUE without nv", map[string]string{"a": "set system hostname one\n", "b": "hostname two\n"}, 2},
		{"a name of two words", map[string]string{"a": "hostname one\n", "b": "hostname two words\n"}, 1},
		{"a name in the middle of a line", map[string]string{"a": "hostname one\n", "b": "no hostname two\n"}, 1},
		{"a folder beside files", map[string]string{"a": "hostname one\n", "b": "hostname two\n", "c/d": "hostname three\n"}, 1},
		{"folders alone", map[string]string{"a/x": "hostname one\n", "b/x": "", "c/x": ""}, 3},
	} {
		if paths, err := Paths(folder(t, c.files)); err != nil || len(paths) != c.want {
			t.Errorf("%s: %v, %v, want %d devices", c.what, paths, err, c.want)
		}
	}
	if paths, err := Paths("nowhere"); err != nil || len(paths) != 1 || paths[0] != "nowhere" {
		t.Errorf("what is not there is %v, %v: want it to be itself, so that reading it says why", paths, err)
	}
}

// spoken is a dialect that understands what a test has it understand.
type spoken struct {
	netconf.Dialect
	parsed netconf.Parsed
}

func (s *spoken) Parse([]netconf.File) *netconf.Parsed { p := s.parsed; return &p }

// A device has so many interfaces at most; what is wrong with a file stands in the order of its lines, and of other files
// nothing does.
func TestWhatIsWrongStandsInTheOrderOfLines(t *testing.T) {
	s := &spoken{parsed: netconf.Parsed{Device: &netconf.Device{Name: "leaf1", Interfaces: make([]netconf.Interface, mostPorts)},
		Places: map[string]netconf.Place{"hostname": {File: "a", Line: 1}, "mtu": {File: "b", Line: 1}},
		Slips: []netconf.Slip{{Rule: "Q14", Place: netconf.Place{File: "a", Line: 5}, Text: "too late"},
			{Rule: "Q14", Place: netconf.Place{File: "b", Line: 1}, Text: "elsewhere"}},
		Problems: located.Problems{{File: "a", Line: 9, Message: "nine"}, {File: "a", Line: 2, Message: "two"},
			{File: "b", Line: 3, Message: "three"}},
		Unread: []netconf.Unread{{Place: netconf.Place{File: "a", Line: 7}, Column: 3, Text: "frob 1"},
			{Place: netconf.Place{File: "b", Line: 2}, Column: 1, Text: "frob 2"}}}}
	files := []netconf.File{netconf.NewFile("a", []byte("x\n")), netconf.NewFile("b", []byte("y\n"))}
	d, err := Read("dir", files, "eos", s)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range d.In("a") {
		lines = append(lines, fmt.Sprintf("%d:%d %s %v", p.Line, p.Column, p.Message, p.Warning))
	}
	const want = "2:0 two false|5:1 Q14: too late true|7:3 \"frob 1\": not understood true|9:0 nine false"
	if got := strings.Join(lines, "|"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s.parsed.Device.Interfaces = make([]netconf.Interface, mostPorts+1)
	_, err = Read("dir", files, "eos", s)
	refused(t, err, "dir: 8193 interfaces, want at most 8192: this is no device's")
}

// A file of which one line is understood is a configuration, and says what is wrong line by line; remarks are no lines.
func TestHowMuchOfAFileIsForeign(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // what is said of the file
	}{
		{"hostname leaf1\nfrob\nfrob\n", "2"},
		{"! a remark\n# another\n\nfrob\n", ""},
		{"mtu of what\n", ""},
	} {
		leaf := netconf.NewFile("leaf", []byte("hostname leaf1\ninterface Ethernet1/1\n  mtu 9216\n"))
		d, err := Read("x", []netconf.File{leaf, netconf.NewFile("f", []byte(c.text))}, "nxos", dialects.All["nxos"])
		if err != nil {
			t.Fatal(err)
		}
		all := d.In("f")
		if len(all) != 1 || (all[0].Line == 0) != (c.want == "") || c.want != "" && fmt.Sprint(all[0].Line) != c.want {
			t.Errorf("%q: %v, want one problem at line %q", c.text, all, c.want)
		}
	}
	empty, err := Read("x", []netconf.File{netconf.NewFile("f", nil)}, "nxos", dialects.All["nxos"])
	if err != nil || len(empty.In("f")) != 0 || !empty.Empty() {
		t.Errorf("of an empty file it says %v, %v", empty, err)
	}
}

// Hosts come in the order of the arguments and of their names; one name is one host's, and what is no host's is refused.
func TestHostsInOrder(t *testing.T) {
	const says = "$ ip -d link\n2: eth0: <UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000\n"
	rack := folder(t, map[string]string{"r1/b/ip": says, "r1/a/deep/ip": says, "r2/c/ip": says, "r2/a/ip": says,
		"r3/d/notes": "Dear diary\n", "r4/x/y/z": says})
	in := func(names ...string) (paths []string) {
		for _, n := range names {
			paths = append(paths, filepath.Join(rack, n))
		}
		return paths
	}
	hosts, err := Hosts(t.Context(), in("r2/c", "r1/b", "r4"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, h := range hosts {
		names = append(names, h.Name)
	}
	if got := strings.Join(names, " "); got != "c b x" {
		t.Errorf("hosts are %s", got)
	}
	_, err = Hosts(t.Context(), in("r1", "r2"))
	refused(t, err, filepath.Join(rack, "r2", "a")+": a host named a is in "+filepath.Join(rack, "r1", "a")+" too")
	_, err = Hosts(t.Context(), in("r3"))
	refused(t, err, filepath.Join(rack, "r3", "d")+": nothing in it is understood")
	if err := os.Symlink(filepath.Join(rack, "r1", "b", "ip"), filepath.Join(rack, "r2", "c", "link")); err != nil {
		t.Fatal(err)
	}
	_, err = Hosts(t.Context(), in("r2/c"))
	refused(t, err, "cannot read "+filepath.Join(rack, "r2", "c")+": ")
	many := map[string]string{}
	for i := range hostinfo.MostFiles + 1 {
		many[fmt.Sprintf("h/f%03d", i)] = says
	}
	_, err = Hosts(t.Context(), []string{folder(t, many)})
	refused(t, err, "more than 500 files, want those of one host")
}

// A prompt goes before the name of the file, the switch that a device stands for is the device, and others are counted.
func TestWhoIsHeard(t *testing.T) {
	const table = "Local Interface    Parent Interface    Chassis Id          Port info          System Name\n" +
		"et-0/0/0           -                   00:00:5e:00:53:01   swp1               spine1\n"
	device := func(name, of string) *lint.Device {
		return &lint.Device{Parsed: &netconf.Parsed{Device: &netconf.Device{Name: name}}, Switch: of}
	}
	dir := folder(t, map[string]string{"spine1.txt": "lab@leaf1> show lldp neighbors\n" + table, "s2.dump": table, "z/other.txt": table})
	leaf, spine, second := device("leaf1", ""), device("spine1", ""), device("spine2.lab", "s2")
	h, err := LLDP(t.Context(), []*lint.Device{leaf, spine, second}, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(leaf.Heard) != 1 || len(spine.Heard) != 0 || len(second.Heard) != 1 {
		t.Errorf("they hear %v, %v, %v", leaf.Heard, spine.Heard, second.Heard)
	}
	if got := h.String(); !strings.HasSuffix(got, "of 2 neighbours are ports of these devices; what others hear is left out: other") {
		t.Errorf("%s", got)
	}
	if got := (&Heard{Neighbours: 1}).String(); got != "LLDP: 0 of 1 neighbour are ports of these devices" {
		t.Errorf("%s", got)
	}
	_, err = LLDP(t.Context(), nil, []string{filepath.Join(dir, "none")})
	refused(t, err, "no such file")
	bad := folder(t, map[string]string{"a.txt": "Dear diary\n"})
	_, err = LLDP(t.Context(), []*lint.Device{leaf}, []string{bad})
	refused(t, err, filepath.Join(bad, "a.txt")+": ")
}

// What is wrong with a text is said at its line, a folder that is not there by its name, and an ended context ends it.
func TestWhatCannotBeShown(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	_, _, _, err := Shown(t.Context(), none, dump.GivenNames())
	refused(t, err, "folder "+none+": no such file or directory")
	dir := folder(t, map[string]string{"a.txt": "Dear diary\n", "b.txt": "x\n", "c.txt": "y\n", "d.txt": "z\n"})
	_, _, _, err = Shown(t.Context(), dir, dump.GivenNames())
	refused(t, err, "folder "+dir+": nothing in it can be read: a.txt")
	if strings.Contains(err.Error(), "d.txt") {
		t.Errorf("more than three are named: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, _, err = Shown(ctx, dir, dump.GivenNames()); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "folder") {
		t.Errorf("%v, want the context's error", err)
	}
}
