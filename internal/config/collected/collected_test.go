package collected

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/config/dump"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
)

// folder is a new folder with files: name to text.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// refused fails unless an error says something.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want an error with %q", err, want)
	}
}

// A path is a device, a folder of devices, or a folder of files that each name another host.
func TestPathsOfDevices(t *testing.T) {
	for _, c := range []struct {
		what  string
		files map[string]string
		want  string // below the folder; ".": it is the device
	}{
		{"files of one device", map[string]string{"a.cfg": "hostname leaf1\n", "b.cfg": "vlan 3\n"}, "."},
		{"files of two hosts", map[string]string{"a.cfg": "hostname leaf1\n", "b.cfg": "hostname leaf2\n"}, "a.cfg b.cfg"},
		{"two files of one host", map[string]string{"a.cfg": "hostname leaf1\n", "b.cfg": "hostname leaf1\n"}, "."},
		{"one file", map[string]string{"a.cfg": "hostname leaf1\n"}, "."},
		{"folders", map[string]string{"leaf1/x": "", "leaf2/x": ""}, "leaf1 leaf2"},
		{"a device whose files lie below etc", map[string]string{"etc/frr/frr.conf": "", "usr/x": ""}, "."},
	} {
		dir := folder(t, c.files)
		paths, err := Paths(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range paths {
			paths[i], _ = filepath.Rel(dir, paths[i])
		}
		if got := strings.Join(paths, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	_, err := Paths(t.TempDir())
	refused(t, err, "an empty folder")
}

// What is too much for a device, or none, is refused before it is parsed.
func TestFilesOfADeviceAreBounded(t *testing.T) {
	many := map[string]string{}
	for i := range mostFiles + 1 {
		many[fmt.Sprintf("f%03d", i)] = "x"
	}
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{many, "more than 100 files"}, {nil, "no file in it"},
		{map[string]string{"a": strings.Repeat("x", MostConfig-1), "b": "xx"}, "in all, want at most that for a device"},
	} {
		_, err := Files(folder(t, c.files), nil)
		refused(t, err, c.want)
	}
	_, err := Files(filepath.Join(t.TempDir(), "none"), nil)
	refused(t, err, "no such file")
	files, err := Files("-", strings.NewReader("hostname leaf1\n"))
	if err != nil || len(files) != 1 || string(files[0].Text) != "hostname leaf1\n" {
		t.Errorf("standard input is %v, %v", files, err)
	}
}

// A file that is no configuration shows none of its words; a device of such files alone is refused.
func TestForeignFilesAreHidden(t *testing.T) {
	secret := strings.Repeat("Dear diary, hunter2.\n", 9)
	leaf := "hostname leaf1\ninterface Ethernet1/1\n  mtu 9216\n"
	dir := folder(t, map[string]string{"leaf.cfg": leaf, "notes.txt": secret})
	files, err := Files(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(dir, files, "nxos", dialects.All["nxos"])
	if err != nil {
		t.Fatal(err)
	}
	all := d.In(filepath.Join(dir, "notes.txt"))
	if len(all) != 1 || strings.Contains(all[0].Message, "hunter2") || !strings.Contains(all[0].Message, "no line of it is understood") {
		t.Errorf("of notes it says %v", all)
	}
	if d.Device.Name != "leaf1" || len(d.In(filepath.Join(dir, "leaf.cfg"))) != 0 {
		t.Errorf("%s has %v", d.Device.Name, d.In(filepath.Join(dir, "leaf.cfg")))
	}
	_, err = Read(dir, []netconf.File{netconf.NewFile("notes", []byte(secret))}, "nxos", dialects.All["nxos"])
	refused(t, err, "want a configuration of nxos")
}

// Lines of a kind that are not understood are one problem, at the first of them.
func TestLinesThatAreNotUnderstoodAreCounted(t *testing.T) {
	text := "hostname leaf1\ninterface Ethernet1/1\n  mtu 9216\n  frobnicate 1\n  frobnicate 2\n"
	d, err := Read("x", []netconf.File{netconf.NewFile("x", []byte(text))}, "nxos", dialects.All["nxos"])
	if err != nil {
		t.Fatal(err)
	}
	all := d.In("x")
	if len(all) != 1 || all[0].Line != 4 || !strings.Contains(all[0].Message, "2 times") || !all[0].Warning {
		t.Errorf("%v", all)
	}
}

// Hosts are the folders that hold files, each with a name of its own.
func TestFoldersOfHosts(t *testing.T) {
	rack := folder(t, map[string]string{"r1/host1/x": "", "r2/host1/x": "", "empty/y/.": ""})
	_, err := Hosts(t.Context(), []string{filepath.Join(rack, "none")})
	refused(t, err, "want the folder of a host")
	_, err = Hosts(t.Context(), []string{t.TempDir()})
	refused(t, err, "an empty folder")
	for _, path := range []string{filepath.Join(rack, "r1"), filepath.Join(rack, "r1", "host1")} {
		folders, err := hostFolders(path)
		if err != nil || len(folders) != 1 || filepath.Base(folders[0]) != "host1" {
			t.Errorf("%s holds %v, %v", path, folders, err)
		}
	}
}

// What devices hear is given to the device of the prompt, or of the file's name; what none of them heard is refused.
func TestWhoHearsWhat(t *testing.T) {
	device := func(name string) *lint.Device {
		return &lint.Device{Parsed: &netconf.Parsed{Device: &netconf.Device{Name: name}}}
	}
	const table = "Local Interface    Parent Interface    Chassis Id          Port info          System Name\n" +
		"et-0/0/0           -                   00:00:5e:00:53:01   swp1               spine1\n"
	dir := folder(t, map[string]string{"leaf1.txt": table, "other.txt": table})
	leaf, spine := device("leaf1"), device("spine1")
	h, err := LLDP(t.Context(), []*lint.Device{leaf, spine}, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(leaf.Heard) != 1 || len(spine.Heard) != 0 || strings.Join(h.Others, " ") != "other" || h.Neighbours != 1 {
		t.Errorf("leaf1 hears %v, spine1 %v; %+v", leaf.Heard, spine.Heard, h)
	}
	_, err = LLDP(t.Context(), []*lint.Device{spine}, []string{filepath.Join(dir, "other.txt")})
	refused(t, err, "other: none of the devices, want spine1")
	if h, err := LLDP(t.Context(), nil, nil); h != nil || err != nil {
		t.Errorf("without a file it is %v, %v", h, err)
	}
}

// Each text of a dump is known by what it holds; a folder of which none is read is refused.
func TestShownInAFolder(t *testing.T) {
	_, _, _, err := Shown(t.Context(), folder(t, map[string]string{"a.txt": "Dear diary\n"}), dump.GivenNames())
	refused(t, err, "nothing in it can be read")
	_, _, _, err = Shown(t.Context(), t.TempDir(), dump.GivenNames())
	refused(t, err, "it is empty")
	metrics := "# TYPE node_network_transmit_bytes_total counter\n" +
		"node_network_transmit_bytes_total{instance=\"host1\",device=\"eth0\"} 7 1000\n"
	_, _, found, err := Shown(t.Context(), folder(t, map[string]string{"m/a.prom": metrics, "z.txt": "Dear diary\n"}), dump.GivenNames())
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Files) != 1 || found.Files[0].File != "m/a.prom" || len(found.NotUnderstood) == 0 {
		t.Errorf("%+v", found)
	}
}
