package hostlint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/hostlint"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
)

// publicHosts are folders put together from lines that people have published, typed anew (SOURCES.md there names them).
const publicHosts = "../hostinfo/testdata/hosts"

func publicTexts(t testing.TB, folder string) texts {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(publicHosts, folder, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatal(folder, err)
	}
	x := texts{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		x[filepath.Base(p)] = string(text)
	}
	return x
}

// Nothing is found in them, and every line that matters is understood. False if a reader is blind to a form that is about, or a
// rule fires on what is well.
func TestPublicFolders(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(publicHosts, "*", "lspci"))
	if err != nil || len(dirs) < 8 {
		t.Fatal(dirs, err)
	}
	entries, err := os.ReadDir(publicHosts)
	if err != nil {
		t.Fatal(err)
	}
	var lines netconf.Lines
	folders := 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		folders++
		h := publicTexts(t, e.Name()).read(t, e.Name())
		lines.Understood += h.Lines.Understood
		lines.Known += h.Lines.Known
		lines.Unread += h.Lines.Unread
		for _, f := range hostlint.Check([]*hostinfo.Host{h}, nil) {
			t.Errorf("%s: %s %s %s:%d: %s", e.Name(), f.Severity, f.Rule, f.File, f.Line, f.Text)
		}
		sources, err := os.ReadFile(filepath.Join(publicHosts, "SOURCES.md"))
		if err != nil || !strings.Contains(string(sources), "\n## "+e.Name()+"\n") {
			t.Errorf("%s: no sources (%v)", e.Name(), err)
		}
	}
	if folders != 12 || lines.Understood < 7500 || lines.Unread > 0 {
		t.Errorf("%d folders, %+v", folders, lines)
	}
	t.Logf("%d lines that matter are understood, %d not, in %d folders; %d are of no matter", lines.Understood,
		lines.Unread, folders,
		lines.Known)
}

// A pair is a mistake in a public folder, which must be found at a line, and what looks like it there and is none.
type pair struct {
	rule     string
	severity lint.Severity
	folder   string
	at       string
	mistake  []edit
	miss     []edit
}

func one(e edit) []edit { return []edit{e} }

