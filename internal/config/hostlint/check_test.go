package hostlint_test

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/config/hostboard"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/hostinfo/hostinfotest"
	"railyard/internal/config/hostlint"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
)

// A texts is the files of a host.
type texts map[string]string

func folder(t testing.TB, name string) hostinfotest.Option {
	t.Helper()
	for _, o := range hostinfotest.Folders {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("no folder %s", name)
	return hostinfotest.Option{}
}

func textsOf(o hostinfotest.Option) texts {
	all := texts{}
	for _, f := range hostinfotest.Clean(o) {
		all[strings.TrimPrefix(f.Name, o.Name+"/")] = string(f.Text)
	}
	return all
}

func (x texts) read(t testing.TB, name string) *hostinfo.Host {
	t.Helper()
	var files []netconf.File
	for file, text := range x {
		files = append(files, netconf.File{Name: file, Text: []byte(text)})
	}
	h, err := hostinfo.Read(name, files)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// An edit changes files.
type edit func(t testing.TB, x texts)

// sub replaces the first text that stands behind another one ("": anywhere).
func sub(file, after, old, with string) edit {
	return func(t testing.TB, x texts) {
		t.Helper()
		text := x[file]
		from := strings.Index(text, after)
		if from < 0 {
			t.Fatalf("%s has no %q", file, after)
		}
		if !strings.Contains(text[from:], old) {
			t.Fatalf("%s has no %q behind %q", file, old, after)
		}
		x[file] = text[:from] + strings.Replace(text[from:], old, with, 1)
	}
}

// every replaces what a regular expression matches.
func every(file, pattern, with string) edit {
	return func(t testing.TB, x texts) {
		t.Helper()
		re := regexp.MustCompile(pattern)
		if !re.MatchString(x[file]) {
			t.Fatalf("%s has no %s", file, pattern)
		}
		x[file] = re.ReplaceAllString(x[file], with)
	}
}

func put(file, text string) edit { return func(_ testing.TB, x texts) { x[file] = text } }

// dumped puts NCCL's file of the host beside, with a change of its first such text.
func dumped(old, with string) edit {
	return func(t testing.TB, x texts) {
		t.Helper()
		text, err := hostboard.Text(x.read(t, "h"))
		if err != nil || !strings.Contains(text, old) {
			t.Fatalf("%v: no %q in %s", err, old, text)
		}
		x["topo.xml"] = strings.Replace(text, old, with, 1)
	}
}

// bonded is what the kernel says of a bond of two rails.
func bonded(mode string) edit {
	return put("bonding", hostinfo.Header+"cat /proc/net/bonding/bond0\nEthernet Channel Bonding Driver: "+
		"v5.15.0\n\nBonding Mode: "+mode+
		"\nMII Status: up\n\nSlave Interface: rail1\nSlave Interface: rail2\n# exit 0\n")
}

// A plant is a mistake: the line it must be found at has the text.
type plant struct {
	rule     string
	severity lint.Severity
	folder   string
	at       string
	edits    []edit
}

const (
	nic1 = "0000:14:00.0 Ethernet"
	slot = "0000:12:01.0 PCI bridge"
)

var plants = []plant{
	{"H01", lint.Error, "hgx-ofed", "NCCL_IB_GID_INDEX=1", []edit{sub("environment", "", "INDEX=3", "INDEX=1")}},
	{"H01", lint.Error, "hgx-ofed", "NCCL_IB_GID_INDEX=2", []edit{sub("environment", "", "INDEX=3", "INDEX=2")}},
	{"H01", lint.Error, "dgx-a100", "NCCL_IB_GID_INDEX=7", []edit{sub("environment", "", "INDEX=3", "INDEX=7")}},
	{"H01", lint.Error, "hgx-inbox", "NCCL version 2.19.3", []edit{sub("nccl.log", "", "2.21.5", "2.19.3")}},
	{"H01", lint.Error, "hgx-ofed", "NCCL version 2.19.3", []edit{sub("environment", "", "INDEX=3", "INDEX=-1"),
		sub("nccl.log", "", "2.21.5", "2.19.3")}},
	{"H01", lint.Error, "thor", "gids/0:", []edit{
		every("infiniband", `(?m)^.*gids/[23]:.*\n|^.*types/[23]:.*\n`, ""),
		every("ibv_devinfo", `(?m)^\t\t\tGID\[  [23]\].*\n`, ""),
	}},
	{"H02", lint.Warning, "hgx-ofed", "rail3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500", []edit{sub("ip-addr",
		"rail3: ", "mtu 9000", "mtu 1500")}},
	{"H02", lint.Error, "hgx-ofed", "rail3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 8000", []edit{sub("ip-addr",
		"rail3: ", "mtu 9000", "mtu 8000")}},
	{"H02", lint.Warning, "thor", "active_mtu:\t\t1024", []edit{sub("ibv_devinfo", "", "active_mtu:\t\t4096 (5)",
		"active_mtu:\t\t1024 (3)")}},
	{"H03", lint.Error, "hgx-ofed", "trust state: pcp", []edit{sub("mlnx_qos", "-i rail4", "trust state: dscp",
		"trust state: pcp")}},
	{"H03", lint.Error, "hgx-ofed", "enabled     0   0   0   0   1", []edit{sub("mlnx_qos", "-i rail4",
		"enabled     0   0   0   1   0", "enabled     0   0   0   0   1")}},
	{"H03", lint.Error, "hgx-inbox", "3:off", []edit{sub("dcb", "dev rail2", "3:on", "3:off")}},
	{"H03", lint.Error, "four-gpus", "order pcp", []edit{sub("dcb", "apptrust show dev rail2", "order dscp", "order pcp")}},
	{"H03", lint.Error, "thor", "prio-pfc", []edit{sub("dcb", "dcb app show dev rail1", "26:3", "26:4")}},
	{"H04", lint.Error, "thor", "NCCL_IB_TC=104", []edit{sub("environment", "", "TC=106", "TC=104")}},
	{"H04", lint.Error, "thor", "NCCL_IB_TC=107", []edit{sub("environment", "", "TC=106", "TC=107")}},
	{"H04", lint.Error, "thor", "NCCL_IB_TC=x", []edit{sub("environment", "", "TC=106", "TC=x")}},
	{"H04", lint.Error, "hgx-ofed", "Global tclass=104", []edit{sub("infiniband", "mlx5_5/tc", "tclass=106", "tclass=104")}},
	{"H04", lint.Error, "hgx-ofed", "NCCL_IB_TC=104", []edit{sub("environment", "", "TC=106", "TC=104"), // 0 forces nothing
		every("infiniband", "tclass=106", "tclass=0")}},
	{"H08", lint.Error, "hgx-ofed", "default via 192.0.2.254", []edit{sub("ip-rule", "", "1002:\tfrom 10.3.0.1 lookup 103\n", ""),
		every("ip-route", `(?s)(default via 192[^\n]*\n)(.*)\n# exit`, "$2$1\n# exit")}}, // behind those of other tables
	{"H05", lint.Warning, "hgx-ofed", "rail6/ecn/roce_np/cnp_dscp:46", []edit{sub("net", "rail6/ecn", "cnp_dscp:48",
		"cnp_dscp:46")}},
	{"H06", lint.Error, "hgx-ofed", "rail6/ecn/roce_np/enable/3:0", []edit{sub("net", "",
		"rail6/ecn/roce_np/enable/3:1", "rail6/ecn/roce_np/enable/3:0")}},
	{"H06", lint.Error, "dscp24", "rail1/ecn/roce_rp/enable/3:0", []edit{sub("net", "",
		"rail1/ecn/roce_rp/enable/3:1", "rail1/ecn/roce_rp/enable/3:0")}},
	{"H07", lint.Error, "hgx-ofed", "RX:\t\ton", []edit{sub("ethtool-a", "for rail2", "RX:\t\toff", "RX:\t\ton")}},
	{"H07", lint.Error, "mi300x", "TX:\t\ton", []edit{sub("ethtool-a", "for rail2", "TX:\t\toff", "TX:\t\ton")}},
	{"H08", lint.Error, "hgx-ofed", "default via 192.0.2.254", []edit{sub("ip-rule", "",
		"1002:\tfrom 10.3.0.1 lookup 103\n", "")}},
	{"H08", lint.Error, "pasted", "default via 192.0.2.254", []edit{sub("ip-route", "",
		"default via 10.3.0.254 dev rail3 table 103 \n", "")}},
	{"H08", lint.Warning, "thor", "default via 192.0.2.254", []edit{every("ip-rule", `(?m)^1.*\n`, "")}},
	{"H09", lint.Error, "hgx-ofed", "net.ipv4.conf.rail2.rp_filter = 1", []edit{sub("sysctl", "",
		"rail2.rp_filter = 2", "rail2.rp_filter = 1")}},
	{"H09", lint.Error, "hgx-ofed", "net.ipv4.conf.rail2.arp_ignore = 0", []edit{sub("ip-addr", "", "10.2.0.1/24",
		"10.1.0.9/24"), sub("ip-rule", "", "from 10.2.0.1 ", "from 10.1.0.9 "),
		sub("sysctl", "", "all.arp_ignore = 1", "all.arp_ignore = 0"), sub("sysctl", "", "rail2.arp_ignore = 1",
			"rail2.arp_ignore = 0")}},
	{"H09", lint.Error, "hgx-ofed", "net.ipv4.conf.rail1.arp_announce = 0", []edit{sub("ip-addr", "", "10.2.0.1/24",
		"10.1.0.9/24"), sub("ip-rule", "", "from 10.2.0.1 ", "from 10.1.0.9 "),
		sub("sysctl", "", "all.arp_announce = 2", "all.arp_announce = 0"), sub("sysctl", "",
			"rail1.arp_announce = 2", "rail1.arp_announce = 0")}},
	{"H10", lint.Error, "hgx-ofed", "LnkSta:\tSpeed 16GT/s", []edit{sub("lspci", nic1, "LnkSta:\tSpeed 32GT/s",
		"LnkSta:\tSpeed 16GT/s (downgraded)")}},
	{"H10", lint.Error, "hgx-ofed", "LnkSta:\tSpeed 32GT/s, Width x8", []edit{sub("lspci", nic1,
		"LnkSta:\tSpeed 32GT/s, Width x16", "LnkSta:\tSpeed 32GT/s, Width x8")}},
	{"H10", lint.Error, "hgx-ofed", "LnkSta:\tSpeed 32GT/s, Width x4", []edit{sub("lspci", "0000:13:00.0 3D",
		"LnkSta:\tSpeed 32GT/s, Width x16", "LnkSta:\tSpeed 32GT/s, Width x4")}},
	{"H10", lint.Error, "hgx-ofed", "LnkSta:\tSpeed 32GT/s, Width x2", []edit{sub("lspci",
		"0000:11:00.0 PCI bridge", "LnkSta:\tSpeed 32GT/s, Width x16", "LnkSta:\tSpeed 32GT/s, Width x2")}},
	{"H10", lint.Error, "not-root", "0000:14:00.0/current_link_width:8", []edit{sub("pci",
		"0000:14:00.0/current_link_width", ":16", ":8")}},
	{"H11", lint.Error, "hgx-ofed", "ACSCtl:\tSrcValid- TransBlk- ReqRedir+", []edit{sub("lspci", slot,
		"TransBlk- ReqRedir-", "TransBlk- ReqRedir+")}},
	{"H12", lint.Error, "hgx-ofed", "10/type:DMA-FQ", []edit{sub("iommu", "", "10/type:identity", "10/type:DMA-FQ")}},
	{"H12", lint.Warning, "hgx-open", "BOOT_IMAGE", []edit{put("iommu", ""), sub("cmdline", "", "iommu=pt", "intel_iommu=on")}},
	{"H13", lint.Warning, "hgx-ofed", "RlxdOrd-", []edit{sub("lspci", nic1, "RlxdOrd+", "RlxdOrd-")}},
	{"H14", lint.Error, "hgx-ofed", "GPU2\tNV18", []edit{
		put("lspci", ""), put("pci", ""), put("iommu", ""), // else they say that it has one
		every("nvidia-topo", `(?m)^(GPU2.*?)\tNODE\tNODE\tPXB\tNODE\tSYS`, "$1\tSYS\tSYS\tSYS\tSYS\tSYS"),
	}},
	{"H14", lint.Error, "hgx-ofed", "NUMA node: 1", []edit{sub("lspci", nic1, "NUMA node: 0", "NUMA node: 1"),
		put("nvidia-topo", "")}},
	{"H16", lint.Error, "hgx-ofed", "nvidia  ", []edit{sub("lsmod", "", "nvidia_peermem         16384  0\n", "")}},
	{"H16", lint.Error, "hgx-open", "nvidia  ", []edit{sub("uname", "", "5.15.0", "5.4.0")}},
	{"H16", lint.Error, "hgx-open", "NCCL_DMABUF_ENABLE=0", []edit{sub("environment", "", "NCCL_IB_TC=106",
		"NCCL_IB_TC=106\nNCCL_DMABUF_ENABLE=0")}},
	{"H16", lint.Error, "hgx-ofed", "NCCL_NET_GDR_LEVEL=LOC", []edit{sub("environment", "", "NCCL_IB_TC=106",
		"NCCL_IB_TC=106\nNCCL_NET_GDR_LEVEL=LOC")}},
	{"H16", lint.Unknown, "hgx-ofed", "nvidia  ", []edit{sub("lsmod", "", "nvidia_peermem         16384  0\n", ""),
		put("modinfo", ""), put("nvidia-version", "")}},
	{"H16", lint.Error, "hgx-ofed", "<system", []edit{dumped(`port="1" gdr="1"`, `dev="0" port="1" gdr="0"`)}},
	{"H17", lint.Warning, "hgx-ofed", "8192", []edit{sub("ulimit", "", "unlimited", "8192")}},
	{"H18", lint.Warning, "hgx-ofed", "cpu3/cpufreq/scaling_governor:powersave", []edit{sub("governors", "cpu3",
		"performance", "powersave")}},
	{"H19", lint.Warning, "hgx-ofed", "28.36.1010", []edit{sub("ibv_devinfo", "mlx5_2", "28.39.1002", "28.36.1010")}},
	{"H20", lint.Error, "hgx-ofed", "mlx5_3/ports/1/counters/symbol_error:7", []edit{sub("infiniband", "mlx5_3",
		"symbol_error:0", "symbol_error:7")}},
	{"H20", lint.Error, "hgx-ofed", "rx_symbol_err_phy: 3", []edit{sub("ethtool-S", "rail3", "rx_symbol_err_phy: 0",
		"rx_symbol_err_phy: 3")}},
	{"H20", lint.Warning, "infiniband", "out_of_sequence:12", []edit{sub("infiniband", "mlx5_3",
		"out_of_sequence:0", "out_of_sequence:12")}},
	{"H22", lint.Error, "hgx-ofed", "Bonding Mode: load balancing (round-robin)", []edit{bonded("load balancing (round-robin)")}},
	{"H23", lint.Warning, "hypervisor", "0000:24:00.0/sriov_numvfs:4", []edit{sub("pci",
		"0000:24:00.0/sriov_numvfs", ":8", ":4")}},
	{"H23", lint.Error, "hypervisor", "0000:24:00.0/sriov_numvfs:32", []edit{sub("pci", "0000:24:00.0/sriov_numvfs",
		":8", ":32")}},
	{"H24", lint.Error, "hgx-ofed", "NET/IB : Using", []edit{sub("nccl.log", "", " [3]mlx5_3:1/RoCE", "")}},
	{"H29", lint.Warning, "hgx-ofed", "<system", []edit{dumped(`link_width="16"`, `link_width="4"`)}},
	{"H29", lint.Warning, "four-gpus", "<system", []edit{dumped(`numaid="1"`, `numaid="3"`)}},
	{"H29", lint.Warning, "thor", "GPU3\tNV18", []edit{every("nvidia-topo", `(?m)^(GPU3\t.*?)NODE\tNODE\tNODE\tPXB`,
		"${1}PXB\tNODE\tNODE\tPXB")}},
	{"H25", lint.Warning, "hgx-ofed", "32767 from all", []edit{sub("ip-rule", "", "32767:\tfrom", "32767 from")}},
}

// misses look alike and are none.
var misses = []plant{
	{"H01", "", "dgx-a100", "", []edit{sub("environment", "", "INDEX=3", "INDEX=-1")}},
	{"H01", "", "hgx-inbox", "", []edit{sub("nccl.log", "", "2.21.5", "2.22.3")}},
	{"H02", "", "hgx-ofed", "", []edit{every("ip-addr", "mtu 9000", "mtu 4200")}},
	{"H02", "", "thor", "", []edit{
		every("ibv_devinfo", `(max|active)_mtu:(\s+)4096 \(5\)`, "${1}_mtu:${2}2048 (4)"),
		every("ip-addr", "mtu 9000", "mtu 4200"),
	}},
	{"H03", "", "thor", "", []edit{sub("dcb", "dcb app show dev rail1", "48:6", "48:5")}},
	{"H04", "", "thor", "", []edit{sub("environment", "", "TC=106", "TC=105")}},
	{"H04", "", "hgx-ofed", "", []edit{sub("environment", "", "TC=106", "TC=104")}}, // each NIC forces its own
	{"H05", "", "hgx-ofed", "", []edit{sub("net", "rail6/ecn", "cnp_dscp:48", "cnp_dscp:46"), sub("nccl.log", "",
		" [5]mlx5_5:1/RoCE", ""), sub("environment", "", "NCCL_IB_HCA=mlx5_", "NCCL_IB_HCA=^mlx5_5")}}, // NCCL does not take it
	{"H06", "", "hgx-ofed", "", []edit{sub("net", "", "rail6/ecn/roce_np/enable/5:1", "rail6/ecn/roce_np/enable/5:0")}},
	{"H07", "", "hgx-ofed", "", []edit{sub("ethtool-a", "for rail2", "Autonegotiate:\toff", "Autonegotiate:\ton")}},
	{"H08", "", "hgx-ofed", "", []edit{sub("ip-rule", "", "from 10.3.0.1 ", "from 10.3.0.0/24 ")}},
	{"H08", "", "hgx-ofed", "", []edit{sub("ip-route", "", "default via 10.3.0.254 dev rail3 table 103 \n",
		"10.0.0.0/8 via 10.3.0.254 dev rail3 \n")}},
	{"H08", "", "hgx-ofed", "", []edit{every("ip-rule", `(?m)^1.*\n`, ""), sub("ip-rule", "", "# exit 0", "# exit 1")}},
	{"H08", "", "hgx-ofed", "", []edit{sub("ip-rule", "", "1002:\tfrom 10.3.0.1 lookup 103\n", ""),
		sub("ip-addr", "", "inet 10.3.0.1/24 brd 10.3.0.255 scope global rail3", "inet6 fe80::1/64 scope link")}}, // it has no IPv4
	{"H09", "", "hgx-ofed", "", []edit{sub("sysctl", "", "all.rp_filter = 0", "all.rp_filter = 1")}},
	// the larger of 1 and 2 counts
	{"H09", "", "hgx-ofed", "", []edit{sub("sysctl", "", "all.arp_ignore = 1", "all.arp_ignore = 0"), sub("sysctl",
		"", "rail2.arp_ignore = 1", "rail2.arp_ignore = 0")}},
	{"H10", "", "hgx-ofed", "", []edit{sub("lspci", "0000:13:00.0 3D", "LnkSta:\tSpeed 32GT/s",
		"LnkSta:\tSpeed 2.5GT/s (downgraded)")}}, // an idle GPU
	{"H10", "", "hgx-ofed", "", []edit{sub("lspci", nic1, "Speed 32GT/s, Width x16", "Speed 32GT/s, Width x8"),
		sub("lspci", nic1, "LnkSta:\tSpeed 32GT/s, Width x16", "LnkSta:\tSpeed 32GT/s, Width x8")}},
	{"H10", "", "hgx-ofed", "", []edit{sub("lspci", slot, "Speed 32GT/s, Width x16", "Speed 16GT/s, Width x16"),
		sub("lspci", nic1, "LnkSta:\tSpeed 32GT/s", "LnkSta:\tSpeed 16GT/s")}},
	{"H10", "", "hgx-ofed", "", []edit{sub("lspci", slot, "LnkSta:\tSpeed 32GT/s", "LnkSta:\tSpeed 2.5GT/s")}},
	// between ports of a switch there is no link
	{"H11", "", "hypervisor", "", nil},
	{"H11", "", "hgx-ofed", "", []edit{sub("lspci", slot, "ACSCtl:\tSrcValid-", "ACSCtl:\tSrcValid+")}},
	{"H12", "", "hgx-ofed", "", []edit{sub("iommu", "", "/sys", "/sys/kernel/iommu_groups/99/type:DMA\n/sys")}},
	{"H13", "", "hgx-ofed", "", []edit{sub("lspci", slot, "RlxdOrd+", "RlxdOrd-")}},
	{"H14", "", "hgx-ofed", "", []edit{every("nvidia-topo", `(?m)^(GPU2.*?)\tNODE\tNODE\tPXB`, "$1\tNODE\tNODE\tNODE")}},
	{"H16", "", "hgx-open", "", nil}, // dma-buf without peermem
	{"H16", "", "hgx-ofed", "", []edit{sub("lsmod", "", "nvidia_peermem         16384  0\n", ""), sub("lsmod", "",
		"# exit 0", "# exit 1")}},
	{"H16", "", "hgx-ofed", "", []edit{sub("lsmod", "", "nvidia_peermem ", "nv_peer_mem ")}},
	{"H29", "", "hgx-ofed", "", []edit{dumped("", "")}},
	{"H29", "", "hgx-ofed", "", []edit{dumped(`link_width="16"`, `link_width="4"`), sub("environment", "", "NCCL_IB_TC=106",
		"NCCL_IB_TC=106\nNCCL_TOPO_FILE=/etc/topo.xml")}}, // it was told so
	{"H29", "", "thor", "", []edit{every("nvidia-topo", `(?m)^(GPU3\t.*?)NODE\tNODE\tNODE\tPXB`, "${1}SYS\tSYS\tSYS\tPXB")}},
	{"H16", "", "hgx-ofed", "", []edit{sub("lsmod", "", "nvidia_peermem         16384  0\n", ""),
		dumped(`port="1" gdr="1"`, `dev="0" port="1" gdr="1"`)}}, // NCCL has found that it can
	{"H17", "", "hgx-ofed", "", []edit{sub("ulimit", "", "unlimited", "67108864")}},
	{"H18", "", "hgx-ofed", "", []edit{every("governors", `(?m)^.*cpu3/.*\n`, "")}}, // it is offline
	{"H19", "", "hgx-ofed", "", []edit{sub("ibv_devinfo", "mlx5_2", "28.39.1002", "28.36.1010"), sub("lspci",
		"0000:34:00.0 Ethernet", "[ConnectX-7]", "[ConnectX-6 Dx]")}},
	{"H20", "", "hgx-ofed", "", []edit{sub("ethtool-S", "rail3", "tx_prio3_pause: 12", "tx_prio3_pause: 99999")}},
	{"H22", "", "hgx-ofed", "", []edit{bonded("IEEE 802.3ad Dynamic link aggregation")}},
	{"H23", "", "hypervisor", "", []edit{every("pci", "sriov_numvfs:8", "sriov_numvfs:4")}},
	{"H24", "", "hgx-ofed", "", []edit{sub("nccl.log", "", " [3]mlx5_3:1/RoCE", ""), sub("environment", "",
		"NCCL_IB_HCA=mlx5_", "NCCL_IB_HCA=^mlx5_3")}},
	{"H25", "", "hgx-ofed", "", []edit{sub("ip-addr", "", "valid_lft forever", "valid_lft 3600sec")}},
}

// Nothing is found in clean folders, alone and three of a kind together. False if a rule fires on what is well.
func TestCleanFolders(t *testing.T) {
	for _, o := range hostinfotest.Folders {
		var all []*hostinfo.Host
		for n := 1; n <= 3; n++ {
			o.Host = n
			all = append(all, textsOf(o).read(t, fmt.Sprintf("host%d", n)))
		}
		for _, f := range append(hostlint.Check(all[:1], nil), hostlint.Check(all, nil)...) {
			t.Errorf("%s: %s %s %s:%d: %s", o.Name, f.Severity, f.Rule, f.File, f.Line, f.Text)
		}
	}
}

// Each planted mistake is found by its rule at its line, and nothing else is found. False if a rule is taken out, or looks elsewhere.
func TestPlanted(t *testing.T) {
	seen := map[string]bool{}
	for k, p := range plants {
		x := textsOf(folder(t, p.folder))
		for _, e := range p.edits {
			e(t, x)
		}
		h := x.read(t, "h")
		found := false
		for _, f := range hostlint.Check([]*hostinfo.Host{h}, nil) {
			lines := strings.Split(x[f.File], "\n")
			at := ""
			if f.Line > 0 {
				at = lines[f.Line-1]
			}
			if f.Rule != p.rule || f.Severity != p.severity || !strings.Contains(at, p.at) {
				t.Errorf("%d %s %s: %s %s %s:%d %q: %s", k, p.rule, p.at, f.Severity, f.Rule, f.File, f.Line, at, f.Text)
			} else {
				found = true
			}
			if f.Reason == "" || f.Fix == "" || f.Device != "h" {
				t.Errorf("%+v", f)
			}
		}
		if !found {
			t.Errorf("%d %s %s in %s: not found", k, p.rule, p.at, p.folder)
		}
		seen[p.rule] = true
	}
	if len(plants) < 40 {
		t.Errorf("%d plants", len(plants))
	}
	for _, r := range hostlint.Rules {
		if among := "H15 H21 H26 H27 H28"; !seen[r.ID] && !strings.Contains(among, r.ID) {
			t.Errorf("%s: nothing is planted", r.ID)
		}
	}
}

// What looks like a mistake and is none is not found.
func TestNearMisses(t *testing.T) {
	for k, p := range misses {
		x := textsOf(folder(t, p.folder))
		for _, e := range p.edits {
			e(t, x)
		}
		for _, f := range hostlint.Check([]*hostinfo.Host{x.read(t, "h")}, nil) {
			t.Errorf("%d %s: %s %s %s:%d: %s", k, p.rule, f.Severity, f.Rule, f.File, f.Line, f.Text)
		}
	}
}

// What was not collected is never taken as wrong: each file of each clean folder and of each mistake left out, and each command
// failed, adds no finding.
func TestWhatIsMissingIsNotWrong(t *testing.T) {
	for _, o := range hostinfotest.Folders {
		for file := range textsOf(o) {
			for _, failed := range []bool{false, true} {
				x := textsOf(o)
				if failed {
					x[file] = strings.ReplaceAll(x[file], "# exit 0", "# exit 1")
				} else {
					delete(x, file)
				}
				for _, f := range hostlint.Check([]*hostinfo.Host{x.read(t, "h")}, nil) {
					if f.Severity == lint.Unknown {
						continue
					}
					t.Errorf("%s without %s (%v): %s %s %s:%d: %s", o.Name, file, failed, f.Severity, f.Rule,
						f.File, f.Line, f.Text)
				}
			}
		}
	}
}

// ACS is on with reason where a host gives devices to virtual machines, which each of three things says by itself; no functions and
// another driver say nothing. False if one of the three is not looked at.
func TestACSOfHypervisors(t *testing.T) {
	on := sub("lspci", slot, "TransBlk- ReqRedir-", "TransBlk- ReqRedir+")
	for _, c := range []struct {
		name string
		more edit
		well bool
	}{
		{"nothing", func(testing.TB, texts) {}, false},
		{"the module", sub("lsmod", "", "ib_core  ", "vfio_pci               16384  0\nib_core  "), true},
		{"another module", sub("lsmod", "", "ib_core  ", "vfio                   16384  0\nib_core  "), false},
		{"a device's driver", sub("lspci", "0000:24:00.0 Ethernet", "mlx5_core", "vfio-pci"), true},
		{"virtual functions", sub("pci", "", "/sys", "/sys/bus/pci/devices/0000:24:00.0/sriov_numvfs:2\n/sys"), true},
		{"no virtual functions", sub("pci", "", "/sys", "/sys/bus/pci/devices/0000:24:00.0/sriov_numvfs:0\n/sys"), false},
	} {
		x := textsOf(folder(t, "hgx-ofed"))
		on(t, x)
		c.more(t, x)
		well := true
		for _, f := range hostlint.Check([]*hostinfo.Host{x.read(t, "h")}, nil) {
			well = well && f.Rule != "H11"
		}
		if well != c.well {
			t.Errorf("%s: ACS is well: %v, want %v", c.name, well, c.well)
		}
	}
}

// What rests on the absence of something is no error where a line of the same commands is not understood: it may be in it.
func TestDoubts(t *testing.T) {
	for _, p := range []struct {
		rule, folder string
		edits        []edit
		file, line   string // that is not understood
	}{
		{"H01", "dgx-a100", []edit{sub("environment", "", "INDEX=3", "INDEX=7")}, "infiniband",
			"/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/9:RoCE v9"},
		{"H01", "thor", []edit{
			every("infiniband", `(?m)^.*gids/[23]:.*\n|^.*types/[23]:.*\n`, ""),
			every("ibv_devinfo", `(?m)^\t\t\tGID\[  [23]\].*\n`, ""),
		}, "infiniband", "/sys/class/infiniband/bnxt_re0/ports/1/gids/2:zz"},
		{"H03", "thor", []edit{every("dcb", `(?m)^dscp-prio.*\n`, ""), every("dcb", "3:on", "3:off")}, "dcb", "dscp-prio 26:many"},
		{"H04", "thor", []edit{sub("environment", "", "TC=106", "TC=107")}, "infiniband",
			"/sys/class/infiniband/bnxt_re0/tc/1/traffic_class:Global tclass=lots"},
		{"H14", "hgx-ofed", []edit{sub("lspci", nic1, "NUMA node: 0", "NUMA node: 1"), put("nvidia-topo", "")}, "lspci",
			"0000:17:00.0 no class"},
		{"H24", "hgx-ofed", []edit{sub("nccl.log", "", " [3]mlx5_3:1/RoCE", "")}, "nccl.log",
			"host1:4242:4301 [0] NCCL INFO NET/IB : Using [many"},
	} {
		x := textsOf(folder(t, p.folder))
		for _, e := range p.edits {
			e(t, x)
		}
		before := hostlint.Check([]*hostinfo.Host{x.read(t, "h")}, nil)
		x[p.file] = strings.Replace(x[p.file], "\n", "\n"+p.line+"\n", 1)
		h := x.read(t, "h")
		after, noted := hostlint.Check([]*hostinfo.Host{h}, nil), false
		for _, f := range before {
			if f.Rule == p.rule && f.Severity != lint.Error {
				t.Errorf("%s: %s %s", p.rule, f.Severity, f.Text)
			}
		}
		for _, f := range after {
			if f.Rule == p.rule {
				noted = f.Severity == lint.Unknown && strings.HasSuffix(f.Text, "unless it is in one of the lines that are not understood")
			}
		}
		if !noted || len(before) != 1 || len(h.Unread) != 1 {
			t.Errorf("%s: before %+v, with a line that is not understood %+v (%+v)", p.rule, before, after, h.Unread)
		}
	}
}

// fleet is hosts of a kind, with edits of one of them, numbered from 0.
func fleet(t *testing.T, o hostinfotest.Option, n, odd int, edits ...edit) (all []*hostinfo.Host) {
	t.Helper()
	for k := range n {
		o.Host = k + 1
		x := textsOf(o)
		if k == odd {
			for _, e := range edits {
				e(t, x)
			}
		}
		all = append(all, x.read(t, fmt.Sprintf("host%d", k+1)))
	}
	return all
}

// amongPlants are mistakes of one of three hosts.
var amongPlants = []struct {
	rule, text string
	edits      []edit
}{
	{"H26", "Linux: 5.19.0-1-generic, 2 of 3 hosts have 5.15.0-105-generic", []edit{sub("uname", "",
		"5.15.0-105", "5.19.0-1")}},
	{"H26", "the GPU driver: 530.30.02, 2 of 3", []edit{sub("nvidia-q", "", "535.161.08", "530.30.02"),
		sub("nvidia-version", "", "535.161.08", "530.30.02")}},
	{"H26", "NCCL_IB_TC: nothing, 2 of 3 hosts have 106", []edit{sub("environment", "", "NCCL_IB_TC=106\n", "")}},
	{"H26", "the MTU of NICs: 8900, 2 of 3", []edit{every("ip-addr", "mtu 9000", "mtu 8900")}},
	{"H26", "PFC of NICs: 3 4, 2 of 3 hosts have 3", []edit{every("mlnx_qos", "enabled     0   0   0   1   0",
		"enabled     0   0   0   1   1")}},
	{"H19", "firmware of NICs: 28.36.1010, 2 of 3", []edit{every("ibv_devinfo", "28.39.1002", "28.36.1010")}},
	{"H27", "rail2: 10.2.0.1 is of rail2 of host1 too", []edit{sub("ip-addr", "", "10.2.0.2/24", "10.2.0.1/24"),
		sub("ip-rule", "", "10.2.0.2 ", "10.2.0.1 ")}},
	{"H15", "rail3 is NIC 3 and on leaf5, where 2 of 3 hosts have NIC 5", []edit{
		every("lldpctl", `leaf3\n`, "leafX\n"),
		every("lldpctl", `leaf5\n`, "leaf3\n"),
		every("lldpctl", `leafX\n`, "leaf5\n"),
	}},
}

// Hosts are held against each other: one of three differs.
func TestAmongHosts(t *testing.T) {
	o := folder(t, "hgx-ofed")
	for _, c := range amongPlants {
		hosts := fleet(t, o, 3, 1, c.edits...)
		found := false
		for _, f := range hostlint.Check(hosts, nil) {
			if f.Device == "host2" && f.Rule == c.rule && strings.HasPrefix(f.Text, c.text) && f.Line > 0 {
				found = true
			} else if f.Device != "host2" || f.Rule != c.rule {
				t.Errorf("%s: %s %s: %s", c.text, f.Device, f.Rule, f.Text)
			}
		}
		if !found {
			t.Errorf("%s %s: not found in %+v", c.rule, c.text, hostlint.Check(hosts, nil))
		}
		for _, f := range hostlint.Check(hosts[1:], nil) { // of two hosts neither is odd
			if f.Rule == "H26" || f.Rule == "H15" || f.Rule == "H19" {
				t.Errorf("%s: of two hosts: %s %s", c.text, f.Rule, f.Text)
			}
		}
	}
}

// design is what hosts of hgx-ofed are meant to be.
func design(hosts int) *hostlint.Design {
	d := &hostlint.Design{DSCP: 26, CNPDSCP: 48, Priority: 3, MTU: 4096, Hosts: map[string]*hostlint.Meant{}}
	for h := range hosts {
		m := &hostlint.Meant{}
		for i := range 8 {
			m.NICs = append(m.NICs, hostlint.MeantNIC{Leaf: fmt.Sprintf("leaf%d", i+1),
				Address: netip.AddrFrom4([4]byte{10, byte(i + 1), 0, byte(h + 1)}), Cable: 15_000})
		}
		d.Hosts[fmt.Sprintf("host%d", h+1)] = m
	}
	return d
}

// designPlants are mistakes against a design; without a rule: near misses.
var designPlants = []struct {
	rule, text string
	change     func(d *hostlint.Design)
	edits      []edit
}{
	{"", "", func(*hostlint.Design) {}, nil},
	{"H02", "rail1 and 7 more: an MTU of 9000 does not hold RDMA's 9000", func(d *hostlint.Design) { d.MTU = 9000 }, nil},
	{"H03", "rail2: PFC is on for priority 5, which the switch does not pause", nil, []edit{sub("mlnx_qos",
		"-i rail2", "enabled     0   0   0   1   0   0", "enabled     0   0   0   1   0   1")}},
	{"H03", "rail1 and 7 more: DSCP 26 is in priority 3, the switch's is 4",
		func(d *hostlint.Design) { d.Priority = 4 }, nil},
	{"H04", "rail1 and 7 more: traffic class 106, forced, is DSCP 26, the design's is 24: want 98",
		func(d *hostlint.Design) { d.DSCP = 24 }, nil},
	{"H05", "rail1 and 7 more: CNPs have DSCP 48, want 46", func(d *hostlint.Design) { d.CNPDSCP = 46 }, nil},
	{"H15", "rail4 is on leaf9, the design has it on leaf4", nil, []edit{every("lldpctl", `leaf4\n`, "leaf9\n")}},
	{"H21", "rail3: the cable has 5.0 m, the design's 3.0 m", nil, []edit{sub("ethtool-m", "-m rail3", "3.0m", "5.0m")}},
	{"", "", nil, []edit{sub("ethtool-m", "-m rail3", "3.0m", "3.5m")}},
	{"", "", func(d *hostlint.Design) { d.Hosts["host1"].NICs[2].Cable = 0 }, nil}, // not known
	{"H15", "rail1 is on leaf9, the design has it on leaf1", nil, []edit{every("lldpctl", `leaf1\n`, "leaf9\n")}},
	{"H03", "rail1 and 7 more: DSCP 26 is in priority 3, the switch's is 4", func(d *hostlint.Design) { d.Priority = 4 },
		[]edit{every("mlnx_qos", `(?m)^\tprio:.*\n`, "")}},
	{"H28", "8 NICs, the design has 7", func(d *hostlint.Design) { d.Hosts["host1"].NICs = d.Hosts["host1"].NICs[:7] }, nil},
	{"H28", "not here: host2, of the design", func(d *hostlint.Design) { d.Hosts["host2"] = d.Hosts["host1"] }, nil},
	{"H28", "no host of the design has this name", func(d *hostlint.Design) { delete(d.Hosts, "host1") }, nil},
}

// Hosts are held against a design.
func TestDesign(t *testing.T) {
	o := folder(t, "hgx-ofed")
	for _, c := range designPlants {
		d := design(1)
		if c.change != nil {
			c.change(d)
		}
		found := c.rule == ""
		for _, f := range hostlint.Check(fleet(t, o, 1, 0, c.edits...), d) {
			if f.Rule == c.rule && strings.HasPrefix(f.Text, c.text) && (f.Line > 0 || c.rule == "H28") {
				found = true
			} else {
				t.Errorf("%s %s: %s:%d: %s: %s", c.rule, c.text, f.File, f.Line, f.Rule, f.Text)
			}
		}
		if !found {
			t.Errorf("%s %s: not found", c.rule, c.text)
		}
	}
}

// What hosts write as DSCPs is what the NICs say, with the line; where they differ nobody says it.
func TestDSCPsOfHosts(t *testing.T) {
	for _, c := range []struct {
		folder    string
		dscp, cnp int
		ok, cnpOK bool
		edits     []edit
	}{
		{"hgx-ofed", 26, 48, true, true, nil},
		{"dscp24", 24, 48, true, true, nil},
		{"thor", 26, 0, true, false, nil},
		{"thor", 24, 0, true, false, []edit{sub("environment", "", "TC=106", "TC=98")}},
		{"hgx-ofed", 0, 48, false, true, []edit{sub("infiniband", "mlx5_5/tc", "tclass=106", "tclass=98")}},
		{"infiniband", 0, 0, false, false, nil},
	} {
		x := textsOf(folder(t, c.folder))
		for _, e := range c.edits {
			e(t, x)
		}
		hosts := []*hostinfo.Host{x.read(t, "h")}
		dscp, at, ok := hostlint.DataDSCP(hosts)
		cnp, _, cnpOK := hostlint.CNPDSCP(hosts)
		if ok != c.ok || ok && (dscp != c.dscp || at.Line == 0) || cnpOK != c.cnpOK || cnpOK && cnp != c.cnp {
			t.Errorf("%s: %d %+v %v, %d %v", c.folder, dscp, at, ok, cnp, cnpOK)
		}
	}
}

// fleetMisses look like mistakes among hosts, and against a design of so many, and are none.
var fleetMisses = []struct {
	rule          string
	hosts, design int
	edits         []edit
}{
	{"H15", 2, 0, []edit{every("lldpctl", `leaf3\n`, "leafX\n"), every("lldpctl", `leaf5\n`, "leaf3\n"),
		every("lldpctl", `leafX\n`, "leaf5\n")}}, // of two neither is odd
	{"H21", 1, 1, []edit{sub("ethtool-m", "-m rail3", "3.0m", "3.5m")}},
	{"H26", 2, 0, []edit{every("ip-addr", "mtu 9000", "mtu 8900")}},
	{"H27", 2, 0, []edit{sub("ip-addr", "", "10.2.0.2/24", "10.2.0.12/24"), sub("ip-rule", "", "10.2.0.2 ", "10.2.0.12 ")}},
	{"H28", 2, 2, nil},
}

// Each rule has a mistake that it finds, and one that looks like it and is none. False if a rule is added without either.
func TestEachRuleHasBoth(t *testing.T) {
	found, not := map[string]bool{}, map[string]bool{}
	for _, p := range plants {
		found[p.rule] = true
	}
	for _, p := range misses {
		not[p.rule] = true
	}
	for _, p := range amongPlants {
		found[p.rule] = true
	}
	for _, p := range designPlants {
		found[p.rule] = true
	}
	for _, m := range fleetMisses {
		not[m.rule] = true
		var d *hostlint.Design
		if m.design > 0 {
			d = design(m.design)
		}
		for _, f := range hostlint.Check(fleet(t, folder(t, "hgx-ofed"), m.hosts, m.hosts-1, m.edits...), d) {
			t.Errorf("%s: %s %s: %s", m.rule, f.Device, f.Rule, f.Text)
		}
	}
	for _, r := range hostlint.Rules {
		if !found[r.ID] || !not[r.ID] {
			t.Errorf("%s: found by a mistake: %v, silent on a near miss: %v", r.ID, found[r.ID], not[r.ID])
		}
	}
}

// A finding says whom it is about, as people call it: an interface, or a port of a bond. A rule is found by its number.
func TestWhoIsMeant(t *testing.T) {
	of := func(x texts, e edit) string {
		e(t, x)
		var all []string
		for _, f := range hostlint.Check([]*hostinfo.Host{x.read(t, "h")}, nil) {
			all = append(all, f.Rule+" "+f.Port+" "+f.Text)
		}
		return strings.Join(all, "; ")
	}
	for _, c := range []struct{ got, want string }{
		{of(textsOf(folder(t, "hgx-ofed")), sub("lspci", nic1, "LnkSta:\tSpeed 32GT/s", "LnkSta:\tSpeed 16GT/s (downgraded)")),
			"H10 rail1 rail1: PCIe 4.0 x16, both ends can 5.0 x16"},
		{of(publicTexts(t, "h20-bonds"), sub("ethtool-a", "ens69f0np0", "RX:\t\toff", "RX:\t\ton")),
			"H07 ens69f0np0 ens69f0np0: takes pauses of the whole port"},
		{of(publicTexts(t, "h20-bonds"), sub("ethtool-S", "ens69f0np0", "rx_crc_errors_phy: 0", "rx_crc_errors_phy: 8")),
			"H20 ens69f0np0 ens69f0np0: rx_crc_errors_phy is 8"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	for _, r := range hostlint.Rules {
		if got := hostlint.RuleOf(r.ID); got.ID != r.ID || got.Title != r.Title {
			t.Errorf("%s is %+v", r.ID, got)
		}
	}
}
