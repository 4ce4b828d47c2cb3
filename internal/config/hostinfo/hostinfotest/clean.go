package hostinfotest

import (
	"fmt"
	"strings"

	"railyard/internal/config/netconf"
)

// An Option is what a folder is like.
type Option struct {
	Name   string
	Host   int  // 1: addresses of the first host
	GPUs   int  // with as many NICs; 0: eight
	Gen    int  // of PCI Express; 0: the fifth
	AMD    bool // GPUs of AMD: no driver of NVIDIA
	Open   bool // the open kernel module and dma-buf, without peermem
	Inbox  bool // the kernel's own tools: dcb, ibv_devinfo, in place of mlnx_qos, show_gids
	Bnxt   bool // NICs of Broadcom; implies Inbox
	IB     bool // InfiniBand
	Poor   bool // not root: lspci shows no capabilities
	VMs    bool // virtual functions for virtual machines: ACS is on
	Bare   bool // other people's outputs: no line of the script, only what commands print
	DSCP   int  // of data; 0: 26
	Log    bool // NCCL's log beside it
	NoGPU  bool // storage: NICs alone
	OldGID bool // NCCL_IB_GID_INDEX is set
	Apart  int  // the NIC of this number, from 1, has a switch of its own on the other CPU; 0: none
}

// Folders are clean hosts of many kinds.
var Folders = []Option{
	{Name: "hgx-ofed", Log: true, OldGID: true},
	{Name: "hgx-open", Open: true},
	{Name: "hgx-inbox", Open: true, Inbox: true, Log: true},
	{Name: "dgx-a100", Gen: 4, OldGID: true},
	{Name: "four-gpus", GPUs: 4, Gen: 4, Open: true, Inbox: true},
	{Name: "thor", Bnxt: true, Open: true},
	{Name: "mi300x", AMD: true, Inbox: true},
	{Name: "infiniband", IB: true},
	{Name: "not-root", Poor: true, OldGID: true},
	{Name: "hypervisor", VMs: true, OldGID: true},
	{Name: "pasted", Bare: true, OldGID: true},
	{Name: "dscp24", DSCP: 24, GPUs: 2, OldGID: true},
}

// A maker writes the files of one.
type maker struct {
	Option
	files map[string]*strings.Builder
	names []string
}

// put adds a section.
func (m *maker) put(file, command, text string) { m.putExit(file, command, text, 0) }

func (m *maker) putExit(file, command, text string, exit int) {
	b := m.files[file]
	if b == nil {
		b = &strings.Builder{}
		m.files[file] = b
		m.names = append(m.names, file)
	}
	if m.Bare {
		if command == "ulimit -l" || exit != 0 {
			fmt.Fprintf(b, "root@host:~# %s\n", command)
		}
		b.WriteString(text)
		return
	}
	fmt.Fprintf(b, "# railyard hosts: %s\n%s\n# exit %d\n", command, text, exit)
}

// Clean is the folder of a host, in which nothing is wrong.
func Clean(o Option) []netconf.File {
	if o.GPUs == 0 {
		o.GPUs = 8
	}
	if o.Gen == 0 {
		o.Gen = 5
	}
	if o.DSCP == 0 {
		o.DSCP = 26
	}
	if o.Host == 0 {
		o.Host = 1
	}
	o.Inbox = o.Inbox || o.Bnxt
	m := &maker{Option: o, files: map[string]*strings.Builder{}}
	m.system()
	m.pci()
	m.rdma()
	m.ip()
	m.nics()
	if !o.NoGPU {
		m.gpus()
	}
	if o.Log {
		m.log()
	}
	var all []netconf.File
	for _, name := range m.names {
		all = append(all, netconf.File{Name: o.Name + "/" + name, Text: []byte(m.files[name].String())})
	}
	return all
}

// Names of things, by the number of the rail from 0.
func (m *maker) bus(i int) int { return 0x10 * (i + 1) }

func (m *maker) rdmaName(i int) string {
	if m.Bnxt {
		return fmt.Sprintf("bnxt_re%d", i)
	}
	return fmt.Sprintf("mlx5_%d", i)
}

