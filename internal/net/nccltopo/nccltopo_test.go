package nccltopo

import (
	"bytes"
	"encoding/xml"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/net/board"
)

func read(t testing.TB, src string) *board.Board {
	t.Helper()
	b, err := Read("dump.xml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// grid shows the kinds of path as nvidia-smi topo -m does.
func grid(b *board.Board) string {
	var s strings.Builder
	ends := Ends(b)
	for i, row := range Paths(b) {
		s.WriteString(b.Parts[ends[i]].Name)
		for _, p := range row {
			s.WriteString(" " + p.String())
		}
		s.WriteString("\n")
	}
	return s.String()
}

// What others write is read as far as it goes: comments, unknown elements, numbers in disorder, speeds in every
// form, absent attributes and GPUs.
func TestReadTolerates(t *testing.T) {
	src, err := os.ReadFile("testdata/two-switches.xml")
	if err != nil {
		t.Fatal(err)
	}
	b := read(t, string(src))
	var links []string
	for _, row := range b.Rows()[1:] {
		links = append(links, strings.Join(row, " | "))
	}
	want := []string{
		"CPU1 | PCIe1 | 1 | 31.5 GB/s | PCIe 4.0 x16",
		"CPU1 | CPU0 | 1 | unknown | between sockets",
		"PCIe1 | PCIe2 | 1 | 31.5 GB/s | PCIe 4.0 x16",
		"PCIe1 | mlx5_1 | 1 | 7.875 GB/s | PCIe 3.0 x8",
		"PCIe2 | GPU2 | 1 | 31.5 GB/s | PCIe 4.0 x16",
		"GPU2 | GPU0 | 2 | 50 GB/s | NVLink 3",
		"CPU0 | PCIe3 | 1 | 63 GB/s | PCIe 5.0 x16",
		"CPU0 | eth0 | 1 | unknown | virtual device",
		"PCIe3 | GPU0 | 1 | unknown | PCIe",
		"PCIe3 | GPU1 | 1 | unknown | PCIe",
		"PCIe3 | mlx5_0 | 1 | 31.5 GB/s | PCIe 4.0 x16",
		"GPU0 | GPU1 | 1 | unknown | NVLink",
	}
	if d := cmp.Diff(want, links); d != "" {
		t.Error(d)
	}
	// GPU1 reaches GPU2 by way of GPU0. No NIC is reached by another GPU: NCCL looks for rates first, GPU2 with sixteen
	// lanes has more to mlx5_0 across the sockets than to mlx5_1, with eight, and so has GPU2 than GPU0, whose rate is
	// unknown and taken as that of sixteen lanes of the third generation.
	const paths = `GPU2 X NVL NVB PXB SYS SYS
GPU0 NVL X NVL SYS PIX PHB
GPU1 NVB NVL X SYS PIX PHB
mlx5_1 PXB SYS SYS X SYS SYS
mlx5_0 SYS PIX PIX SYS X PHB
eth0 SYS PHB PHB SYS PHB X
`
	if d := cmp.Diff(paths, grid(b)); d != "" {
		t.Error(d)
	}
}

// NCCL's names for the ways of an HGX H100 as its data sheet has it, and of others.
func TestPathsOfPresets(t *testing.T) {
	for _, c := range []struct {
		preset, from, to string
		want             Path
	}{
		{"hgx-h100", "GPU0", "GPU7", NVL},
		{"hgx-h100", "GPU0", "NIC0", PIX},
		{"hgx-h100", "GPU0", "NIC1", PIX},
		{"hgx-h100", "GPU0", "NIC2", PXN}, // through the CPU otherwise
		{"hgx-h100", "GPU0", "NIC7", PXN},
		{"hgx-h100", "NIC0", "NIC2", PHB},
		{"hgx-h100", "NIC0", "NIC7", SYS},
		{"hgx-h100-shared", "GPU7", "NIC0", PXN},
		{"mi300x", "GPU0", "GPU5", NVL},
		{"gb200-nvl72", "GPU0", "GPU71", NVL},
		{"gb200-nvl72", "GPU0", "NIC0", P2C}, // C2C, the CPU, PCIe
		{"hgx-h100", "NIC2", "GPU0", PHB},    // PXN is from GPU to NIC alone
		{"cpu", "NIC0", "NIC0", LOC},
	} {
		b := board.Presets[c.preset]()
		ends, table := Ends(b), Paths(b)
		index := func(name string) int {
			return slices.IndexFunc(ends, func(i int) bool { return b.Parts[i].Name == name })
		}
		if got := table[index(c.from)][index(c.to)]; got != c.want {
			t.Errorf("%s: %s to %s is %v, want %v", c.preset, c.from, c.to, got, c.want)
		}
	}
}

// A board that is written and read has the same ways; read and written again it is the same.
func TestRoundTrip(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(board.Presets)) {
		b := board.Presets[name]()
		if name == "gb200-nvl72" {
			continue // a rack: nothing but NVLink joins its trays, and a file is of one host
		}
		src, err := Write(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again := read(t, string(src))
		if len(again.Parts) != len(b.Parts) {
			t.Errorf("%s: %d parts, want %d", name, len(again.Parts), len(b.Parts))
		}
		if d := cmp.Diff(sorted(grid(b)), sorted(grid(again))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		checkAgain(t, again)
	}
}

// sorted is a grid whose ends may stand in another order: how many ways of each kind each has.
func sorted(grid string) (rows []string) {
	for line := range strings.Lines(grid) {
		words := strings.Fields(line)
		slices.Sort(words[1:])
		rows = append(rows, strings.Join(words, " "))
	}
	slices.Sort(rows)
	return rows
}

// checkAgain holds that a board that was read is written and read as itself.
func checkAgain(t testing.TB, b *board.Board) {
	t.Helper()
	src, err := Write(b)
	if err != nil {
		t.Fatal(err)
	}
	again := read(t, string(src))
	again.Notes = b.Notes // of how it was read
	if d := cmp.Diff(b, again); d != "" {
		t.Errorf("%s\n%s", d, src)
	}
}

// A device that hangs on no bus is below each CPU of a dump: its NICs are told apart, and written and read as they are.
func TestNamesTwice(t *testing.T) {
	b := read(t, "<system><cpu><nic><net name='a'/><net name='b'/></nic></cpu><cpu><nic><net name='a'/><net name='b'/></nic></cpu>"+
		"<cpu><nic><net name='a'/><net name='b'/></nic></cpu></system>")
	var nics []string
	for _, p := range b.Parts {
		if p.Kind == board.NIC {
			nics = append(nics, p.Name)
		}
	}
	if d := cmp.Diff([]string{"a+b", "a+b#2", "a+b#3"}, nics); d != "" || len(b.Notes) == 0 {
		t.Error(d, b.Notes)
	}
	checkAgain(t, b)
}

// What is wrong is said with its line, all of it at once.
func TestWrongFiles(t *testing.T) {
	for src, want := range map[string]string{
		"": "dump.xml: no element system, want a topology as NCCL_TOPO_DUMP_FILE writes it",
		"<graphs/>": "dump.xml: channels that NCCL searched (NCCL_GRAPH_DUMP_FILE), want the topology beside them, as " +
			"NCCL_TOPO_DUMP_FILE writes it",
		"<system></system>":          "dump.xml: no cpu in system, want at least one",
		"<system>\n<cpu>\n</system>": "dump.xml:3:1: not XML: element <cpu> closed by </system>",
		"<system>\n<cpu numaid='x'/>\n<cpu numaid='1'/><cpu numaid='01'/></system>": "dump.xml:2:1: cpu: numaid x: want a number from 0\n" +
			"dump.xml:3:1: cpu: numaid 1: of another cpu too, want one of its own, and one host in a file",
		"<system><cpu>\n<pci link_width='99'><gpu dev='-1'/></pci></cpu></system>": "dump.xml:2:1: gpu: dev -1: want a number from 0\n" +
			"dump.xml:2:1: pci: link_width 99: want 0 (unknown) to 32",
		"<system><cpu><pci busid='a'><gpu>\n<nvlink target='b' count='0'/></gpu></pci></cpu></system>": "dump.xml:2:1: nvlink: count 0: " +
			"want 1 to 1024",
		"<system><cpu><pci busid='a'><gpu/></pci>\n<pci busid='A'><gpu/></pci></cpu></system>": "dump.xml:2:1: pci: busid a: of " +
			"another GPU too, want one of its own",
		"<system><cpu><pci busid='a'/><pci busid='b'/></cpu></system>": "dump.xml: no GPU and no NIC: 2 devices say neither a class nor " +
			"what is in them, as NCCL looks that up on the host: want a class, or what NCCL_TOPO_DUMP_FILE writes there",
		strings.Repeat("<a>", 40): "dump.xml: more than 4096 elements, or nested deeper than 32: not a host",
	} {
		_, err := Read("dump.xml", []byte(src))
		if err == nil || strings.TrimSpace(err.Error()) != want {
			t.Errorf("%q:\n got %v\nwant %s", src, err, want)
		}
	}
}

var folder = flag.String("folder", "", "XML files that TestFolder reads")

// TestFolder reads the files of a folder: each board has as many GPUs and NICs as its file has elements gpu and nic, or,
// where it has none, devices of their classes with nothing in them; and it is written and read as itself.
//
// By hand: go test ./internal/net/nccltopo -run Folder -folder DIR -v
func TestFolder(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(*folder, "*.xml"))
	if *folder == "" {
		files = []string{"testdata/two-switches.xml"}
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Read(filepath.Base(file), src)
		if err != nil {
			t.Logf("%v", err)
			continue
		}
		checkAgain(t, b)
		got := map[board.Kind]int{}
		for _, p := range b.Parts {
			got[p.Kind]++
		}
		want := map[string]int{}
		var open []xml.StartElement
		filled := true
		for d := xml.NewDecoder(bytes.NewReader(src)); ; {
			tok, err := d.Token()
			if err != nil {
				break
			}
			switch e := tok.(type) {
			case xml.StartElement:
				open, filled = append(open, e.Copy()), false
				want[e.Name.Local]++
			case xml.EndElement:
				for _, a := range open[len(open)-1].Attr {
					if !filled && a.Name.Local == "class" && len(a.Value) > 4 {
						want[a.Value[:4]]++
					}
				}
				open, filled = open[:len(open)-1], true
			}
		}
		for kind, names := range map[board.Kind][2]string{board.GPU: {"gpu", "0x03"}, board.NIC: {"nic", "0x02"}} {
			n := want[names[0]]
			if n == 0 {
				n = want[names[1]]
			}
			if got[kind] != n {
				t.Errorf("%s: %d of kind %v, want %d", file, got[kind], kind, n)
			}
		}
		t.Logf("%s: %d GPUs, %d NICs", filepath.Base(file), got[board.GPU], got[board.NIC])
	}
}

func FuzzRead(f *testing.F) {
	src, err := os.ReadFile("testdata/two-switches.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(src))
	f.Add("<system><cpu><pci busid='n'><nic/></pci><pci><gpu><nvlink target='n'/></gpu></pci></cpu></system>")
	f.Add("<system><cpu><nic/><pci><gpu><c2c bw='1' count='2'/><xgmi target='x'/></gpu></pci></cpu></system>")
	f.Add("<system><cpu><pci busid='s' class='0x060400'><pci busid='s' class='0x0302'/><pci class='0x0207'/></pci></cpu></system>")
	f.Add("<system><cpu><nic><net name='a'/><net name='b'/></nic></cpu><cpu><nic><net name='a'/><net name='b'/></nic></cpu></system>")
	f.Add("<system><cpu><pci><nic><net name='a' dev='1' guid='0x5'/><net name='b' port='2'/></nic></pci></cpu></system>")
	f.Fuzz(func(t *testing.T, src string) {
		b, err := Read("dump.xml", []byte(src))
		if err != nil {
			return
		}
		Paths(b)
		checkAgain(t, b)
	})
}