var pairs = []pair{
	{"H10", lint.Error, "a100x-cx6dx", "Width x8 (downgraded)",
		one(sub("session", "b3:00.0 Ethernet", "Width x16 (ok)", "Width x8 (downgraded)")),
		one(sub("session", "3b:00.0 3D", "Speed 2.5GT/s (downgraded)", "Speed 5GT/s (downgraded)"))},
	// the link of an idle GPU
	{"H01", lint.Error, "a100x-cx6dx", "NCCL_IB_GID_INDEX=1", one(sub("session", "", "GID_INDEX=3", "GID_INDEX=1")),
		one(sub("session", "", "GID_INDEX=3", "GID_INDEX=-1"))},
	{"H04", lint.Error, "a100x-cx6dx", "NCCL_IB_TC=104", one(sub("session", "", "TC=106", "TC=104")),
		one(sub("session", "", "TC=106", "TC=105"))},
	{"H03", lint.Error, "a100x-cx6dx", "trust state: pcp",
		one(sub("session", "", "trust state: dscp", "trust state: pcp")),
		one(sub("session", "", "Firmware controlled", "OS controlled"))},
	{"H07", lint.Error, "a100x-cx6dx", "RX:\t\ton", one(sub("session", "Pause parameters", "RX:\t\toff", "RX:\t\ton")),
		one(sub("session", "Pause parameters", "Autonegotiate:\toff", "Autonegotiate:\ton"))},
	{"H08", lint.Error, "a100x-cx6dx", "default via 192.0.2.254",
		one(sub("session", "", "32759:\tfrom 198.51.100.17 lookup 102\n", "")),
		one(sub("session", "", "from 198.51.100.17 lookup", "from 198.51.100.16/28 lookup"))},
	{"H10", lint.Error, "dgx-a100", "Width x8 (ok)",
		one(sub("lspci", "0000:04:00.0 3D", "LnkSta:\tSpeed 16GT/s (ok), Width x16",
			"LnkSta:\tSpeed 16GT/s (ok), Width x8")), one(sub("lspci", "0000:04:00.0 3D", "LnkSta:\tSpeed 16GT/s (ok)",
			"LnkSta:\tSpeed 2.5GT/s (downgraded)"))},
	{"H11", lint.Error, "dgx-a100", "ReqRedir+ CmpltRedir-", one(sub("lspci", "ACSCtl", "ReqRedir-", "ReqRedir+")),
		one(sub("lspci", "ACSCtl", "SrcValid-", "SrcValid+"))},
	{"H12", lint.Error, "dgx-a100", "20/type:DMA-FQ", one(sub("iommu", "", "20/type:identity", "20/type:DMA-FQ")),
		one(sub("iommu", "", "/sys", "/sys/kernel/iommu_groups/99/type:DMA-FQ\n/sys"))},
	{"H13", lint.Warning, "dgx-a100", "RlxdOrd-", one(sub("lspci", "ConnectX-6]", "RlxdOrd+", "RlxdOrd-")),
		one(sub("lspci", "PCI bridge", "RlxdOrd+", "RlxdOrd-"))},
	{"H20", lint.Error, "dgx-a100", "mlx5_0/ports/1/counters/symbol_error:4",
		one(sub("infiniband", "", "symbol_error:0", "symbol_error:4")),
		one(sub("infiniband", "", "port_xmit_wait:0", "port_xmit_wait:881204"))},
	{"H19", lint.Warning, "dgx-a100", "20.31.1014", one(sub("ibv_devinfo", "mlx5_2", "20.28.4512", "20.31.1014")),
		one(sub("ibv_devinfo", "mlx5_3", "20.28.4512", "20.31.1014"))}, // a port that is down
	{"H16", lint.Error, "dgx-a100", "nvidia  ", one(sub("lsmod", "", "nvidia_peermem         16384  0\n", "")),
		one(sub("lsmod", "", "nvidia_peermem   ", "nv_peer_mem      "))},
	{"H23", lint.Warning, "dl380-vfs", "sriov_numvfs:4", one(sub("pci", "", "sriov_numvfs:8", "sriov_numvfs:4")),
		one(every("pci", "sriov_numvfs:8", "sriov_numvfs:4"))},
	{"H23", lint.Error, "dl380-vfs", "sriov_numvfs:64", one(every("pci", "sriov_numvfs:8", "sriov_numvfs:64")),
		one(every("pci", "sriov_numvfs:8", "sriov_numvfs:63"))},
	{"H05", lint.Warning, "dl380-vfs", "cnp_dscp:46", one(sub("net", "enp134s0", "cnp_dscp:48", "cnp_dscp:46")),
		one(sub("net", "enp134s0", "roce_np/enable/6:1", "roce_np/enable/6:0"))},
	{"H06", lint.Error, "dl380-vfs", "roce_rp/enable/3:0",
		one(sub("net", "enp134s0", "roce_rp/enable/3:1", "roce_rp/enable/3:0")),
		one(sub("net", "enp134s0", "roce_rp/enable/5:1", "roce_rp/enable/5:0"))},
	{"H04", lint.Error, "dl380-vfs", "tclass=104", one(sub("infiniband", "mlx5_1", "tclass=106", "tclass=104")),
		one(sub("infiniband", "mlx5_1", "tclass=106", "tclass=105"))},
	{"H02", lint.Warning, "dl380-vfs", "mtu 1500 qdisc mq", one(sub("ip-addr", "enp134s0", "mtu 9000", "mtu 1500")),
		one(every("ip-addr", "mtu 9000", "mtu 4200"))},
	{"H09", lint.Error, "dl380-vfs", "enp134s0.rp_filter = 1", one(sub("sysctl", "enp134s0.rp", "= 0", "= 1")),
		one(sub("sysctl", "enp134s0.rp", "= 0", "= 2"))},
	{"H10", lint.Error, "dl380-vfs", "Speed 5GT/s, Width x8, TrErr-",
		one(sub("lspci", "640FLR", "LnkSta:\tSpeed 8GT/s", "LnkSta:\tSpeed 5GT/s")),
		one(sub("lspci", "Virtual Function", "LnkSta:\tSpeed unknown, Width x0", "LnkSta:\tSpeed 2.5GT/s, Width x1"))},
	{"H24", lint.Error, "h100-supermicro", "NET/IB : Using", one(sub("nccl.log", "", " [2]mlx5_2:1/RoCE", "")),
		[]edit{sub("nccl.log", "", " [2]mlx5_2:1/RoCE", ""), sub("environment", "", "mlx5_2,", "")}},
	{"H18", lint.Warning, "h100-supermicro", "cpu3/cpufreq/scaling_governor:powersave",
		one(sub("governors", "cpu3", "performance", "powersave")),
		one(every("governors", `(?m)^.*cpu3/.*\n`, ""))},
	{"H20", lint.Error, "h100-supermicro", "rx_pcs_symbol_err_phy: 3",
		one(sub("ethtool-S", "", "rx_pcs_symbol_err_phy: 0",
			"rx_pcs_symbol_err_phy: 3")), one(sub("ethtool-S", "", "rx_err_lane_0_phy: 22031",
			"rx_err_lane_0_phy: 9922031"))}, // before FEC
	{"H20", lint.Warning, "h100-supermicro", "rx_out_of_buffer: 12",
		one(sub("ethtool-S", "", "rx_out_of_buffer: 0", "rx_out_of_buffer: 12")),
		one(sub("ethtool-S", "", "rx_steer_missed_packets: 114", "rx_steer_missed_packets: 114000"))},
	{"H17", lint.Warning, "h100-supermicro", "65536", one(sub("ulimit", "", "unlimited", "65536")),
		one(sub("ulimit", "", "unlimited", "67108864"))},
	{"H16", lint.Error, "h100-supermicro", "GDR_LEVEL=LOC",
		one(sub("environment", "", "NCCL_DEBUG=INFO", "NCCL_NET_GDR_LEVEL=LOC")),
		one(sub("environment", "", "NCCL_DEBUG=INFO", "NCCL_NET_GDR_LEVEL=SYS"))},
	{"H25", lint.Warning, "h100-supermicro", "32767 from all", one(sub("ip-rule", "", "32767:\tfrom", "32767 from")),
		one(sub("ip-addr", "", "valid_lft forever", "valid_lft 3600sec"))},
	{"H03", lint.Error, "h100-supermicro", "enabled     0   0   0   0   1",
		one(sub("mlnx_qos", "", "enabled     0   0   0   1   0",
			"enabled     0   0   0   0   1")),
		one(sub("mlnx_qos", "", "buffer      0   0   0   1   0", "buffer      0   0   0   0   1"))},
	{"H10", lint.Error, "h100-supermicro", "Speed 16GT/s (downgraded)",
		one(sub("lspci", "[ConnectX-7]", "LnkSta:\tSpeed 32GT/s (ok)",
			"LnkSta:\tSpeed 16GT/s (downgraded)")),
		[]edit{sub("lspci", "[ConnectX-7]", "LnkSta:\tSpeed 32GT/s (ok)", "LnkSta:\tSpeed 16GT/s (ok)"),
			sub("lspci", "[ConnectX-7]", "LnkCap:\tPort #0, Speed 32GT/s", "LnkCap:\tPort #0, Speed 16GT/s")}},
	{"H01", lint.Error, "h100-slots", "NCCL_IB_GID_INDEX=2", one(sub("environment", "", "INDEX=3", "INDEX=2")),
		one(sub("environment", "", "INDEX=3", "INDEX=-1"))},
	{"H02", lint.Warning, "h100-slots", "ens8np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500",
		one(sub("ip-link", "ens8np0", "mtu 4200", "mtu 1500")),
		one(every("ip-link", "mtu 4200", "mtu 9000"))},
	{"H08", lint.Error, "h100-slots", "default via 192.0.2.9 dev bond0",
		one(every("routes", `(?m)^default .* gpu2_eth .*\n`, "")),
		one(sub("rules", "", "from 198.51.100.4 lookup", "from 198.51.100.4/31 lookup"))},
	{"H29", lint.Warning, "h100-slots", "GPU0     X",
		one(every("topo", `(?m)^(GPU0 .*?)SYS     SYS     SYS     SYS     (0-47)`,
			"${1}PIX     SYS     SYS     SYS     $2")), one(every("topo", `(?m)^(GPU0 .*?)PIX`, "${1}PXB"))},
	{"H04", lint.Error, "h100-slots", "NCCL_IB_TC=107", one(sub("environment", "", "TC=106", "TC=107")),
		one(sub("environment", "", "TC=106", "TC=105"))},
	{"H22", lint.Error, "h20-bonds", "Bonding Mode: load balancing (round-robin)",
		one(sub("bonding", "bond2", "IEEE 802.3ad Dynamic link aggregation",
			"load balancing (round-robin)")),
		one(sub("bonding", "bond2", "IEEE 802.3ad Dynamic link aggregation", "fault-tolerance (active-backup)"))},
	{"H01", lint.Error, "h20-bonds", "NCCL_IB_GID_INDEX=0", one(sub("nccl.conf", "", "INDEX=3", "INDEX=0")),
		one(sub("nccl.conf", "", "NCCL_IB_GID_INDEX=3", "#NCCL_IB_GID_INDEX=0"))},
	{"H02", lint.Warning, "h20-bonds", "bond3: <", one(sub("ip-addr", ": bond3:", "mtu 9000", "mtu 1500")),
		one(every("ip-addr", "mtu 9000", "mtu 8986"))},
	{"H03", lint.Error, "h20-bonds", "enabled     0   0   0   0   1", // of a bond's port
		one(sub("mlnx_qos", "ens69f0np0", "enabled     0   0   0   1   0", "enabled     0   0   0   0   1")),
		one(sub("mlnx_qos", "ens69f0np0", "Cable len: 7", "Cable len: 30"))},
	{"H07", lint.Error, "h20-bonds", "RX:\t\ton", one(sub("ethtool-a", "ens69f0np0", "RX:\t\toff", "RX:\t\ton")),
		one(sub("ethtool-a", "ens69f0np0", "Autonegotiate:\toff", "Autonegotiate:\ton"))},
	{"H20", lint.Error, "h20-bonds", "rx_crc_errors_phy: 8", one(sub("ethtool-S", "ens69f0np0", "rx_crc_errors_phy: 0",
		"rx_crc_errors_phy: 8")), one(sub("ethtool-S", "ens69f0np0", "rx_prio0_discards: 0", "rx_prio0_discards: 8"))},
	{"H01", lint.Error, "mi300x-thor2", "NCCL_IB_GID_INDEX=1", one(sub("environment", "", "INDEX=3", "INDEX=1")),
		one(every("ibv_devinfo", `GID\[  3\]:\t\t::ffff:(\S+),`, "GID[  3]:\t\t0000:0000:0000:0000:0000:ffff:$1,"))},
	{"H03", lint.Error, "mi300x-thor2", "3:off", one(sub("dcb", "ens27np0", "3:on", "3:off")),
		one(sub("dcb", "ens27np0", "CS6:7", "CS6:6"))},
	{"H03", lint.Error, "mi300x-thor2", "prio-pfc", one(sub("dcb", "dcb app show dev ens27np0", "AF31:3", "AF31:4")),
		one(sub("dcb", "dcb app show dev ens27np0", "AF31:3", "AF31:3 AF32:4"))},
	{"H20", lint.Warning, "mi300x-thor2", "bnxt_re2/1",
		one(sub("rdma-statistic", "bnxt_re2", "seq_err_naks_rcvd 0", "seq_err_naks_rcvd 5")),
		one(sub("rdma-statistic", "bnxt_re2", "rx_cnp_pkts 12", "rx_cnp_pkts 12000"))},
	{"H20", lint.Error, "mi300x-thor2", "rx_fcs_err_frames: 2",
		one(sub("ethtool-S", "ens25np0", "rx_fcs_err_frames: 0", "rx_fcs_err_frames: 2")),
		one(sub("ethtool-S", "ens25np0", "rx_corrected_bits: 12", "rx_corrected_bits: 12000"))},
	{"H17", lint.Warning, "h100-pcie-bcm", "max locked memory",
		one(sub("d-limits", "max locked", "unlimited", "65536")),
		one(sub("d-limits", "open files", "1048576", "1024"))},
	{"H03", lint.Error, "h100-pcie-bcm", "pfc-cap 8 prio-pfc", one(sub("j-dcb", "", "3:on", "3:off")),
		one(sub("j-dcb", "", "4:off", "4:on"))},
	{"H16", lint.Unknown, "h100-pcie-bcm", "nvidia  ",
		one(sub("g-modules", "", "nvidia_peermem         16384  0\n", "")),
		one(sub("g-modules", "", "nvidia_peermem   ", "nv_peer_mem      "))},
	{"H10", lint.Error, "h100-pcie-bcm", "Width x8",
		one(sub("a-lspci", "c2:00.0", "LnkSta:\tSpeed 16GT/s, Width x16", "LnkSta:\tSpeed 16GT/s, Width x8")),
		[]edit{sub("a-lspci", "c2:00.0", "Speed 16GT/s, Width x16, ASPM", "Speed 16GT/s, Width x8, ASPM"),
			sub("a-lspci", "c2:00.0", "LnkSta:\tSpeed 16GT/s, Width x16", "LnkSta:\tSpeed 16GT/s, Width x8")}},
	{"H16", lint.Error, "l40s-e810", "nvidia  ", one(sub("uname", "", "5.15.0-119", "5.4.0-190")),
		one(sub("uname", "", "5.15.0-119-generic", "5.12"))},
	{"H01", lint.Error, "l40s-e810", "NCCL_IB_GID_INDEX=0", one(sub("environment", "", "INDEX=1", "INDEX=0")),
		one(sub("environment", "", "INDEX=1", "INDEX=-1"))},
	{"H07", lint.Error, "l40s-e810", "TX:\t\ton", one(sub("ethtool-a", "ens6f0", "TX:\t\toff", "TX:\t\ton")),
		one(sub("ethtool-a", "ens6f0", "TX negotiated: off", "TX negotiated: on"))},
	{"H20", lint.Error, "l40s-e810", "rx_crc_errors.nic: 9",
		one(sub("ethtool-S", "", "rx_crc_errors.nic: 0", "rx_crc_errors.nic: 9")),
		one(sub("ethtool-S", "", "mac_local_faults.nic: 1", "mac_local_faults.nic: 9"))},
	{"H12", lint.Warning, "l40s-e810", "BOOT_IMAGE", one(sub("cmdline", "", "intel_iommu=off", "intel_iommu=on")),
		one(sub("cmdline", "", "intel_iommu=off", "intel_iommu=on iommu=pt"))},
	{"H09", lint.Error, "h100-talos", "enp41s0np0.rp_filter = 1", one(sub("ip", "enp41s0np0.rp", "= 2", "= 1")),
		one(sub("ip", "net.ipv4.conf.default.rp", "= 2", "= 1"))},
	{"H16", lint.Error, "h100-talos", "NCCL_DMABUF_ENABLE=0", one(sub("job", "", "ENABLE=1", "ENABLE=0")),
		one(sub("job", "", "NCCL_DMABUF_ENABLE=1\n", ""))},
	{"H20", lint.Warning, "h100-talos", "mlx5_4/ports/1/hw_counters/packet_seq_err:8",
		one(sub("sys", "mlx5_4", "packet_seq_err:0", "packet_seq_err:8")),
		one(sub("sys", "mlx5_4", "np_cnp_sent:48211", "np_cnp_sent:482110"))},
	{"H10", lint.Error, "spark-gb10", "Width x2",
		one(sub("lspci", "0002:01:00.0", "LnkSta:\tSpeed 32GT/s, Width x4", "LnkSta:\tSpeed 32GT/s, Width x2")),
		one(sub("dmesg", "", "limited by 32.0 GT/s PCIe x4", "limited by 16.0 GT/s PCIe x4"))},
	{"H02", lint.Warning, "spark-gb10", "enP2p1s0f0np0: <",
		one(sub("ip-addr", ": enP2p1s0f0np0", "mtu 9000", "mtu 1500")),
		one(sub("ip-addr", ": enp1s0f1np1", "mtu 1500", "mtu 1400"))}, // a port that is down
	{"H08", lint.Error, "spark-gb10", "default via 192.0.2.254",
		one(sub("ip-rule", "", "101:\tfrom 198.51.100.33 lookup 12 proto static\n", "")),
		one(sub("ip-rule", "", "from 198.51.100.33 lookup", "from all oif enP2p1s0f0np0 lookup"))},
	{"H16", lint.Error, "plx-8gpu", "nvidia  ", one(sub("lsmod", "", "nv_peer_mem            16384  0\n", "")),
		one(sub("lsmod", "", "nv_peer_mem   ", "nvidia_peermem"))},
	{"H10", lint.Error, "plx-8gpu", "Width x8, TrErr",
		one(sub("lspci", "[Tesla P100", "LnkSta:\tSpeed 8GT/s, Width x16", "LnkSta:\tSpeed 8GT/s, Width x8")),
		one(sub("lspci", "[Tesla P100", "LnkSta:\tSpeed 8GT/s", "LnkSta:\tSpeed 2.5GT/s"))},
	{"H14", lint.Error, "plx-8gpu", "GPU0\t X ",
		one(every("nvidia-topo", `(?m)^(GPU[0-3]\t.*)SYS\tNODE`, "${1}SYS\tSYS")),
		one(every("nvidia-topo", `(?m)^(GPU[0-3]\t.*)SYS\tNODE`, "${1}SYS\tPHB"))},
	{"H20", lint.Warning, "plx-8gpu", "rx_discards_phy: 77",
		one(sub("ethtool-S", "", "rx_discards_phy: 0", "rx_discards_phy: 77")),
		one(sub("ethtool-S", "", "rx1_cache_full: 29125", "rx1_cache_full: 9929125"))},
}