func (m *maker) netdev(i int) string {
	if m.IB {
		return fmt.Sprintf("ib%d", i)
	}
	return fmt.Sprintf("rail%d", i+1)
}

func (m *maker) gpu(i int) string { return fmt.Sprintf("0000:%02x:00.0", m.bus(i)+3) }
func (m *maker) nic(i int) string { return fmt.Sprintf("0000:%02x:00.0", m.bus(i)+4) }
func (m *maker) ip4(i int) string { return fmt.Sprintf("10.%d.0.%d", i+1, m.Host) }
func (m *maker) node(i int) int   { return i * 2 / m.GPUs }

// nicNode is the NUMA node of a NIC.
func (m *maker) nicNode(i int) int {
	if m.Apart == i+1 {
		return 1 - m.node(i)
	}
	return m.node(i)
}

func (m *maker) driver() string {
	if m.Bnxt {
		return "bnxt_en"
	}
	return "mlx5_core"
}

func (m *maker) firmware() string {
	switch {
	case m.Bnxt:
		return "229.0.139.0"
	case m.Gen == 4:
		return "20.39.1002"
	}
	return "28.39.1002"
}

func (m *maker) system() {
	m.put("uname", "uname -srm", "Linux 5.15.0-105-generic x86_64\n")
	m.put("cmdline", "cat /proc/cmdline", "BOOT_IMAGE=/vmlinuz-5.15.0-105-generic root=UUID=- ro iommu=pt pci=realloc=off\n")
	m.put("ulimit", "ulimit -l", "unlimited\n")
	env := "NCCL_IB_HCA=" + strings.TrimRight(m.rdmaName(0), "0123456789") + "\n"
	if !m.IB {
		env += fmt.Sprintf("NCCL_IB_TC=%d\n", m.DSCP*4+2)
		if m.OldGID {
			env += "NCCL_IB_GID_INDEX=3\n"
		}
	}
	m.put("environment", "env", env)
	mods := "Module                  Size  Used by\nib_core               421888  8 " +
		"rdma_cm,ib_ipoib,iw_cm,ib_umad,rdma_ucm,ib_uverbs,mlx5_ib,ib_cm\n"
	if m.Bnxt {
		mods += "bnxt_re               131072  0\nbnxt_en               401408  1 bnxt_re\n"
	} else {
		mods += "mlx5_ib               397312  0\nmlx5_core            1884160  1 mlx5_ib\n"
	}
	if m.VMs {
		mods += "vfio_pci               16384  0\n"
	}
	switch {
	case m.NoGPU:
	case m.AMD:
		mods += "amdgpu              10002432  8\n"
	default:
		mods += "nvidia_uvm           1449984  2\nnvidia              56770560  42 nvidia_uvm\n"
		if !m.Open {
			mods += "nvidia_peermem         16384  0\n"
		}
	}
	m.put("lsmod", "lsmod", mods)
	m.put("numactl", "numactl --hardware", "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 1031708 "+
		"MB\nnode 1 cpus: 4 5 6 7\n"+
		"node distances:\nnode   0   1 \n  0:  10  21 \n  1:  21  10 \n")
	vendor, family, model := "GenuineIntel", 6, 143
	if m.AMD {
		vendor, family, model = "AuthenticAMD", 25, 17
	}
	m.put("lscpu", "lscpu", fmt.Sprintf("Architecture:            x86_64\n  CPU op-mode(s):        32-bit, 64-bit\n"+
		"CPU(s):                  8\n"+
		"Vendor ID:               %s\n  CPU family:            %d\n  Model:                 %d\nNUMA:\n  NUMA node(s):          2\n"+
		"  NUMA node0 CPU(s):     0-3\n", vendor, family, model))
	m.put("dmesg", "dmesg", "[    7.731221] mlx5_core 0000:14:00.0: firmware version: "+m.firmware()+"\n"+
		"[    7.941337] mlx5_core 0000:14:00.0: 252.048 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x8 link)\n")
	gov := ""
	for c := range 8 {
		gov += fmt.Sprintf("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor:performance\n", c)
	}
	m.put("governors", "sysfs", gov)
}

