package hostinfo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/netconf"
)

// Outputs as people post them, with their prompts, pipes, lost blanks and a terminal's escapes (testdata/public, typed anew with
// other names and addresses; docs/hosts.md names where their forms are from): read together and one by one, every line that
// matters is understood. The issue asks for 90 %.
func TestPublicOutputs(t *testing.T) {
	paths, err := filepath.Glob("testdata/public/*")
	if err != nil || len(paths) < 15 {
		t.Fatal(paths, err)
	}
	var all []netconf.File
	var lines netconf.Lines
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		f := netconf.File{Name: filepath.Base(p), Text: text}
		all = append(all, f)
		h, err := hostinfo.Read("h", []netconf.File{f})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		for _, u := range h.Unread {
			t.Errorf("%s:%d: not understood: %s", u.File, u.Line, u.Text)
		}
		lines.Understood += h.Lines.Understood
		lines.Unread += h.Lines.Unread
	}
	if 10*lines.Understood < 9*(lines.Understood+lines.Unread) || lines.Understood < 120 {
		t.Errorf("%d lines that matter understood, %d not", lines.Understood, lines.Unread)
	}
	t.Logf("%d lines that matter understood, %d not, in %d outputs", lines.Understood, lines.Unread, len(paths))
	h, err := hostinfo.Read("h", all)
	if err != nil {
		t.Fatal(err)
	}
	gids := 0
	for _, r := range h.RDMA {
		gids += len(r.GIDs)
	}
	got := fmt.Sprint(h.Paths[[2]string{"GPU2", "mlx5_2"}].Value, " ", h.NetdevCalled("eth2").PFC.Value[3], " ", gids, " ",
		h.NetdevCalled("p1p1").MTU.Value, " ", h.NetdevCalled("p3p1").Counters["rx_prio3_pause"].Value, " ",
		h.Device("0000:b3:00.0").Is.String(), " ", h.Device("0000:da:00.0").IDs, " ", h.Routes[len(h.Routes)-1].Table, " ",
		h.NetdevCalled("eni1np1").Priority[24].Value, " ", h.CPU["arch"].Value, " ", h.NCCLSays.Value, " ", h.Heard[0].System, " ",
		h.NetdevCalled("bond0").Bond.Value, " ", h.Driver.Value, " ", len(h.Events))
	const want = "PIX true 4 1500 17 4.0 x16 [0x10de 0x20b0  ] 101 3 aarch64 2.10.3 leaf1.example.net " +
		"IEEE 802.3ad Dynamic link aggregation 570.86.15 2"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	// What went through grep is not all there is: nothing rests on what it does not say.
	if h.Complete(hostinfo.Lsmod) || h.Complete(hostinfo.Dmesg) || !h.Complete(hostinfo.IPRule) {
		t.Error("what grep has left out is not there")
	}
}

// What the folders put together from public lines (testdata/hosts) say, by the forms that were not read before these were looked at.
// False if one is taken for another's value.
func TestPublicHosts(t *testing.T) {
	folder := func(name string) *hostinfo.Host {
		paths, err := filepath.Glob(filepath.Join("testdata/hosts", name, "*"))
		if err != nil {
			t.Fatal(err)
		}
		var files []netconf.File
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, netconf.File{Name: filepath.Base(p), Text: text})
		}
		h, err := hostinfo.Read(name, files)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	slots, bcm, talos := folder("h100-slots"), folder("h100-pcie-bcm"), folder("h100-talos")
	plx, thor := folder("plx-8gpu"), folder("mi300x-thor2")
	_, ring := thor.NetdevCalled("ens26np0").Counters["rx_discards"]
	got := fmt.Sprint(slots.NetdevCalled("ens2np0").Addresses[0].Value, " ", slots.NetdevCalled("eno1").Up.Value, " ",
		slots.NetdevCalled("ens12f0np0").Up.Value, " ", slots.NetdevCalled("lo").Up.Known(), " ", bcm.MemLock.Value, " ",
		bcm.NetdevCalled("enp194s0f0np0").PFC.Value, " ", len(talos.GPUAddresses()), " ", talos.GPUAddresses()[7], " ",
		plx.Paths[[2]string{"GPU0", "mlx5_0"}].Value, " ", thor.NetdevCalled("ens26np0").Counters["rx_fcs_err_frames"].Known(), " ", ring)
	const want = "198.51.100.2/31 false true true -1 [false false false true false false false false] 8 0000:1d:00.0 SYS true false"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The way between sockets is SOC to old drivers. False if H14 takes it for a short one.
func TestOldNameOfSYS(t *testing.T) {
	text := hostinfo.Header + "nvidia-smi topo -m\n\tGPU0\tmlx5_0\tCPU Affinity\nGPU0\t X \tSOC\t0-13\nmlx5_0\tSOC\t X \t\n# exit 0\n"
	h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(text)}})
	if err != nil || h.Paths[[2]string{"GPU0", "mlx5_0"}].Value != "SYS" || h.Paths[[2]string{"mlx5_0", "GPU0"}].Value != "SYS" {
		t.Errorf("%+v %v", h, err)
	}
}
