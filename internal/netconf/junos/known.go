package junos

import (
	"strconv"

	"railyard/internal/netconf"
	"railyard/internal/unit"
)

func number(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 15)
	return int(n), err == nil
}

func itoa(n int) string { return strconv.Itoa(n) }

// knownAtTop are statements that say nothing of what is read.
var knownAtTop = []string{"{master*", "{backup*", "{linecard*", "{primary*", "{local*", "set version", "set system", "set chassis", "set snmp", "set security",
	"set policy-options", "set routing-instances",
	"set switch-options", "set event-options", "set services", "set firewall", "set access",
	"set access-profile", "set multi-chassis", "set groups",
	"set apply-groups", "set accounting-options", "set applications", "set bridge-domains", "set diameter",
	"set dynamic-profiles", "set ethernet-switching-options",
	"set fabric", "set logical-systems", "set poe", "set schedulers", "set session-limit-group",
	"set unified-edge", "set virtual-chassis", "set vmhost",
	"set l2-learning", "set policy-statement", "set protocols lldp", "set protocols lldp-med",
	"set protocols rstp", "set protocols mstp", "set protocols vstp",
	"set protocols stp", "set protocols evpn", "set protocols ospf", "set protocols ospf3", "set protocols isis",
	"set protocols igmp", "set protocols igmp-snooping",
	"set protocols pim", "set protocols mpls", "set protocols ldp", "set protocols rsvp",
	"set protocols l2-learning", "set protocols router-advertisement",
	"set protocols sflow", "set protocols layer2-control", "set protocols iccp", "set protocols vrrp",
	"set protocols neighbor-discovery", "set protocols loop-detect",
	"set protocols mld", "set protocols oam", "set protocols dcbx", "set protocols bfd", "set protocols ptp",
	"set protocols clock-synchronization", "set protocols lacp",
	"set protocols uplink-failure-detection", "set protocols connections", "set protocols protection-group",
	"set protocols msdp",
	"set forwarding-options storm-control-profiles", "set forwarding-options analyzer",
	"set forwarding-options dhcp-relay", "set forwarding-options evpn-vxlan",
	"set forwarding-options vxlan-routing", "set forwarding-options tunnel-termination",
	"set forwarding-options hash-key", "set forwarding-options sampling",
	"set forwarding-options mirror-profile", "set forwarding-options port-mirroring",
	"set forwarding-options multipath-for-evpn", "set forwarding-options no-hierarchical-ecmp",
	"set forwarding-options enhanced-hash-key ecmp-dlb egress-quantization",
	"set forwarding-options enhanced-hash-key ecmp-dlb flowlet flowset-table-size",
	"set forwarding-options enhanced-hash-key ecmp-dlb flowlet reassignment",
	"set forwarding-options enhanced-hash-key ecmp-dlb ether-type",
	"set forwarding-options enhanced-hash-key ecmp-dlb sampling-rate",
	"set forwarding-options enhanced-hash-key hash-seed",
	"set forwarding-options enhanced-hash-key inet", "set forwarding-options enhanced-hash-key inet6",
	"set forwarding-options enhanced-hash-key layer2",
	"set forwarding-options enhanced-hash-key hash-mode",
	"set forwarding-options enhanced-hash-key conditional-match", "set forwarding-options family",
	"set forwarding-options helpers", "set forwarding-options cut-through", "set forwarding-options satellite",
	"set forwarding-options load-balance", "set forwarding-options multicast-replication",
	"set forwarding-options vxlan-tos-copy-first", "set forwarding-options vxlan-tos-copy",
	"set forwarding-options multicast", "set forwarding-options storm-control", "set forwarding-options next-hop-group",
	"set forwarding-options rpf-loose-mode-discard", "set forwarding-options link-layer-broadcast-inet-check",
	"set forwarding-options sflow", "set forwarding-options access-security", "set forwarding-options dhcp-security",
	"set forwarding-options timestamp", "set forwarding-options ip-options-protocol-queue",
	"set forwarding-options enhanced-hash-key symmetric", "set forwarding-options enhanced-hash-key family",
	"set forwarding-options enhanced-hash-key vxlan-vnid", "set forwarding-options enhanced-hash-key services-loadbalancing",
	"set routing-options forwarding-table", "set routing-options graceful-restart",
	"set routing-options nonstop-routing", "set routing-options interface-routes",
	"set routing-options rib", "set routing-options rib-groups", "set routing-options resolution",
	"set routing-options maximum-paths", "set routing-options aggregate",
	"set routing-options generate", "set routing-options forwarding", "set routing-options martians",
	"set routing-options multicast", "set routing-options validation",
	"set routing-options auto-export", "set routing-options route-distinguisher-id",
	"set routing-options instance-export", "set routing-options instance-import",
	"set routing-options options", "set routing-options bgp-static", "set routing-options protect",
	"set class-of-service rewrite-rules",
	"set class-of-service dedicated-buffer", "set class-of-service dedicated-buffer-profile",
	"set class-of-service fabric", "set class-of-service restricted-queues", "set class-of-service translation-table",
	"set class-of-service application-traffic-control", "set class-of-service routing-instances",
	"set class-of-service scheduler-map-forwarding-class-sets", "set class-of-service copy-plp-all",
	"set class-of-service tx-buffer", "set class-of-service adaptive-shapers", "set class-of-service virtual-channels", "set class-of-service host-outbound-traffic",
	"set class-of-service system-defaults", "set class-of-service multi-destination",
	"set class-of-service classifiers ieee-802.1", "set class-of-service classifiers exp",
	"set class-of-service classifiers inet-precedence",
	"set class-of-service code-point-aliases", "set class-of-service tri-color",
	"set class-of-service loss-priority-maps", "set class-of-service traceoptions",
	"set class-of-service loss-priority-rewrites", "set class-of-service policy-map",
	"set class-of-service monitoring-profile", "set class-of-service classifiers dscp-ipv6",
	"set class-of-service shared-buffer ingress percent", "set class-of-service shared-buffer egress percent",
	"set class-of-service shared-buffer ingress buffer-partition multicast",
	"set class-of-service shared-buffer egress buffer-partition multicast",
	"set class-of-service traffic-control-profiles", "set class-of-service forwarding-class-sets",
	"set class-of-service forwarding-policy", "set class-of-service drop-congestion-notification",
	"set class-of-service interconnect",
	"set class-of-service shared-buffer WHERE buffer-partition PART dynamic-threshold", "deactivate", "delete",
	"annotate", "commit", "edit", "top", "exit", "up",
	"## Last", "rollback", "configure", "activate", "protect", "set interfaces interface-range NAME member",
	"set interfaces interface-range NAME member-range",
	"set interfaces fxp0", "set interfaces em0", "set interfaces em1", "set interfaces vme",
	"set interfaces re0:mgmt-0", "set interfaces re1:mgmt-0", "set interfaces lo0 unit 0 family iso",
	"set interfaces vtep", "set interfaces esi", "set interfaces bme0", "set interfaces jsrv",
	"set interfaces me0", "set interfaces traceoptions", "set interfaces apply-groups"}