// speed is a link of a generation as lspci writes it.
func speed(gen int) string {
	return []string{"", "2.5GT/s", "5GT/s", "8GT/s", "16GT/s", "32GT/s", "64GT/s"}[gen]
}

// lspci is a device.
func (m *maker) lspci(b *strings.Builder, at, class, name, driver, bus string, node int, acs bool) {
	fmt.Fprintf(b, "%s %s: %s\n", at, class, name)
	fmt.Fprintf(b, "\tSubsystem: Device 1af4:1100\n\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- "+
		"ParErr- Stepping- SERR+ "+
		"FastB2B- DisINTx+\n\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- "+
		">SERR- <PERR- INTx-\n"+
		"\tLatency: 0, Cache Line Size: 32 bytes\n\tNUMA node: %d\n", node)
	if bus != "" {
		fmt.Fprintf(b, "\tBus: primary=%s, secondary=%s, subordinate=%s, sec-latency=0\n", at[5:7], bus, bus)
	}
	if m.Poor {
		b.WriteString("\tCapabilities: <access denied>\n")
	} else {
		width := 16
		fmt.Fprintf(b, "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\t\tDevCap:\tMaxPayload 512 bytes, "+
			"PhantFunc 0, Latency L0s "+
			"unlimited, L1 unlimited\n\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq-\n\t\t\tRlxdOrd+ ExtTag+ "+
			"PhantFunc- AuxPwr- "+
			"NoSnoop+ FLReset-\n\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes\n\t\tDevSta:\tCorrErr- "+
			"NonFatalErr- FatalErr- UnsupReq- "+
			"AuxPwr- TransPend-\n\t\tLnkCap:\tPort #0, Speed %s, Width x%d, ASPM not supported\n\t\t\tClockPM- "+
			"Surprise- LLActRep- BwNot- "+
			"ASPMOptComp+\n\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, Disabled- CommClk+\n\t\tLnkSta:\tSpeed %s, Width x%d\n"+
			"\t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n", speed(m.Gen), width, speed(m.Gen), width)
		if bus != "" {
			on := "-"
			if acs {
				on = "+"
			}
			fmt.Fprintf(b, "\tCapabilities: [148 v1] Access Control Services\n\t\tACSCap:\tSrcValid+ TransBlk+ "+
				"ReqRedir+ CmpltRedir+ "+
				"UpstreamFwd+ EgressCtrl- DirectTrans-\n\t\tACSCtl:\tSrcValid%s TransBlk- ReqRedir%s CmpltRedir%s "+
				"UpstreamFwd%s EgressCtrl- "+
				"DirectTrans-\n", on, on, on, on)
		}
	}
	if driver != "" {
		fmt.Fprintf(b, "\tKernel driver in use: %s\n", driver)
	}
	b.WriteString("\n")
}

