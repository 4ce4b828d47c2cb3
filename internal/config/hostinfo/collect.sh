#!/bin/sh
# What a GPU server says about itself, as files in a new folder, for `railyard hosts lint FOLDER`.
#
#   sh collect.sh FOLDER      as root: lspci shows what others may not see
#
# It reads. It changes no setting, loads no module, opens no connection, and writes into FOLDER alone, which it makes.
# A command that is not there, or takes longer than 20 seconds, is passed over. Serial numbers and UUIDs are cut.
# Of the environment it takes NCCL_* alone. Put a log of NCCL (NCCL_DEBUG=INFO) and what it
# writes with NCCL_TOPO_DUMP_FILE beside the files if there is one.
set -u
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
umask 077

if [ $# -ne 1 ] || [ -z "$1" ]; then
	echo "usage: sh $0 FOLDER (a new one)" >&2
	exit 2
fi
case $1 in
/*) out=$1 ;;
*) out=./$1 ;;
esac
mkdir "$out" || exit 1

# cut takes out serial numbers and UUIDs, and entries of GID tables that are empty.
cut_identity() {
	sed -e 's/\([Ss]erial [Nn]umber[^:]*[: ]\).*/\1 -/' -e 's/\(Vendor SN *:\).*/\1 -/' -e 's/\(sys_image_guid:\).*/\1 -/' \
		-e 's/\(node_guid:\).*/\1 -/' -e '/gids\/[0-9]*:0000:0000:0000:0000:0000:0000:0000:0000$/d' \
		-e 's/[0-9A-Fa-f]\{8\}-[0-9A-Fa-f]\{4\}-[0-9A-Fa-f]\{4\}-[0-9A-Fa-f]\{4\}-[0-9A-Fa-f]\{12\}/-/g'
}

# limited runs a command for at most 20 seconds.
if timeout 1 true 2>/dev/null; then
	limited() { timeout 20 "$@"; }
elif ! command -v sleep >/dev/null 2>&1; then
	limited() { "$@"; }
else
	limited() {
		"$@" &
		work=$!
		(
			n=0
			while [ $n -lt 20 ] && kill -0 $work; do
				sleep 1
				n=$((n + 1))
			done
			kill $work
		) >/dev/null 2>&1 &
		wait $work
	}
fi

# run FILE COMMAND...: adds what the command prints to FILE, with the command before it and how it ended behind it.
run() {
	file=$1
	shift
	command -v "$1" >/dev/null 2>&1 || return 0
	{
		printf '# railyard hosts: %s\n' "$*"
		limited "$@" </dev/null 2>/dev/null
		printf '\n# exit %d\n' $?
	} | cut_identity >>"$out/$file"
}

# part FILE NAME: adds what stands on standard input.
part() {
	{
		printf '# railyard hosts: %s\n' "$2"
		cat
		printf '\n# exit 0\n'
	} | cut_identity >>"$out/$1"
}

# values prints FILE:VALUE of those that are there, and links prints LINK -> TARGET.
values() {
	some=
	for f in "$@"; do
		if [ -r "$f" ]; then
			some=y
			break
		fi
	done
	[ -z "$some" ] || limited grep -s -H . "$@" </dev/null 2>/dev/null
}
links() {
	command -v readlink >/dev/null 2>&1 || return 0
	for f in "$@"; do
		[ -L "$f" ] && printf '%s -> %s\n' "$f" "$(readlink "$f")"
	done
}

run uname uname -srm
run cmdline cat /proc/cmdline
ulimit -l 2>/dev/null | part ulimit 'ulimit -l'
env | sed -n '/^NCCL_[A-Z0-9_]*=/p' | part environment env
[ -r /etc/nccl.conf ] && run nccl.conf cat /etc/nccl.conf
run lsmod lsmod
run numactl numactl --hardware
run lscpu lscpu
run lspci lspci -D -vv
run lspci-tree lspci -D -t
if command -v dmesg >/dev/null 2>&1; then
	limited dmesg 2>/dev/null </dev/null |
		grep -E 'mlx5|mlx4|bnxt|irdma| ice |i40e|ixgbe|AER|PCIe Bus|NVRM|nvidia|pcieport|limited by' | part dmesg dmesg