// knownOnInterface is how what is said of an interface begins, that is of no matter.
var knownOnInterface = []string{"speed auto", "number-of-sub-ports", "gigether-options", "ether-options",
	"aggregated-ether-options", "native-vlan-id", "hold-time", "esi",
	"flexible-vlan-tagging", "vlan-tagging", "encapsulation", "link-mode", "auto-negotiation",
	"no-auto-negotiation", "fec", "traps", "no-traps", "optics-options",
	"unit N family iso", "unit N family mpls", "unit N family inet filter", "unit N family inet mtu",
	"unit N family inet no-redirects", "unit N family inet unnumbered-address",
	"unit N family inet sampling", "unit N family inet targeted-broadcast", "unit N family inet dhcp",
	"unit N family inet6 mtu", "unit N family inet6 filter",
	"unit N family ethernet-switching storm-control", "unit N family ethernet-switching filter",
	"unit N family ethernet-switching recovery-timeout",
	"unit N description", "unit N proxy-macip-advertisement", "unit N virtual-gateway", "unit N mac",
	"unit N no-auto-virtual-gateway-esi", "unit N bandwidth",
	"unit N vlan-id", "unit N vlan-tags", "unit N encapsulation", "unit N family inet6 no-dad",
	"unit N family inet6 nd6", "unit N disable", "unit N traps", "unit N family inet rpf-check",
	"unit N virtual-gateway-v4-mac", "unit N virtual-gateway-v6-mac", "unit N virtual-gateway-accept-data",
	"unit N family inet6 dad-disable", "unit N input-vlan-map",
	"unit N output-vlan-map", "unit N family ethernet-switching", "unit N family inet6", "damping", "port-mode",
	"media-type", "mac", "no-gratuitous-arp-request",
	"gratuitous-arp-reply", "passive-monitor-mode", "per-unit-scheduler", "unused",
	"forwarding-class-accounting", "load-balance-options", "unit N no-dhcp-flood", "unit N arp-l2-validate", "unit N family evpn", "unit N family bridge",
	"unit N family vpls", "unit N family ccc", "unit N arp-resp", "unit N no-arp-trap", "unit N point-to-point",
	"unit N tunnel", "unit N vlan-id-list", "unit N vlan-id-range", "unit N swap-by-poppush", "unit N esi", "unit N clear-dont-fragment-bit",
	"unit N family inet primary", "unit N family inet preferred", "unit N accept-source-mac", "unit N layer2-policer",
	"unit N native-inner-vlan-id", "unit N per-session-scheduler", "unit N vrf-id", "unit N mtu", "unit N alarm",
	"keepalives", "no-keepalives", "otn-options", "clocking", "gratuitous-arp", "interface-transmit-statistics",
	"layer2-policer", "lane-id", "stacked-vlan-tagging", "vlan-offload", "oam-on-svlan", "port-mirror", "traceoptions",
	"unit N family inet policer", "unit N family inet simple-filter", "unit N family inet accounting",
	"unit N enable-mac-accounting", "unit N family inet no-neighbor-learn", "mac-address", "no-partition",
	"multi-chassis-protection", "fabric-options", "redundant-ether-options", "traffic-control-profiles", "apply-groups", "apply-groups-except"}