func (m *maker) pci() {
	var b, sys strings.Builder
	function := func(at, parents string, node int) {
		ids := [4]string{"0x8086", "0x352a", "0x8086", "0x0000"}
		if strings.Contains(at, ":00.0") && strings.HasSuffix(parents, ":01.0/") {
			ids = [4]string{"0x1000", "0xc030", "0x1000", "0x100b"}
		}
		for k, key := range []string{"vendor", "device", "subsystem_vendor", "subsystem_device"} {
			fmt.Fprintf(&sys, "/sys/bus/pci/devices/%s/%s:%s\n", at, key, ids[k])
		}
		fmt.Fprintf(&sys, "/sys/bus/pci/devices/%s -> ../../../devices/%s%s\n", at, parents, at)
		fmt.Fprintf(&sys, "/sys/bus/pci/devices/%s/numa_node:%d\n", at, node)
		for _, which := range []string{"current", "max"} {
			s := strings.Replace(speed(m.Gen), "GT/s", ".0 GT/s PCIe", 1)
			fmt.Fprintf(&sys,
				"/sys/bus/pci/devices/%s/%s_link_speed:%s\n/sys/bus/pci/devices/%s/%s_link_width:16\n", at, which, s, at, which)
		}
	}
	for i := range m.GPUs {
		base := m.bus(i)
		bus := func(k int) string { return fmt.Sprintf("%02x", base+k) }
		root := "0000:" + bus(0) + ":01.0"
		up, toGPU, toNIC := "0000:"+bus(1)+":00.0", "0000:"+bus(2)+":00.0", "0000:"+bus(2)+":01.0"
		node := m.node(i)
		acs := m.VMs
		m.lspci(&b, root, "PCI bridge", "Intel Corporation Device 352a (rev 30)", "pcieport", bus(1), node, acs)
		m.lspci(&b, up, "PCI bridge", "Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)", "pcieport", bus(2), node, false)
		m.lspci(&b, toGPU, "PCI bridge", "Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)", "pcieport", bus(3), node, acs)
		toRoot := "pci0000:" + bus(0) + "/" + root + "/" + up + "/" + toNIC + "/"
		if m.Apart == i+1 {
			far := "0000:" + bus(5) + ":02.0"
			m.lspci(&b, far, "PCI bridge", "Intel Corporation Device 352a (rev 30)", "pcieport", bus(4), 1-node, acs)
			function(far, "pci0000:"+bus(5)+"/", 1-node)
			toRoot = "pci0000:" + bus(5) + "/" + far + "/"
		} else {
			m.lspci(&b, toNIC, "PCI bridge", "Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)", "pcieport", bus(4), node, acs)
		}
		above := "pci0000:" + bus(0) + "/" + root + "/"
		function(root, "pci0000:"+bus(0)+"/", node)
		function(up, above, node)
		function(toGPU, above+up+"/", node)
		if m.Apart != i+1 {
			function(toNIC, above+up+"/", node)
		}
		if !m.NoGPU {
			class, name, driver := "3D controller", "NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)", "nvidia"
			if m.AMD {
				class, name, driver = "Processing accelerators", "Advanced Micro Devices, Inc. [AMD/ATI] Aqua "+
					"Vanjaram [Instinct MI300X]", "amdgpu"
			} else if m.Gen == 4 {
				name = "NVIDIA Corporation GA100 [A100 SXM4 80GB] (rev a1)"
			}
			m.lspci(&b, m.gpu(i), class, name, driver, "", node, false)
			function(m.gpu(i), above+up+"/"+toGPU+"/", node)
		}
		class, name := "Ethernet controller", "Mellanox Technologies MT2910 Family [ConnectX-7]"
		switch {
		case m.IB:
			class = "Infiniband controller"
		case m.Bnxt:
			name = "Broadcom Inc. and subsidiaries BCM57608 10Gb/25Gb/50Gb/100Gb/200Gb/400Gb Ethernet (rev 11)"
		case m.Gen == 4:
			name = "Mellanox Technologies MT28908 Family [ConnectX-6]"
		}
		m.lspci(&b, m.nic(i), class, name, m.driver(), "", m.nicNode(i), false)
		function(m.nic(i), toRoot, m.nicNode(i))
		if m.VMs {
			fmt.Fprintf(&sys, "/sys/bus/pci/devices/%s/sriov_numvfs:8\n/sys/bus/pci/devices/%s/sriov_totalvfs:16\n",
				m.nic(i), m.nic(i))
		}
	}
	m.put("lspci", "lspci -D -vv", b.String())
	m.put("pci", "sysfs", sys.String())
	var groups strings.Builder
	for i := range m.GPUs {
		fmt.Fprintf(&groups, "/sys/kernel/iommu_groups/%d/devices/%s\n/sys/kernel/iommu_groups/%d/type:identity\n",
			i+10, m.nic(i), i+10)
		if !m.NoGPU {
			fmt.Fprintf(&groups,
				"/sys/kernel/iommu_groups/%d/devices/%s\n/sys/kernel/iommu_groups/%d/type:identity\n", i+30, m.gpu(i), i+30)
		}
	}
	m.put("iommu", "sysfs", groups.String())
}