// Each mistake is found by its rule at its line and nothing else is, and its near miss is none.
func TestPublicPairs(t *testing.T) {
	if len(pairs) < 40 {
		t.Errorf("%d pairs", len(pairs))
	}
	folders := map[string]bool{}
	for k, p := range pairs {
		folders[p.folder] = true
		x := publicTexts(t, p.folder)
		for _, e := range p.mistake {
			e(t, x)
		}
		found := false
		for _, f := range hostlint.Check([]*hostinfo.Host{x.read(t, "h")}, nil) {
			at := ""
			if lines := strings.Split(x[f.File], "\n"); f.Line > 0 {
				at = lines[f.Line-1]
			}
			if f.Rule == p.rule && f.Severity == p.severity && strings.Contains(at, p.at) {
				found = true
			} else {
				t.Errorf("%d %s %s %s: %s %s %s:%d %q: %s", k, p.folder, p.rule, p.at, f.Severity, f.Rule, f.File,
					f.Line, at, f.Text)
			}
		}
		if !found {
			t.Errorf("%d %s %s %s: not found", k, p.folder, p.rule, p.at)
		}
		x = publicTexts(t, p.folder)
		for _, e := range p.miss {
			e(t, x)
		}
		for _, f := range hostlint.Check([]*hostinfo.Host{x.read(t, "h")}, nil) {
			t.Errorf("%d %s %s, near miss: %s %s %s:%d: %s", k, p.folder, p.rule, f.Severity, f.Rule, f.File, f.Line,
				f.Text)
		}
	}
	if len(folders) != 12 {
		t.Errorf("%d folders have mistakes", len(folders))
	}
	t.Logf("%d mistakes and as many near misses in %d folders", len(pairs), len(folders))
}