// knownInBGP are attributes of BGP that change none of what is read.
var knownInBGP = []string{"import", "family inet", "family inet6", "vpn-apply-export", "hold-time", "keep",
	"log-updown", "mtu-discovery", "graceful-restart", "passive",
	"authentication-key", "authentication-algorithm", "authentication-key-chain", "advertise-inactive",
	"advertise-peer-as", "no-advertise-peer-as", "as-override",
	"damping", "graceful-shutdown", "local-preference", "metric-out", "out-delay", "preference",
	"remove-private", "tcp-mss", "traceoptions", "ttl",
	"advertise-external", "add-path", "no-nexthop-change", "bgp-error-tolerance", "drop-path-attributes",
	"egress-te", "enforce-first-as", "include-mp-next-hop",
	"minimum-hold-time", "outbound-route-filter", "precision-timers", "send-addpath-optimization",
	"unconfigured-peer-graceful-restart", "apply-groups",
	"global-load-balancing", "path-selection", "stale-labels-holddown-period", "tcp-connect-port",
	"no-client-reflect", "rfc6514-compliant-safi129", "idle-after-switch-over",
	"family route-target", "family inet-vpn", "family inet6-vpn", "family traffic-engineering",
	"accept-remote-nexthop", "family evpn-vpws", "family inet-mdt", "family inet-mvpn", "family l2vpn", "family inet-fpm",
	"hold-up-time", "no-install", "no-validate", "rib-sharding", "update-threading", "session-mode", "sharding",
	"tcp-aggressive-transmission", "no-aggregator-id", "as-loop", "confederation", "cluster-id", "explicit-null", "family iso-vpn",
	"inet-mdt-only", "labeled-unicast", "output-queue-priority", "peer-as-list", "prefix-limit", "delay-route-advertisements",
	"bfd-liveness-detection authentication", "bfd-liveness-detection no-issu-timer-negotiation",
	"advertise-bgp-static", "defer-initial-multipath-build", "forwarding-context", "group-shared", "ingress-sampling", "optimal-route-reflection",
	"snmp-options", "topology", "vrf-route-import", "auto-discovered-sessions", "disable-4byte-as", "advertise-from-main-vpn-tables",
	"allow-protection", "bfd-liveness-detection session-mode", "bfd-liveness-detection version",
	"bfd-liveness-detection no-adaptation",
	"bfd-liveness-detection transmit-interval", "bfd-liveness-detection holddown-interval",
	"bfd-liveness-detection detection-time", "bfd-liveness-detection minimum-receive-interval"}

// Frames by default: 1,514 bytes without FCS.
const (
	fcs          = 4 * unit.Byte
	defaultFrame = 1514*unit.Byte + fcs
)

// defaults are what Junos does where nothing is said.
var defaults = netconf.Defaults{SwitchedMTU: defaultFrame, RoutedMTU: defaultFrame, SVIMTU: defaultFrame, All: []netconf.Default{
	netconf.FrameDefault("a port", defaultFrame, "QFX",
		"Junos OS, Interfaces user guide: media MTU of Ethernet 1514"),
	{What: "forwarding class of DSCPs", Value: "queue 0 of all, without a classifier at the port",
		Source: "Traffic Management User Guide (QFX): default classifiers"},
	{What: "PFC watchdog", Value: "off; looks every 100ms, acts after 2, gives back after 200ms",
		Source: "Traffic Management User Guide (QFX): PFC watchdog"},
	{What: "equal paths of BGP", Value: "1, without multipath", Source: "Junos OS, BGP user guide: multipath"},
	{What: "BFD of a session", Value: "off; multiplier 3", Source: "Junos OS, High Availability user guide: BFD"},
}}