// gids are the entries of a table: link-local and IPv4, each as RoCE v1 and v2.
func (m *maker) gids(i int) [4]string {
	local := fmt.Sprintf("fe80:0000:0000:0000:0a00:00ff:fe%02x:%04x", i+1, m.Host)
	v4 := fmt.Sprintf("0000:0000:0000:0000:0000:ffff:0a%02x:%04x", i+1, m.Host)
	return [4]string{local, local, v4, v4}
}

func (m *maker) rdma() {
	var sys, link, gids, dev2net, info strings.Builder
	gids.WriteString("DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------ " +
		" \t---\t---\n")
	for i := range m.GPUs {
		name, dir := m.rdmaName(i), "/sys/class/infiniband/"+m.rdmaName(i)
		fmt.Fprintf(&sys, "%s/device -> ../../../%s\n%s/device/net/%s\n%s/fw_ver:%s\n", dir, m.nic(i), dir,
			m.netdev(i), dir, m.firmware())
		layer := "Ethernet"
		if m.IB {
			layer = "InfiniBand"
		}
		fmt.Fprintf(&sys, "%s/ports/1/state:4: ACTIVE\n%s/ports/1/rate:400 Gb/sec (4X "+
			"NDR)\n%s/ports/1/link_layer:%s\n", dir, dir, dir, layer)
		fmt.Fprintf(&info, "hca_id:\t%s\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t%s\n\tnode_guid: "+
			"-\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n"+
			"\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t4096 "+
			"(5)\n\t\t\tsm_lid:\t\t\t0\n"+
			"\t\t\tlink_layer:\t\t%s\n", name, m.firmware(), layer)
		if m.IB {
			fmt.Fprintf(&sys, "%s/ports/1/gids/0:fe80:0000:0000:0000:0a00:00ff:fe00:%04x\n", dir, i)
		} else {
			for k, g := range m.gids(i) {
				kind, short := "IB/RoCE v1", "v1"
				if k%2 == 1 {
					kind, short = "RoCE v2", "v2"
				}
				fmt.Fprintf(&sys, "%s/ports/1/gids/%d:%s\n%s/ports/1/gid_attrs/types/%d:%s\n%s/ports/1/gid_attrs/ndevs/%d:%s\n",
					dir, k, g, dir, k, kind, dir, k, m.netdev(i))
				v4 := ""
				if k > 1 {
					v4 = m.ip4(i)
				}
				fmt.Fprintf(&gids, "%s\t1\t%d\t%s\t%s  \t%s\t%s\n", name, k, g, v4, short, m.netdev(i))
				fmt.Fprintf(&info, "\t\t\tGID[%3d]:\t\t%s, RoCE %s\n", k, g, short)
			}
		}
		for _, c := range []string{"counters/port_xmit_discards", "counters/symbol_error", "counters/link_downed",
			"hw_counters/out_of_sequence", "hw_counters/packet_seq_err", "hw_counters/local_ack_timeout_err"} {
			fmt.Fprintf(&sys, "%s/ports/1/%s:0\n", dir, c)
		}
		if !m.IB && !m.Bnxt {
			fmt.Fprintf(&sys, "%s/tc/1/traffic_class:Global tclass=%d\n", dir, m.DSCP*4+2)
		}
		fmt.Fprintf(&link, "link %s/1 state ACTIVE physical_state LINK_UP netdev %s \n", name, m.netdev(i))
		fmt.Fprintf(&dev2net, "%s port 1 ==> %s (Up)\n", name, m.netdev(i))
	}
	m.put("infiniband", "sysfs", sys.String())
	m.put("ibv_devinfo", "ibv_devinfo -v", info.String())
	m.put("rdma-link", "rdma link show", link.String())
	if !m.Inbox && !m.IB {
		m.put("show_gids", "show_gids", gids.String())
	}
	if !m.Inbox {
		m.put("ibdev2netdev", "ibdev2netdev", dev2net.String())
	}
}

