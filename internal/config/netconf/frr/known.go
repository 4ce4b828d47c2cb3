package frr

import "railyard/internal/config/netconf"

// knownAtTop are commands that say nothing of what is read.
var knownAtTop = []string{"access-list", "agentx", "allow-external-route-update", "banner", "bgp as-path",
	"bgp community-list",
	"bgp extcommunity-list", "bgp large-community-list", "bgp community", "bgp as-path-access-list", "debug",
	"dump", "enable", "fpm", "ip as-path",
	"ip community-list", "ip extcommunity-list", "ip import-table", "ip large-community-list",
	"ip multicast-routing", "ip mroute", "ip nht",
	"ip prefix-list", "ip protocol", "ip router-id", "ip ssmpingd", "ip pim", "ip igmp", "ipv6 access-list",
	"ipv6 nht", "ipv6 prefix-list",
	"ipv6 protocol", "ipv6 router-id", "key", "log", "mac", "mpls", "nexthop-group", "no agentx", "no bgp",
	"no debug", "no ip", "no ipv6",
	"no log", "no service", "no zebra", "pbr-map", "password", "pseudowire", "route-map", "router eigrp",
	"router isis", "router openfabric",
	"router ospf", "router ospf6", "router pim", "router rip", "router ripng", "router-id", "rpki",
	"router babel", "segment-routing", "service",
	"spf", "table", "username", "vni", "vrf", "vrrp", "zebra", "affinity-map", "camp", "evpn", "hash", "l2vpn",
	"domainname", "end", "write", "exit-vrf",
	"bmp", "ip nhrp", "ipv6 nhrp", "sid", "srv6", "mac-address", "line", "hostname", "no hostname", "domain",
	"no ipv6", "thread", "allow-reserved-ranges",
	"no router", "watchfrr", "mgmt", "netns", "no frr", "build", "Building", "Current", "bgp",
	"router bgp AS vrf NAME", "router bgp AS view NAME"}

// knownOnInterface are those of an interface.
var knownOnInterface = []string{"bandwidth", "evpn", "ip igmp", "ip mroute", "ip ospf", "ip pim", "ip rip",
	"ip router", "ip split-horizon", "ipv6 mld",
	"ipv6 nd", "ipv6 ospf6", "ipv6 pim", "ipv6 router", "isis", "link-detect", "link-params", "mpls",
	"multicast", "no ip", "no ipv6", "no link-detect",
	"no shutdown", "openfabric", "pbr-policy", "ptm-enable", "no ptm-enable", "vrrp", "no multicast",
	"no bandwidth", "eigrp", "babel", "exit-link-params", "ip nhrp", "ipv6 nhrp", "tunnel", "affinity",
	"affinity-mode", "no mpls", "no isis", "no evpn",
	"no description", "ip vrrp", "segment-routing", "no vrrp", "ip address NAME label",
	"ip address NAME peer", "ip msdp", "zebra"}

// knownInBGP are those of BGP that change none of what is read.
var knownInBGP = append([]string{"bgp", "coalesce-time", "distance", "neighbor NAME advertisement-interval",
	"neighbor NAME capability",
	"neighbor NAME dont-capability-negotiate", "neighbor NAME enforce-first-as", "neighbor NAME graceful-restart",
	"neighbor NAME graceful-restart-helper", "neighbor NAME local-as", "neighbor NAME local-role",
	"neighbor NAME override-capability",
	"neighbor NAME passive", "neighbor NAME password", "neighbor NAME port",
	"neighbor NAME sender-as-path-loop-detection", "neighbor NAME solo",
	"neighbor NAME strict-capability-match", "neighbor NAME tcp-mss", "neighbor NAME timers",
	"neighbor NAME ttl-security", "neighbor NAME path-attribute",
	"neighbor NAME sender", "no bgp", "no neighbor", "read-quanta", "segment-routing", "sid", "timers",
	"update-delay", "use-underlays-nexthop-weight",
	"vnc", "vrf-policy", "write-quanta", "bmp", "export", "import", "srv6", "mpls",
	"neighbor NAME graceful-restart-disable",
	"neighbor NAME local-link-id", "neighbor NAME send-nexthop-characteristics", "neighbor NAME encapsulation-srv6",
	"neighbor NAME encapsulation-srv6-relax", "neighbor NAME rpki", "neighbor NAME link-local-only",
	"neighbor NAME bfd check-control-plane-failure",
	"neighbor NAME bfd strict", "neighbor NAME aigp", "neighbor NAME graceful-shutdown", "neighbor NAME oad",
	"neighbor NAME as-loop-detection", "no auto-summary", "no synchronization", "exit-vnc", "end",
	"no import", "no export", "rpki", "no timers", "neighbor NAME disable-link-bw-encoding-ieee",
	"neighbor NAME extended-link-bandwidth",
	"neighbor NAME fabric-external", "neighbor NAME disable-connected-check"}, knownInFamily...)

// knownInFamily are those of what sessions carry.
var knownInFamily = []string{"bgp", "distance", "export", "import", "label",
	"neighbor NAME addpath-tx-all-paths", "neighbor NAME addpath-tx-bestpath-per-AS",
	"neighbor NAME addpath", "neighbor NAME advertise-map", "neighbor NAME as-override",
	"neighbor NAME attribute-unchanged", "neighbor NAME capability",
	"neighbor NAME default-originate", "neighbor NAME disable-addpath-rx", "neighbor NAME distribute-list",
	"neighbor NAME filter-list",
	"neighbor NAME maximum-prefix", "neighbor NAME maximum-prefix-out", "neighbor NAME next-hop-self",
	"neighbor NAME nexthop-local",
	"neighbor NAME prefix-list", "neighbor NAME remove-private-AS", "neighbor NAME route-map",
	"neighbor NAME route-server-client",
	"neighbor NAME send-community", "neighbor NAME soft-reconfiguration", "neighbor NAME soo",
	"neighbor NAME unsuppress-map", "neighbor NAME weight",
	"neighbor NAME accept-own", "neighbor NAME addpath-rx-paths-limit", "neighbor NAME addpath-tx-best-selected",
	"neighbor NAME as-path", "neighbor NAME local-as", "neighbor NAME encapsulation-srv6", "uninstall",
	"srv6", "snmp", "network PREFIX label-index", "network PREFIX backdoor", "network PREFIX rd",
	"no network",
	"no neighbor", "rd", "redistribute", "rt", "table-map", "maximum-paths ibgp",
	"aggregate-address", "nexthop",
	"neighbor NAME peer-group", "exit-address-family", "advertise", "default-originate", "no redistribute", "sid"}

// defaults are what FRR does where nothing is said.
var defaults = netconf.Defaults{All: []netconf.Default{
	{What: "equal paths of BGP", Value: "256", Release: "8.4, as Debian builds it",
		Source: "FRR user guide, BGP: maximum-paths; bgpd of Debian"},
	{What: "BFD of a session", Value: "300ms, multiplier 3", Source: "FRR user guide, BFD"},
	{What: "timers of BGP", Value: "3s, hold 9s (datacenter); 60s, hold 180s (traditional)",
		Source: "FRR user guide, frr defaults"},
}}