fi

values /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor | part governors sysfs
{
	links /sys/bus/pci/devices/*
	values /sys/bus/pci/devices/*/numa_node /sys/bus/pci/devices/*/class
	values /sys/bus/pci/devices/*/current_link_speed /sys/bus/pci/devices/*/current_link_width
	values /sys/bus/pci/devices/*/max_link_speed /sys/bus/pci/devices/*/max_link_width
	values /sys/bus/pci/devices/*/vendor /sys/bus/pci/devices/*/device
	values /sys/bus/pci/devices/*/subsystem_vendor /sys/bus/pci/devices/*/subsystem_device
	values /sys/bus/pci/devices/*/sriov_numvfs /sys/bus/pci/devices/*/sriov_totalvfs
} | part pci sysfs
{
	for f in /sys/kernel/iommu_groups/*/devices/*; do
		[ -e "$f" ] && printf '%s\n' "$f"
	done
	values /sys/kernel/iommu_groups/*/type
} | part iommu sysfs
{
	links /sys/class/infiniband/*/device
	for f in /sys/class/infiniband/*/device/net/*; do
		[ -e "$f" ] && printf '%s\n' "$f"
	done
	values /sys/class/infiniband/*/fw_ver /sys/class/infiniband/*/tc/*/traffic_class
	values /sys/class/infiniband/*/ports/*/state /sys/class/infiniband/*/ports/*/rate /sys/class/infiniband/*/ports/*/link_layer
	values /sys/class/infiniband/*/ports/*/gids/*
	values /sys/class/infiniband/*/ports/*/gid_attrs/types/*
	values /sys/class/infiniband/*/ports/*/gid_attrs/ndevs/*
	values /sys/class/infiniband/*/ports/*/counters/*
	values /sys/class/infiniband/*/ports/*/hw_counters/*
} | part infiniband sysfs
{
	links /sys/class/net/*/device
	values /sys/class/net/*/mtu /sys/class/net/*/speed /sys/class/net/*/operstate
	values /sys/class/net/*/device/sriov_numvfs /sys/class/net/*/device/sriov_totalvfs
	values /sys/class/net/*/ecn/roce_np/cnp_dscp /sys/class/net/*/ecn/roce_np/enable/* /sys/class/net/*/ecn/roce_rp/enable/*
} | part net sysfs

run ibv_devinfo ibv_devinfo -v
run rdma-link rdma link show
run rdma-statistic rdma statistic show
run show_gids show_gids
run ibdev2netdev ibdev2netdev
run ip-addr ip addr show
run ip-route ip route show table all
run ip-route ip -6 route show table all
run ip-rule ip rule show
run ip-neigh ip neigh show
if command -v sysctl >/dev/null 2>&1; then
	limited sysctl -a 2>/dev/null </dev/null |
		grep -E '^net\.ipv4\.conf\.[^ ]*\.(rp_filter|arp_ignore|arp_announce|arp_filter|accept_local) *=' | part sysctl 'sysctl -a'
fi
run lldpctl lldpctl

for f in /sys/class/net/*; do
	dev=${f##*/}
	[ -e "$f/device" ] || continue # no virtual ones
	run ethtool ethtool "$dev"
	run ethtool-i ethtool -i "$dev"
	run ethtool-k ethtool -k "$dev"
	run ethtool-S ethtool -S "$dev"
	run ethtool-g ethtool -g "$dev"
	run ethtool-a ethtool -a "$dev"
	run ethtool-m ethtool -m "$dev"
	run mlnx_qos mlnx_qos -i "$dev"
	run dcb dcb pfc show dev "$dev"
	run dcb dcb app show dev "$dev"
	run dcb dcb apptrust show dev "$dev"
	run dcb dcb ets show dev "$dev"
done
for f in /proc/net/bonding/*; do
	[ -r "$f" ] && run bonding cat "$f"
done

[ -r /proc/driver/nvidia/version ] && run nvidia-version cat /proc/driver/nvidia/version
if [ -d /sys/module/nvidia ]; then
	run modinfo modinfo -F license nvidia
	run nvidia-topo nvidia-smi topo -m
	run nvidia-q nvidia-smi -q
fi
exit 0