func (m *maker) ip() {
	var addr, route, rule, sys strings.Builder
	addr.WriteString("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n" +
		"    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n       " +
		"valid_lft forever preferred_lft forever\n" +
		"2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000\n" +
		fmt.Sprintf("    link/ether 0a:00:00:00:00:%02x brd ff:ff:ff:ff:ff:ff\n    inet 192.0.2.%d/24 brd "+
			"192.0.2.255 scope global eth0\n", m.Host, m.Host))
	route.WriteString("default via 192.0.2.254 dev eth0 proto static \n")
	rule.WriteString("0:\tfrom all lookup local\n")
	for i := range m.GPUs {
		dev := m.netdev(i)
		kind := fmt.Sprintf("link/ether 0a:00:00:%02x:%02x:%02x brd ff:ff:ff:ff:ff:ff", i+1, 0, m.Host)
		mtu := 9000
		if m.IB {
			kind, mtu = "link/infiniband 00:00 brd 00:ff", 4092
		}
		fmt.Fprintf(&addr, "%d: %s: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu %d qdisc mq state UP group default qlen 1000\n    %s\n"+
			"    inet %s/24 brd 10.%d.0.255 scope global %s\n       valid_lft forever preferred_lft forever\n", i+3,
			dev, mtu, kind, m.ip4(i), i+1, dev)
		if !m.IB {
			fmt.Fprintf(&route, "default via 10.%d.0.254 dev %s table %d \n10.%d.0.0/24 dev %s table %d scope link "+
				"\n", i+1, dev, 101+i, i+1, dev, 101+i)
			fmt.Fprintf(&rule, "%d:\tfrom %s lookup %d\n", 1000+i, m.ip4(i), 101+i)
		}
		fmt.Fprintf(&route, "10.%d.0.0/24 dev %s proto kernel scope link src %s \n", i+1, dev, m.ip4(i))
		fmt.Fprintf(&route, "local %s dev %s table local proto kernel scope host src %s \n", m.ip4(i), dev, m.ip4(i))
	}
	for _, dev := range append([]string{"all", "default", "eth0"}, m.devs()...) {
		fmt.Fprintf(&sys, "net.ipv4.conf.%s.arp_announce = 2\nnet.ipv4.conf.%s.arp_filter = 0\nnet.ipv4.conf.%s.arp_ignore = 1\n"+
			"net.ipv4.conf.%s.rp_filter = %d\n", dev, dev, dev, dev, map[bool]int{true: 0, false: 2}[dev == "all"])
	}
	rule.WriteString("32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n")
	m.put("ip-addr", "ip addr show", addr.String())
	m.put("ip-route", "ip route show table all", route.String())
	m.put("ip-rule", "ip rule show", rule.String())
	m.put("sysctl", "sysctl -a", sys.String())
	if m.IB {
		return
	}
	text := "-------------------------------------------------------------------------------\nLLDP neighbors:\n" +
		"-------------------------------------------------------------------------------\n"
	for i := range m.GPUs {
		text += fmt.Sprintf("Interface:    %s, via: LLDP, RID: %d, Time: 0 day, 00:10:00\n  Chassis:     \n    "+
			"ChassisID:    mac 0a:00:00:ff:00:%02x\n"+
			"    SysName:      leaf%d\n  Port:        \n    PortID:       ifname Ethernet1/%d\n    PortDescr:    Ethernet1/%d\n"+
			"-------------------------------------------------------------------------------\n", m.netdev(i), i+1,
			i+1, i+1, m.Host, m.Host)
	}
	m.put("lldpctl", "lldpctl", text)
}

func (m *maker) devs() (all []string) {
	for i := range m.GPUs {
		all = append(all, m.netdev(i))
	}
	return all
}

