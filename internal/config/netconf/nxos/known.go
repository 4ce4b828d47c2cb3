package nxos

import (
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// otherFeatures are those that change nothing of what is read.
var otherFeatures = []string{"scp-server", "sftp-server", "tacacs+", "hsrp", "lacp", "dhcp", "nxapi", "ssh",
	"telnet", "ospf", "pim", "msdp",
	"udld", "nv overlay", "vn-segment-vlan-based", "fabric forwarding", "evpn", "bash-shell", "grpc", "netconf",
	"restconf", "sflow", "ptp",
	"isis", "eigrp", "rip", "private-vlan", "ngoam", "telemetry", "openconfig", "scheduler", "signed-sflow",
	"icam", "hardware-telemetry",
	"analytics", "netflow", "pbr", "vrrp", "vrrpv3", "nat", "mpls", "ospfv3", "dot1x", "ldap", "radius",
	"macsec", "multi-site", "itd", "sla",
	"cdp", "password encryption", "guestshell", "tunnel", "wccp", "intelligent-traffic-director", "catena",
	"nbm", "ptp-telemetry"}

// knownAtTop is how lines of the device begin that say nothing of what it does with packets of the fabric.
var knownAtTop = []string{"version", "!", "aaa", "alias", "arp", "banner", "boot", "callhome", "cdp", "cfs",
	"clock", "cli", "control-plane",
	"copp", "crypto", "errdisable", "evpn", "event", "fabric", "hardware access-list", "hardware forwarding",
	"hardware qos", "hardware rate-limiter",
	"hardware profile portmode", "hardware profile tcam", "hardware profile multicast", "hardware ip",
	"hardware ecmp", "hardware counter", "hardware profile", "port-channel load-balance", "ip source", "xml",
	"no xml", "switching-mode", "nv overlay", "nxapi", "slot", "poweroff", "vdc", "power", "license",
	"install", "no ip",
	"no ipv6", "key", "key-chain", "keystore", "fex", "tacacs-server", "radius-server", "radius", "telemetry",
	"flow", "monitor", "object-group",
	"time-range", "track", "ptp", "sflow", "spanning-tree", "ssh", "telnet", "udld", "route-map",
	"ipv6 prefix-list", "mac",
	"mac-list", "l2vpn", "mpls", "nat", "ngoam", "no system", "no snmp-server", "no logging", "no service",
	"no hardware", "no lldp run", "lacp",
	"configure", "copy", "terminal", "lldp holdtime", "lldp reinit", "lldp timer", "lldp portid-subtype",
	"lldp chassis-id", "service", "sla", "load-interval",
	"icam", "ip access-list", "ip as-path", "ip community-list", "ip dhcp", "ip domain", "ip domain-list",
	"ip domain-lookup", "ip domain-name",
	"ip extcommunity-list", "ip ftp", "ip host", "ip igmp", "ip name-server", "ip pim", "ip prefix-list",
	"ip route", "ip routing", "ip ssh",
	"ip tacacs", "ip tcp", "ip tftp", "ip arp", "ip adjacency", "ipv6 access-list", "ipv6 prefix-list",
	"ipv6 route", "ipv6 nd",
	"key", "lacp", "ldap", "license", "line", "lldp holdtime", "lldp reinit", "lldp timer", "lldp tlv-select",
	"logging", "mac", "macsec",
	"monitor", "nbm", "ngoam", "no aaa", "no banner", "no cdp", "no hardware", "no ip", "no ipv6",
	"no logging", "no password",
	"no snmp-server", "no spanning-tree", "no system", "no vlan", "ntp", "nxapi", "object-group", "password",
	"port-profile", "power", "ptp",
	"queue-monitor", "radius", "radius-server", "rmon", "role", "route-map", "router ospf", "router ospfv3",
	"router isis", "router eigrp",
	"router rip", "scheduler", "service", "sflow", "sla", "slot", "snmp-server", "spanning-tree", "ssh",
	"system", "tacacs-server", "telemetry",
	"terminal", "track", "udld", "userpassphrase", "username", "vdc", "vlan configuration", "vlan dot1Q",
	"vrf context", "vtp", "end", "exit",
	"configure terminal", "copy", "congestion-control", "grpc", "install", "ip sla",
	"class-map type control-plane", "no lldp", "no ptp",
	"no copp", "no ntp", "switchto", "diagnostic", "poap", "archive", "config", "no service", "no errdisable",
	"no telemetry", "no nxapi"}

// knownOnInterface are those of an interface.
var knownOnInterface = []string{"bandwidth", "beacon", "bfd", "carrier-delay", "cdp", "delay", "dot1x", "duplex",
	"encapsulation", "fabric forwarding",
	"fec", "flowcontrol", "hardware", "hsrp", "inherit port-profile", "ip access-group", "ip arp", "ip dhcp",
	"ip directed-broadcast", "ip flow",
	"ip forward", "ip icmp", "ip igmp", "ip ospf", "ip pim", "ip port", "ip policy", "ip proxy-arp", "ip router",
	"ip unnumbered", "ip verify",
	"ip local-proxy-arp", "ip unreachables", "ip address secondary", "ipv6 dhcp", "ipv6 link-local", "ipv6 nd",
	"ipv6 ospfv3", "ipv6 router",
	"ipv6 traffic-filter", "ipv6 address use-link-local-only", "isis", "lacp", "link", "lldp", "load-interval",
	"logging", "mac", "mac-address",
	"macsec", "management", "medium", "mpls", "negotiate", "no bfd", "no cdp", "no hardware", "no ip", "no ipv6",
	"no lacp", "no link",
	"no logging", "no mop", "no negotiate", "no snmp", "no autostate", "no beacon", "no flowcontrol", "no lldp",
	"no switchport block",
	"port-profile", "port-type", "ptp", "rate-limit", "service-policy type qos output", "sflow", "shape", "snmp",
	"spanning-tree", "storm-control",
	"switchport", "system", "transceiver", "udld", "vpc", "vrrp", "vrrpv3", "no ptp", "no udld",
	"no spanning-tree", "no vpc",
	"service-policy type queuing input", "evpn", "ntp", "no negotiate auto", "priority-flow-control watch-dog",
	"priority-flow-control auto-restore",
	"priority-flow-control fixed-restore", "no priority-flow-control watch-dog", "autostate", "breakout",
	"no carrier-delay", "queue-limit", "ip passive-interface", "ip distribute-list", "ip eigrp",
	"ip bandwidth", "ip delay", "ip hello-interval", "ip hold-time",
	"ip offset-list", "ip split-horizon", "no ip", "ip bandwidth-percent", "ip authentication",
	"ip summary-address", "ip nat", "ip tcp", "ip sla",
	"ipv6 icmp", "ipv6 mld", "ipv6 pim", "ipv6 redirects", "ipv6 unreachables", "ip wccp", "ip forward",
	"mpls", "fabric", "nve", "vxlan", "host-reachability",
	"source-interface", "member", "global", "multisite", "suppress-arp", "mcast-group", "ingress-replication",
	"associate-vrf", "virtual-rmac",
	"lldp", "no ipv6", "delay", "mdix", "mode", "speed-group", "rate-mode", "span", "destination", "encap",
	"tunnel", "monitor", "flow", "priority-flow-control bw"}

// knownOfClass are lines of a class of a queuing or network-qos policy.
var knownOfClass = []string{"queue-limit", "shape", "no shape", "set cos", "congestion-control",
	"no random-detect", "no queue-limit",
	"set qos-group", "no pause", "match"}

// knownInBGP are lines of BGP, of neighbours and of families.
var knownInBGP = []string{"log-neighbor-changes", "bestpath", "graceful-restart", "no graceful-restart",
	"reconnect-interval", "cluster-id",
	"confederation", "enforce-first-as", "fast-external-fallover", "no fast-external-fallover",
	"dynamic-med-interval", "event-history",
	"maxas-limit", "neighbor-down", "shutdown", "suppress-fib-pending", "no suppress-fib-pending", "isolate",
	"vrf", "prefix-peer-timeout",
	"prefix-peer-wait", "no neighbor-down", "no enforce-first-as", "no fast-external-fallover",
	"timers bestpath-limit", "timers prefix-peer-timeout",
	"bgp", "password", "timers", "send-community", "route-map", "prefix-list", "next-hop-self",
	"disable-connected-check", "soft-reconfiguration",
	"dont-capability-negotiate", "capability", "dynamic-capability", "local-as", "low-memory", "peer-type",
	"remove-private-as", "transport",
	"ttl-security", "default-originate", "filter-list", "maximum-prefix", "weight", "as-override",
	"advertisement-interval", "suppress-inactive",
	"no send-community", "inherit peer-policy", "route-reflector-client", "rewrite-evpn-rt-asn",
	"disable-peer-as-check", "next-hop-third-party",
	"soo", "unsuppress-map", "advertise", "nexthop", "retain", "redistribute", "default-information",
	"dampening", "distance", "inject-map",
	"suppress", "table-map", "client-to-client", "additional-paths", "default-metric", "advertise-pip",
	"no client-to-client", "maximum-paths mixed", "template peer-policy",
	"maximum-paths eibgp", "export-gateway-ip", "no capability", "graceful-shutdown", "affinity-group",
	"allowas-in", "bfd singlehop", "no bfd"}

// Frames by default: a port takes packets of 1,500 bytes on 9200, 9300 and 9500, where network-qos does not say it
// (Cisco 118994, "Configure and Verify Maximum Transmission Unit on Nexus"). A frame is counted as mtu counts it here.
const defaultFrame = 1500 * unit.Byte

// defaults are what NX-OS does where nothing is said.
var defaults = netconf.Defaults{SwitchedMTU: defaultFrame, RoutedMTU: defaultFrame, SVIMTU: defaultFrame, All: []netconf.Default{
	netconf.FrameDefault("a port or an SVI", defaultFrame,
		"Nexus 9200, 9300 and 9500; network-qos has it on 3000, 5000 and 6000",
		"Cisco, document 118994"),
	{What: "PFC of a port", Value: "auto: DCBX decides",
		Source: "Nexus 9000 QoS Configuration Guide, Configuring Priority Flow Control"},
	{What: "PFC watchdog", Value: "off, looks every 100ms", Source: "the same guide"},
	{What: "qos-group of DSCPs", Value: "0 of all, without a policy of type qos",
		Source: "the same guide, classification"},
	{What: "equal paths of BGP", Value: "1", Source: "Nexus 9000 Unicast Routing Configuration Guide"},
	{What: "BFD of a session", Value: "50ms, multiplier 3", Source: "Nexus 9000 Interfaces Configuration Guide, BFD"},
}}
