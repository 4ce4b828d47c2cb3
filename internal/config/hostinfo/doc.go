// Package hostinfo reads what a GPU server says about itself: the folder that the script of `railyard hosts collect` fills,
// or outputs of the same commands that somebody has put together.
//
//	files of a folder --sections--> lspci, ip, ethtool, sysfs, ... --one reader each--> Host
//
// A section is what one command printed. Its kind is told by the line before it (the script's "# railyard hosts: COMMAND",
// or a shell's prompt with the command), else by its content. The script says behind it how the command ended.
//
// Lines have classes: understood, of no matter, not understood. A line that begins as one that matters and goes on otherwise
// is not understood; it is never half a value. What failed, was denied or is missing is not collected: it leaves no value
// and no claim. What rests on absence (a module that is not loaded) asks Complete.
//
// Invariants: Read is a function of the files; every value has the line that says it; values of one thing from several
// commands are one (the first that says it); sizes are bounded; the script writes into one new folder alone.
//
// Not here: what is wrong with a host (package hostlint), where the files lie.
//
// Sources of the forms: lspci(8), ip(8), ethtool(8), dcb(8), rdma(8), lldpcli(8), ibv_devinfo(1) and their sources (pciutils,
// iproute2, ethtool, rdma-core); the kernel's Documentation/ABI (sysfs-class-infiniband, sysfs-bus-pci); NVIDIA: mlnx_qos,
// show_gids, ibdev2netdev (MLNX_OFED), nvidia-smi. See docs/hosts.md.
package hostinfo