func (m *maker) nics() {
	var net strings.Builder
	for i, dev := range m.devs() {
		fmt.Fprintf(&net, "/sys/class/net/%s/device -> ../../../%s\n", dev, m.nic(i))
		if m.IB {
			continue
		}
		if !m.Bnxt {
			fmt.Fprintf(&net, "/sys/class/net/%s/ecn/roce_np/cnp_dscp:48\n", dev)
			for p := range 8 {
				fmt.Fprintf(&net,
					"/sys/class/net/%s/ecn/roce_np/enable/%d:1\n/sys/class/net/%s/ecn/roce_rp/enable/%d:1\n", dev, p, dev, p)
			}
		}
		m.put("ethtool", "ethtool "+dev, "Settings for "+dev+":\n\tSupported ports: [ Backplane ]\n\tSpeed: "+
			"400000Mb/s\n\tDuplex: Full\n"+
			"\tAuto-negotiation: on\n\tPort: Direct Attach Copper\n\tLink detected: yes\n")
		info := "driver: " + m.driver() + "\nversion: 24.01-0.3.3\nfirmware-version: " + m.firmware() +
			" (MT_0000000838)\nexpansion-rom-version: \nbus-info: " +
			m.nic(i) + "\nsupports-statistics: yes\nsupports-test: yes\n"
		if !m.Bare {
			m.put("ethtool-i", "ethtool -i "+dev, info)
		}
		m.put("ethtool-k", "ethtool -k "+dev, "Features for "+dev+":\nrx-checksumming: on\ntx-checksumming: "+
			"on\nntuple-filters: off\n")
		m.put("ethtool-g", "ethtool -g "+dev, "Ring parameters for "+dev+":\nPre-set maximums:\nRX:\t\t8192\nRX "+
			"Mini:\tn/a\nTX:\t\t8192\n"+
			"Current hardware settings:\nRX:\t\t1024\nRX Mini:\tn/a\nTX:\t\t1024\n")
		m.put("ethtool-a", "ethtool -a "+dev, "Pause parameters for "+dev+":\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n")
		if m.Bare { // of commands whose outputs do not say the interface
			continue
		}
		m.put("ethtool-S", "ethtool -S "+dev, "NIC statistics:\n     rx_packets: 1021\n     rx_out_of_buffer: 0\n    "+
			" rx_symbol_err_phy: 0\n"+
			"     rx_discards_phy: 0\n     tx_prio3_pause: 12\n     rx_pcs_symbol_err_phy: 0\n     link_down_events_phy: 0\n")
		m.put("ethtool-m", "ethtool -m "+dev, "\tIdentifier                                : 0x18 (QSFP-DD Double "+
			"Density 8X Pluggable Transceiver (INF-8628))\n"+
			"\tVendor SN                                 : -\n\tCable assembly length                     : "+
			"3.0m\n\tLength (SMF)                              : 0.0km\n")
		prio := m.DSCP / 8
		if m.Inbox {
			state := ""
			for p := range 8 {
				state += fmt.Sprintf(" %d:%s", p, map[bool]string{true: "on", false: "off"}[p == prio])
			}
			m.put("dcb", "dcb pfc show dev "+dev, "pfc-cap 8 macsec-bypass off delay 0\nprio-pfc"+state+" \n")
			m.put("dcb", "dcb app show dev "+dev, fmt.Sprintf("dscp-prio %d:%d 48:6 \n", m.DSCP, prio))
			m.put("dcb", "dcb apptrust show dev "+dev, "order dscp \n")
			continue
		}
		text := "DCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n"
		for p := range 8 {
			text += fmt.Sprintf("\tprio:%d dscp:", p)
			for d := 7; d >= 0; d-- {
				text += fmt.Sprintf("%02d,", 8*p+d)
			}
			text += "\n"
		}
		text += "default priority:\nReceive buffer size (bytes): " +
			"20016,156096,0,0,0,0,0,0,max_buffer_size=2097152\nCable len: 7\nPFC configuration:\n" +
			"\tpriority    0   1   2   3   4   5   6   7\n\tenabled  "
		for p := range 8 {
			text += fmt.Sprintf("   %d", map[bool]int{true: 1}[p == prio])
		}
		text += "   \n\tbuffer      0   0   0   1   0   0   0   0   \ntc: 0 ratelimit: unlimited, tsa: vendor\n\t " +
			"priority:  1\n" +
			"tc: 3 ratelimit: unlimited, tsa: vendor\n\t priority:  3\n"
		m.put("mlnx_qos", "mlnx_qos -i "+dev, text)
	}
	m.put("net", "sysfs", net.String())
}

