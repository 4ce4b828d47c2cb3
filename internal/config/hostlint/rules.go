package hostlint

import (
	"slices"

	"railyard/internal/config/lint"
)

// Rules are all of them, by number.
var Rules = []lint.Rule{
	{ID: "H01", Title: "NCCL takes a GID of RoCEv2 and IPv4", Reason: "RoCEv1 is not routed, and a link-local GID " +
		"reaches no other subnet: " +
		"connections fail or never leave the rail", Fix: "NCCL_IB_GID_INDEX of the RoCEv2 IPv4 entry, or NCCL 2.21, " +
		"which finds it"},
	{ID: "H02", Title: "MTUs hold the fabric's RDMA MTU", Reason: "the RDMA MTU is the largest of 256 to 4096 that " +
		"fits the interface's: with 1500 it is " +
		"1024, four times the packets", Fix: "the fabric's MTU on each NIC, such as 9000"},
	{ID: "H03", Title: "NICs trust DSCP and pause the priority of RoCE data",
		Reason: "data is in another priority than at the switch: it is dropped where " +
			"nothing pauses", Fix: "mlnx_qos --trust dscp --pfc, or dcb apptrust and dcb pfc, as the switch has it"},
	{ID: "H04", Title: "NCCL's traffic class is the design's DSCP with ECT",
		Reason: "switches put data into another class, or drop where they " +
			"would mark: only packets with ECT are marked (RFC 3168)", Fix: "NCCL_IB_TC = 4 x DSCP + 2, such as 106 for DSCP 26"},
	{ID: "H05", Title: "CNPs have the design's DSCP", Reason: "CNPs wait behind data, or are dropped",
		Fix: "cnp_dscp of each NIC as the switches have it"},
	{ID: "H06", Title: "DCQCN is on at the NIC", Reason: "senders do not slow down when switches mark: PFC is all " +
		"that is left", Fix: "ecn/roce_np/enable and " +
		"ecn/roce_rp/enable of the priority to 1"},
	{ID: "H07", Title: "no pause of the whole port", Reason: "802.3x stops all priorities, and NICs do not use PFC " +
		"beside it", Fix: "ethtool -A DEV rx off tx off"},
	{ID: "H08", Title: "each NIC routes by itself", Reason: "what is not on its own subnet leaves by one NIC for all " +
		"of them", Fix: "a routing table with a gateway " +
		"and a source rule for each NIC"},
	{ID: "H09", Title: "rp_filter and ARP settings suit several NICs",
		Reason: "strict rp_filter drops what comes in by another NIC than answers would take; " +
			"without arp_ignore a NIC answers for the address of another one",
		Fix: "rp_filter 2 or 0; arp_ignore 1 and arp_announce 2"},
	{ID: "H10", Title: "PCIe links are as wide and fast as both ends can",
		Reason: "a link of half the width carries half", Fix: "reseat the card, or another slot; " +
			"see the firmware's settings of the slot"},
	{ID: "H11", Title: "ACS does not redirect traffic of peers", Reason: "what a GPU sends to the NIC beside it goes " +
		"up to the CPU and back", Fix: "ACS off in the firmware, " +
		"or setpci on the bridges; not where virtual machines are given devices"},
	{ID: "H12", Title: "the IOMMU passes through", Reason: "each DMA is translated",
		Fix: "iommu=pt on the kernel's command line"},
	{ID: "H13", Title: "relaxed ordering is on", Reason: "writes to memory wait for each other",
		Fix: "PCI relaxed ordering in the firmware, or setpci at the NIC"},
	{ID: "H14", Title: "a GPU has a NIC on its NUMA node", Reason: "traffic between GPU and NIC crosses the link of " +
		"the sockets", Fix: "the NIC in a slot of the GPU's socket"},
	{ID: "H15", Title: "a NIC is on its rail", Reason: "traffic of one index meets that of another on a leaf, or " +
		"goes over spines", Fix: "move the cable"},
	{ID: "H16", Title: "NICs reach GPU memory", Reason: "without nvidia_peermem and without dma-buf all goes through " +
		"host memory: about half the throughput, " +
		"no error", Fix: "modprobe nvidia_peermem, or the open GPU driver with Linux 5.12"},
	{ID: "H17", Title: "memory may be locked", Reason: "registering memory fails",
		Fix: "memlock unlimited in limits.conf and of the container"},
	{ID: "H18", Title: "CPUs run at full clock", Reason: "the proxy thread of NCCL posts later",
		Fix: "cpupower frequency-set -g performance"},
	{ID: "H19", Title: "NICs of one model have one firmware", Reason: "they differ in defaults and in bugs",
		Fix: "the same firmware on all"},
	{ID: "H20", Title: "links have no errors", Reason: "what is corrupt is dropped, and go-back-N repeats all after " +
		"it", Fix: "clean or change cable and transceiver"},
	{ID: "H21", Title: "cables are as long as the design's", Reason: "headroom was reckoned for a shorter one",
		Fix: "the cable of the design, or more headroom"},
	{ID: "H22", Title: "bonds are of a mode that RDMA takes", Reason: "the driver joins the ports for RDMA in modes " +
		"1, 2 and 4 only", Fix: "mode 802.3ad"},
	{ID: "H23", Title: "virtual functions are alike", Reason: "a pod finds none on that NIC",
		Fix: "the same sriov_numvfs on all"},
	{ID: "H24", Title: "NCCL took each NIC", Reason: "the GPU of a NIC that is missing sends by another one's",
		Fix: "NCCL_IB_HCA, the state of the port, its GID"},
	{ID: "H25", Title: "every line that matters is understood", Reason: "what is not read is not checked", Fix: "see the line"},
	{ID: "H26", Title: "hosts are alike", Reason: "the slowest host sets the step", Fix: "as the others have it"},
	{ID: "H27", Title: "an address is one host's", Reason: "packets go to whoever answered last",
		Fix: "an address of its own for each"},
	{ID: "H28", Title: "all hosts of the design are there, and no other",
		Reason: "a host that is missing was not checked", Fix: "its folder, named as the design calls it"},
	{ID: "H29", Title: "NCCL and the GPU driver see the board that the host has",
		Reason: "NCCL chooses NICs, rings and trees by a board that is not there",
		Fix:    "what hides PCIe (a virtual machine, a container's /sys), or a file for NCCL_TOPO_FILE that the host has"},
}

// RuleOf returns a rule by its number.
func RuleOf(id string) lint.Rule {
	return Rules[slices.IndexFunc(Rules, func(r lint.Rule) bool { return r.ID == id })]
}
