package hostboard_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/config/hostboard"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/hostinfo/hostinfotest"
	"railyard/internal/config/netconf"
	"railyard/internal/net/board"
	"railyard/internal/net/nccltopo"
)

// read reads a machine of testdata, with a change of its files.
func read(t testing.TB, machine string, change func(file, text string) string) *hostinfo.Host {
	t.Helper()
	paths, err := filepath.Glob("testdata/" + machine + "/*")
	if err != nil || len(paths) == 0 {
		t.Fatal(machine, err)
	}
	var files []netconf.File
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(p)
		if change != nil {
			text = []byte(change(name, string(text)))
		}
		files = append(files, netconf.File{Name: name, Text: text})
	}
	h, err := hostinfo.Read(machine, files)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range h.Unread {
		t.Errorf("%s: %s:%d: not understood: %s", machine, u.File, u.Line, u.Text)
	}
	return h
}

var machines = []string{"hgx-a100", "vm-h100"}

// The board of lspci, sysfs, lscpu and topo -m is the one that nccltopo reads in NCCL's file of the host: the same parts, PCIe
// links with kinds, CPUs, NVLinks of each GPU, and what NCCL calls each way. False if a bridge is counted twice, a link is
// taken from the wrong end, a switch of two levels is two, or a CPU is another.
func TestBoardIsNCCLs(t *testing.T) {
	for _, m := range machines {
		h := read(t, m, nil)
		mine, err := hostboard.Of(h)
		if err != nil {
			t.Fatal(err)
		}
		if d := hostboard.Differ(h); d != nil {
			t.Errorf("%s: %+v", m, d)
		}
		if d := hostboard.Ways(h); d != nil {
			t.Errorf("%s: %+v", m, d)
		}
		a, b := rows(h.NCCLBoard), rows(mine)
		if !slices.Equal(a, b) || len(a) < 20 {
			t.Errorf("%s: NCCL has\n%s\nthe host\n%s", m, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		for i, row := range nccltopo.Paths(h.NCCLBoard) {
			for k, p := range row {
				if own := nccltopo.Paths(mine)[i][k]; own != p {
					t.Errorf("%s: way %d to %d is %v to NCCL, %v by the host", m, i, k, p, own)
				}
			}
		}
	}
}

// rows are the PCIe links of a board by bus identifiers, its CPUs, and how many NVLinks each GPU has.
func rows(b *board.Board) (all []string) {
	called := func(i int) string {
		if b.Parts[i].Kind == board.CPU {
			return b.Parts[i].Name
		}
		return b.Parts[i].Name + " " + b.Parts[i].BusID
	}
	nvlinks := map[string]int{}
	for _, l := range b.Links {
		if strings.HasPrefix(l.Kind, "NVLink") {
			nvlinks[b.Parts[l.A].Name+" "+l.Kind] += l.Count
			continue
		}
		all = append(all, called(l.A)+" - "+called(l.B)+" "+l.Kind+" "+l.Rate.String())
	}
	for name, n := range nvlinks {
		all = append(all, name+" "+strings.Repeat("|", n))
	}
	for i := range b.Parts {
		if p := &b.Parts[i]; p.Kind == board.CPU {
			for _, w := range strings.Fields(p.Model) {
				if !strings.HasPrefix(w, "affinity=") {
					all = append(all, p.Name+" "+w)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// What differs is said of the part that it is about, and of no other.
func TestDifferencesAreSaid(t *testing.T) {
	replace := func(in, old, with string) func(file, text string) string {
		return func(file, text string) string {
			if file == in {
				if !strings.Contains(text, old) {
					t.Errorf("%s has no %s", file, old)
				}
				return strings.ReplaceAll(text, old, with)
			}
			return text
		}
	}
	for _, c := range []struct {
		machine, file, old, with, what, text string
	}{
		{"hgx-a100", "nccl.xml", `busid="0000:4f:00.0"`, `busid="0000:60:00.0"`, "GPU2",
			"NCCL has it at 0000:60:00.0, where lspci has no such device"},
		{"hgx-a100", "pci", "0000:05:00.0/max_link_width:16", "0000:05:00.0/max_link_width:8", "mlx5_0",
			"its link is PCIe 4.0 x16 to NCCL, and can be PCIe 4.0 x8"},
		{"hgx-a100", "pci", "0000:41:00.0/max_link_width:16", "0000:41:00.0/max_link_width:8", "GPU2",
			"the link above 0000:41:00.0 is PCIe 4.0 x16 to NCCL, and can be PCIe 4.0 x8"},
		{"hgx-a100", "pci", "/0000:41:00.0/0000:42:00.0/0000:46:00.0", "/0000:46:00.0", "mlx5_1",
			"below the PCIe switch 0000:41:00.0 to NCCL, below no PCIe switch to Linux"},
		{"vm-h100", "nccl.xml", `<cpu host_hash="0x1" numaid="1"`, `<cpu host_hash="0x1" numaid="2"`, "GPU4",
			"on CPU2 to NCCL, on CPU1 to Linux"},
		{"vm-h100", "topo", "NV18", "NV17", "GPU0", "18 NVLinks to NCCL, 17 to the driver"},
		{"hgx-a100", "infiniband", "device -> ../../../0000:05:00.0", "device -> ../../../0000:12:00.0", "mlx5_0",
			"at 0000:05:00.0 to NCCL, at 0000:12:00.0 to Linux"},
	} {
		h := read(t, c.machine, replace(c.file, c.old, c.with))
		found := false
		for _, d := range hostboard.Differ(h) {
			found = found || d.What == c.what && d.Text == c.text && d.At.Line > 0
			if c.what == "mlx5_0" && d.What != c.what && c.file != "infiniband" {
				t.Errorf("%s %s: %+v", c.machine, c.old, d)
			}
		}
		if !found {
			t.Errorf("%s: %s in place of %s: want %s: %s, got %+v", c.machine, c.with, c.old, c.what, c.text, hostboard.Differ(h))
		}
	}
	// Where nothing says what bridges are, two levels may be one to NCCL.
	h := read(t, "hgx-a100", func(file, text string) string {
		if file == "pci" {
			var kept []string
			for line := range strings.Lines(text) {
				if !strings.Contains(line, "vendor:") && !strings.Contains(line, "device:") {
					kept = append(kept, line)
				}
			}
			return strings.Join(kept, "")
		}
		return text
	})
	if d := hostboard.Differ(h); d != nil {
		t.Errorf("without identifiers: %+v", d)
	}
}

// Ways of the GPU driver are held against the tree, and SYS within a node is no difference: drivers have it so on hosts whose
// GPUs have a root port each.
func TestWays(t *testing.T) {
	const row = "GPU0\t X \tNV12\tNV12\tNV12\tNV12\tNV12\tNV12\tNV12\t"
	for _, c := range []struct {
		old, with string
		want      int
	}{
		{row + "PXB\tNODE", row + "PXB\tPIX", 1},
		{row + "PXB\tNODE", row + "SYS\tNODE", 1},
		{row + "PXB\tNODE\tSYS", row + "PXB\tNODE\tNODE", 1},
		{row + "PXB\tNODE", row + "PXB\tSYS", 0},
	} {
		h := read(t, "hgx-a100", func(file, text string) string {
			if file == "topo" {
				return strings.Replace(text, c.old, c.with, 1)
			}
			return text
		})
		if got := hostboard.Ways(h); len(got) != c.want {
			t.Errorf("%s: %+v", c.with, got)
		}
	}
}

// A NIC on the other CPU is moved beside its GPU; where each GPU has one nothing is.
func TestMend(t *testing.T) {
	for _, m := range machines {
		b, err := hostboard.Of(read(t, m, nil))
		if err != nil {
			t.Fatal(err)
		}
		if m == "vm-h100" {
			if got, moved := hostboard.Mend(b); got != nil {
				t.Errorf("%s: %v", m, moved)
			}
		}
	}
	for _, o := range hostinfotest.Folders {
		h, err := hostinfo.Read(o.Name, hostinfotest.Clean(o))
		if err != nil {
			t.Fatal(err)
		}
		b, err := hostboard.Of(h)
		if err != nil {
			t.Errorf("%s: %v", o.Name, err)
			continue
		}
		if got, moved := hostboard.Mend(b); got != nil {
			t.Errorf("%s: %v", o.Name, moved)
		}
		if _, err := nccltopo.Write(b); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
	far := hostinfotest.Option{Name: "far", GPUs: 4, Apart: 2}
	h, err := hostinfo.Read("far", hostinfotest.Clean(far))
	if err != nil {
		t.Fatal(err)
	}
	b, err := hostboard.Of(h)
	if err != nil {
		t.Fatal(err)
	}
	better, moved := hostboard.Mend(b)
	if !slices.Equal(moved, []string{"mlx5_1"}) || better == nil {
		t.Fatalf("moved %v", moved)
	}
	if again, twice := hostboard.Mend(better); again != nil {
		t.Errorf("a mended board is mended again: %v", twice)
	}
	way := func(b *board.Board) int { return len(b.Way(b.Named("GPU1"), b.Named("mlx5_1"))) }
	if way(b) != 4 || way(better) != 2 {
		t.Errorf("%d links from GPU1 to mlx5_1, mended %d", way(b), way(better))
	}
}

// What is not known is an error, not a board.
func TestWithoutATree(t *testing.T) {
	for _, text := range []string{
		"# railyard hosts: uname -r\n5.15.0\n# exit 0\n",
		"# railyard hosts: nvidia-smi -q\n\nGPU 00000000:1B:00.0\n    Product Name    : NVIDIA H100\n# exit 0\n",
	} {
		h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := hostboard.Of(h); err == nil {
			t.Errorf("%q: %+v", text, b)
		}
	}
}

// What is expected of topo -m is read by its reader as it was meant, and of the machines it is what their driver says.
func TestMatrix(t *testing.T) {
	for _, name := range []string{"hgx-h100", "hgx-a100", "mi300x", "cpu"} {
		b := board.Presets[name]()
		gpus, nics := hostboard.Seats(b, 8, 8)
		m := hostboard.Matrix(b, gpus, nics)
		h, err := hostinfo.Read("h", []netconf.File{{Name: "topo", Text: []byte("# railyard hosts: uname -r\n5.15.0\n# exit 0\n" +
			"# railyard hosts: nvidia-smi topo -m\n" + tabbed(m) + "# exit 0\n")}})
		if err != nil || len(h.Unread) > 0 {
			t.Fatalf("%s: %v %+v", name, err, h.Unread)
		}
		for i, row := range m[1:] {
			for k, cell := range row[1:] {
				if got := h.Paths[[2]string{m[0][i+1], m[0][k+1]}].Value; len(gpus) > 0 && i != k && got != cell {
					t.Errorf("%s: %s to %s is %s, read as %q", name, m[0][i+1], m[0][k+1], cell, got)
				}
			}
		}
	}
	for _, name := range machines {
		h := read(t, name, nil)
		b, err := hostboard.Of(h)
		if err != nil {
			t.Fatal(err)
		}
		gpus := b.Of(board.GPU)
		var nics []int
		for i := range h.RDMA {
			nics = append(nics, b.Named(h.RDMA[i].Name))
		}
		m := hostboard.Matrix(b, gpus, nics)
		driver := func(end string) string {
			if rest, is := strings.CutPrefix(end, "NIC"); is {
				return "mlx5_" + rest
			}
			return end
		}
		for i, row := range m[1:] {
			for k, cell := range row[1:] {
				if got := h.Paths[[2]string{driver(m[0][i+1]), driver(m[0][k+1])}].Value; i != k && got != cell {
					t.Errorf("%s: %s to %s is %s to the driver, want %s", name, m[0][i+1], m[0][k+1], got, cell)
				}
			}
		}
	}
}

// tabbed is a table as the driver prints it.
func tabbed(rows [][]string) string {
	var b strings.Builder
	for k, row := range rows {
		b.WriteString(strings.Join(row, "\t"))
		if k == 0 {
			b.WriteString("\tCPU Affinity")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// FuzzBoard holds whatever a host says: its board is an error or one that NCCL's form takes, and what is held against it ends.
func FuzzBoard(f *testing.F) {
	for _, m := range machines {
		var all []string
		for _, name := range []string{"pci", "lspci", "infiniband", "topo", "nccl.xml"} {
			text, _ := os.ReadFile("testdata/" + m + "/" + name) // one of the two trees is there
			all = append(all, string(text[:min(len(text), 4000)]))
		}
		f.Add(all[0], all[1], all[2], all[3], all[4])
	}
	f.Add("# railyard hosts: sysfs\n/sys/bus/pci/devices/0000:02:00.0 -> ../0000:01:00.0/0000:02:00.0\n"+
		"/sys/bus/pci/devices/0000:01:00.0 -> ../0000:02:00.0/0000:01:00.0\n/sys/bus/pci/devices/0000:02:00.0/class:0x030200\n# exit 0\n",
		"", "", "", "")
	f.Fuzz(func(t *testing.T, pci, lspci, ib, topo, dump string) {
		if len(pci)+len(lspci)+len(ib)+len(topo)+len(dump) > 1<<15 {
			return
		}
		h, err := hostinfo.Read("h", []netconf.File{{Name: "a", Text: []byte(pci)}, {Name: "b", Text: []byte(lspci)},
			{Name: "c", Text: []byte(ib)}, {Name: "d", Text: []byte(topo)}, {Name: "e", Text: []byte(dump)}})
		if err != nil {
			return
		}
		hostboard.Differ(h)
		hostboard.Ways(h)
		b, err := hostboard.Of(h)
		if err != nil {
			return
		}
		hostboard.Matrix(b, b.Of(board.GPU), b.Of(board.NIC))
		better, moved := hostboard.Mend(b)
		if better == nil {
			return
		}
		if _, err := nccltopo.Write(better); err != nil {
			t.Errorf("%v moved: %v", moved, err)
		}
	})
}

// Small trees: what hangs below what, by which link.
func TestTrees(t *testing.T) {
	device := func(path, class, speed, width string) string {
		a := path[strings.LastIndexByte(path, '/')+1:]
		p := "/sys/bus/pci/devices/" + a
		return p + " -> ../../../devices/" + path + "\n" + p + "/class:" + class + "\n" + p + "/numa_node:0\n" + p +
			"/max_link_speed:" + speed + " GT/s PCIe\n" + p + "/max_link_width:" + width + "\n"
	}
	const root = "pci0000:10/"
	for _, c := range []struct{ name, text, want string }{
		{"on a root port, whose speed and width are less", device(root+"0000:10:01.0", "0x060400", "16.0", "8") +
			device(root+"0000:10:01.0/0000:11:00.0", "0x030200", "32.0", "16"), "CPU0 - GPU0 0000:11:00.0 PCIe 4.0 x8"},
		{"in the root complex", device(root+"0000:10:02.0", "0x030200", "32.0", "16"), "CPU0 - GPU0 0000:10:02.0 PCIe 5.0 x16"},
		{"a switch without a root port", device(root+"0000:10:01.0", "0x060400", "32.0", "16") +
			device(root+"0000:10:01.0/0000:11:00.0", "0x060400", "32.0", "16") +
			device(root+"0000:10:01.0/0000:11:00.0/0000:12:00.0", "0x030200", "32.0", "16"),
			"CPU0 - PCIe1 0000:10:01.0 PCIe 5.0 x16; PCIe1 0000:10:01.0 - GPU0 0000:12:00.0 PCIe 5.0 x16"},
		{"above itself", device(root+"0000:12:00.0/0000:11:00.0", "0x060400", "32.0", "16") +
			device(root+"0000:11:00.0/0000:12:00.0", "0x030200", "32.0", "16"), "CPU0 - GPU0 0000:12:00.0 PCIe 5.0 x16"},
	} {
		h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte("# railyard hosts: sysfs\n" + c.text + "# exit 0\n" +
			"# railyard hosts: lspci -D\n# exit 0\n")}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := hostboard.Of(h)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var links []string
		for _, r := range rows(b) {
			if k := strings.LastIndex(r, " PCIe "); k > 0 && strings.Contains(r, " - ") {
				links = append(links, strings.Join(strings.Fields(r)[:len(strings.Fields(r))-1], " "))
			}
		}
		if got := strings.Join(links, "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// GPUs with as many NVLinks to each other as they have are joined without an NVSwitch.
	text := "# railyard hosts: lspci -D -vv\n"
	for _, a := range []string{"06", "07", "0a"} {
		text += "0000:" + a + ":00.0 3D controller: NVIDIA Corporation GV100GL [Tesla V100 SXM2 32GB]\n\tNUMA node: 0\n"
	}
	text += "# exit 0\n# railyard hosts: nvidia-smi topo -m\n\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\t X \tNV3\tNV3\t0-3\n" +
		"GPU1\tNV3\t X \tNV3\t0-3\nGPU2\tNV3\tNV3\t X \t0-3\n# exit 0\n"
	h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := hostboard.Of(h)
	if err != nil || len(b.Of(board.NVSwitch)) > 0 || len(b.Links) != 6 {
		t.Errorf("%v: %+v", err, b)
	}
}

// The file is what NCCL would write: classes, links, what a port carries by its rate or its interface, and two functions of a card as one.
func TestText(t *testing.T) {
	const text = `# railyard hosts: lspci -D -vv
0000:10:01.0 PCI bridge: root
	NUMA node: 0
	Bus: primary=10, secondary=11, subordinate=11, sec-latency=0
		LnkCap:	Port #0, Speed 32GT/s, Width x16
0000:11:00.0 3D controller: NVIDIA Corporation GH100 [H100 NVL]
	NUMA node: 0
		LnkCap:	Port #0, Speed 32GT/s, Width x16
0000:20:01.0 3D controller: NVIDIA Corporation GH100 [H100 NVL]
	NUMA node: 0
		LnkCap:	Port #0, Speed 32GT/s, Width x8
0000:30:00.0 Ethernet controller: card
	NUMA node: 1
0000:30:00.1 Ethernet controller: card
	NUMA node: 1
# exit 0
# railyard hosts: sysfs
/sys/class/infiniband/mlx5_0/device -> ../../../0000:30:00.0
/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)
/sys/class/infiniband/mlx5_1/device -> ../../../0000:30:00.1
/sys/class/infiniband/mlx5_1/device/net/eth1
# exit 0
# railyard hosts: ethtool eth1
Settings for eth1:
	Speed: 200000Mb/s
# exit 0
# railyard hosts: nvidia-smi topo -m
	GPU0	GPU1	CPU Affinity
GPU0	 X 	NV12	0-3
GPU1	NV12	 X 	0-3
# exit 0
`
	h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(text)}})
	if err != nil || len(h.Unread) > 0 {
		t.Fatal(err, h.Unread)
	}
	const want = `<system version="1">
  <cpu numaid="0">
    <pci busid="0000:11:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="90" gdr="1">
        <nvlink target="0000:20:01.0" count="12" tclass="0x030200"/>
      </gpu>
    </pci>
    <pci busid="0000:20:01.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="8">
      <gpu dev="1" sm="90" gdr="1">
        <nvlink target="0000:11:00.0" count="12" tclass="0x030200"/>
      </gpu>
    </pci>
  </cpu>
  <cpu numaid="1">
    <pci busid="0000:30:00.0" class="0x020000">
      <nic>
        <net name="mlx5_0" speed="400000" port="1" gdr="1"/>
        <net name="mlx5_1" speed="200000" port="2" gdr="1"/>
      </nic>
    </pci>
  </cpu>
</system>
`
	if got, err := hostboard.Text(h); err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// Each GPU of a box sits beside a NIC of its own, of all of them the table has a row, and NVLinks of two GPUs are those between them.
func TestSeatsAndRows(t *testing.T) {
	b := board.Presets["hgx-h100"]()
	gpus, nics := hostboard.Seats(b, 8, 8)
	m := hostboard.Matrix(b, gpus, nics)
	if len(gpus) != 8 || len(nics) != 8 || len(m) != 17 {
		t.Fatalf("%d GPUs, %d NICs, %d rows", len(gpus), len(nics), len(m))
	}
	for i := range 8 {
		if way := m[1+i][9+i]; way != "PIX" && way != "PXB" {
			t.Errorf("GPU%d to NIC%d: %s", i, i, way)
		}
	}
	if _, few := hostboard.Seats(b, 8, 3); len(few) != 3 {
		t.Errorf("%d NICs, want 3", len(few))
	}
	text := "# railyard hosts: lspci -D -vv\n"
	for _, a := range []string{"06", "07", "0a"} {
		text += "0000:" + a + ":00.0 3D controller: NVIDIA Corporation GV100GL [Tesla V100 SXM2 32GB]\n\tNUMA node: 0\n"
	}
	text += "# exit 0\n# railyard hosts: nvidia-smi topo -m\n\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\t X \tNV2\tNV1\t0-3\n" +
		"GPU1\tNV2\t X \tNV1\t0-3\nGPU2\tNV1\tNV1\t X \t0-3\n# exit 0\n"
	h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if b, err = hostboard.Of(h); err != nil {
		t.Fatal(err)
	}
	if m := hostboard.Matrix(b, b.Of(board.GPU), nil); m[1][2] != "NV2" || m[1][3] != "NV1" || m[2][3] != "NV1" {
		t.Errorf("%q", m)
	}
}

// Where nothing says what is above devices the text is an error by itself; a device of no known node is on CPU -1 where there are
// several, and a number in the driver's table is no NVLink.
func TestTextOfLittle(t *testing.T) {
	const head = "# railyard hosts: lspci -D -vv\n0000:11:00.0 3D controller: NVIDIA Corporation GH100\n" +
		"0000:21:00.0 3D controller: NVIDIA Corporation GH100\n"
	for _, c := range []struct{ text, want string }{
		{head + "# exit 1\n# railyard hosts: nvidia-smi -q\nGPU 00000000:11:00.0\n    Product Name : H100\n# exit 0\n", ""},
		{head + "# exit 0\n# railyard hosts: numactl -H\navailable: 2 nodes (0-1)\n# exit 0\n", `<cpu numaid="-1">`},
		{head + "# exit 0\n# railyard hosts: numactl -H\navailable: 1 nodes (0)\n# exit 0\n", `<cpu numaid="0">`},
		{head + "# exit 0\n# railyard hosts: nvidia-smi topo -m\n\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \t12\t0-3\n" +
			"GPU1\t12\t X \t0-3\n# exit 0\n",
			`<gpu dev="0" sm="90" gdr="1"/>`},
	} {
		h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(c.text)}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := hostboard.Text(h); (err != nil) != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, want %s in %s", c.text, err, c.want, got)
		}
	}
}

// A way that the driver has pass no CPU, between two root ports, is told, though each has only its port above.
func TestWaysBetweenRootPorts(t *testing.T) {
	const text = `# railyard hosts: lspci -D -vv
0000:10:01.0 PCI bridge: root
	Bus: primary=10, secondary=11, subordinate=11, sec-latency=0
0000:11:00.0 3D controller: NVIDIA Corporation GH100
	NUMA node: 0
0000:20:01.0 PCI bridge: root
	Bus: primary=20, secondary=21, subordinate=21, sec-latency=0
0000:21:00.0 Ethernet controller: card
	NUMA node: 0
# exit 0
# railyard hosts: sysfs
/sys/class/infiniband/mlx5_0/device -> ../../../0000:21:00.0
# exit 0
# railyard hosts: nvidia-smi topo -m
	GPU0	mlx5_0	CPU Affinity
GPU0	 X 	PIX	0-3
mlx5_0	PIX	 X 	
# exit 0
`
	h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if d := hostboard.Ways(h); len(d) != 1 || !strings.HasSuffix(d[0].Text, "no bridge is above both") {
		t.Errorf("%+v", d)
	}
}