func (m *maker) gpus() {
	if m.AMD {
		return
	}
	version := "535.161.08"
	kind := "x86_64 Kernel Module"
	licence := "NVIDIA"
	if m.Open {
		kind, licence, version = "Open Kernel Module for x86_64", "Dual MIT/GPL", "550.54.15"
	}
	m.put("nvidia-version", "cat /proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX "+
		""+kind+"  "+version+"  Tue Mar  5 22:15:33 UTC 2024\n"+
		"GCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)\n")
	if !m.Bare {
		m.put("modinfo", "modinfo -F license nvidia", licence+"\n")
	}
	head := ""
	for i := range m.GPUs {
		head += fmt.Sprintf("\tGPU%d", i)
	}
	for i := range m.GPUs {
		head += fmt.Sprintf("\tNIC%d", i)
	}
	text := head + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
	near := func(i, j int) string {
		switch {
		case i == j && m.Apart != j+1:
			return "PXB"
		case m.node(i) == m.nicNode(j):
			return "NODE"
		}
		return "SYS"
	}
	for i := range m.GPUs {
		text += fmt.Sprintf("GPU%d", i)
		for j := range m.GPUs {
			text += "\t" + map[bool]string{true: " X ", false: "NV18"}[i == j]
		}
		for j := range m.GPUs {
			text += "\t" + near(i, j)
		}
		text += fmt.Sprintf("\t0-3\t%d\t\tN/A\n", m.node(i))
	}
	for i := range m.GPUs {
		text += fmt.Sprintf("NIC%d", i)
		for j := range m.GPUs {
			text += "\t" + near(j, i)
		}
		for j := range m.GPUs {
			switch {
			case i == j:
				text += "\t X "
			case m.nicNode(i) == m.nicNode(j):
				text += "\tNODE"
			default:
				text += "\tSYS"
			}
		}
		text += "\n"
	}
	text += "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe as well as the SMP interconnect between " +
		"NUMA nodes (e.g., QPI/UPI)\n\nNIC Legend:\n\n"
	for i := range m.GPUs {
		text += fmt.Sprintf("  NIC%d: %s\n", i, m.rdmaName(i))
	}
	m.put("nvidia-topo", "nvidia-smi topo -m", text)
	var q strings.Builder
	fmt.Fprintf(&q, "\n==============NVSMI LOG==============\n\nTimestamp                                 : Fri Mar  "+
		"8 10:00:00 2024\n"+
		"Driver Version                            : %s\nCUDA Version                              : "+
		"12.4\n\nAttached GPUs                             : %d\n", version, m.GPUs)
	for i := range m.GPUs {
		fmt.Fprintf(&q, "GPU 0000%s\n    Product Name                          : NVIDIA H100 80GB HBM3\n    GPU UUID "+
			"                             : -\n"+
			"    PCI\n        Bus                               : 0x%02X\n        GPU Link Info\n            PCIe Generation\n"+
			"                Max                       : %d\n                Current                   : %d\n        "+
			"        Device Current            : %d\n"+
			"            Link Width\n                Max                       : 16x\n                Current        "+
			"           : 16x\n"+
			"    Fan Speed                             : N/A\n", strings.ToUpper(m.gpu(i)), m.bus(i)+3, m.Gen, m.Gen, m.Gen)
	}
	m.put("nvidia-q", "nvidia-smi -q", q.String())
}

func (m *maker) log() {
	text := "host1:4242:4242 [0] NCCL INFO Bootstrap : Using eth0:192.0.2.1<0>\nNCCL version " +
		"2.21.5+cuda12.4\nhost1:4242:4301 [0] NCCL INFO NET/IB : Using"
	for i := range m.GPUs {
		text += fmt.Sprintf(" [%d]%s:1/RoCE", i, m.rdmaName(i))
	}
	m.files["nccl.log"] = &strings.Builder{}
	m.names = append(m.names, "nccl.log")
	m.files["nccl.log"].WriteString(text + " [RO]; OOB eth0:192.0.2.1<0>\n")
}
