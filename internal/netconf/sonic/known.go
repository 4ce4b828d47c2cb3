package sonic

import (
	"railyard/internal/netconf"
	"railyard/internal/unit"
)

// ofNoMatter are tables that say nothing of what is read: SONiC's Configuration Database Manual and YANG models.
var ofNoMatter = map[string]bool{
	"AAA": true, "ACL_RULE": true, "ACL_TABLE": true, "ACL_TABLE_TYPE": true, "ASIC_SENSORS": true,
	"ASYNC": true, "AUTO_TECHSUPPORT": true, "AUTO_TECHSUPPORT_FEATURE": true, "BANNER_MESSAGE": true,
	"BGP_AGGREGATE_ADDRESS": true, "BGP_ALLOWED_PREFIXES": true, "BGP_DEVICE_GLOBAL": true, "BGP_GLOBALS": true,
	"BGP_INTERNAL_NEIGHBOR": true, "BGP_MONITORS": true, "BGP_SENTINELS": true, "BGP_VOQ_CHASSIS_NEIGHBOR": true,
	"BMP": true, "BREAKOUT_CFG": true, "BREAKOUT_PORTS": true, "BUFFER_POOL_DEFAULT": true,
	"BUFFER_PORT_EGRESS_PROFILE_LIST": true, "BUFFER_PORT_INGRESS_PROFILE_LIST": true, "BUFFER_QUEUE": true,
	"CABLE_LENGTH_DEFAULT": true, "CHASSIS_MODULE": true, "CONSOLE": true, "CONSOLE_PORT": true,
	"CONSOLE_SWITCH": true, "COPP_GROUP": true, "COPP_TRAP": true, "COUNTER": true, "CRM": true,
	"DEBUG_COUNTER": true, "DEBUG_COUNTER_DROP_REASON": true, "DEFAULT_LOSSLESS_BUFFER_PARAMETER": true,
	"DEVICE_NEIGHBOR_METADATA": true, "DHCP_RELAY": true, "DHCP_SERVER": true, "DHCPv4_RELAY": true,
	"DNS_NAMESERVER": true, "DNS_OPTIONS": true, "DOT1P_TO_TC_MAP": true, "DPU": true, "DPUS": true,
	"DSCP_TO_FC_MAP": true, "DSCP_TO_FC_TABLE": true, "EVPN": true, "EXP_TO_FC_MAP": true,
	"FABRIC_MONITOR": true, "FABRIC_PORT": true, "FEATURE": true, "FIPS": true, "FLEX_COUNTER": true,
	"FLEX_COUNTER_TABLE": true, "FLOW_COUNTER_ROUTE_PATTERN": true, "GNMI": true, "GNMI_CLIENT_CERT": true,
	"GROUP": true, "GRPCCLIENT": true, "HASH": true, "HEARTBEAT": true, "HIGH_FREQUENCY_TELEMETRY_GROUP": true,
	"HIGH_FREQUENCY_TELEMETRY_PROFILE": true, "HWSKU": true, "INBAND": true, "IN_BAND_MGMT_INTERFACE": true,
	"ISCSI": true, "KDUMP": true, "KERNEL": true, "KUBERNETES_MASTER": true, "L2MC": true, "LDAP": true,
	"LDAP_SERVER": true, "LINK_TRACKING": true, "LLDP": true, "LLDP_PORT": true, "LOGGER": true,
	"LOSSLESS_TRAFFIC_PATTERN": true, "LOSSLESS_TRAFFIC_PATTERNS": true, "MACSEC_PROFILE": true,
	"MAC_ADDRESS": true, "MEMORY_STATISTICS": true, "MGMT_INTERFACE": true, "MGMT_PORT": true,
	"MGMT_VRF_CONFIG": true, "MID_PLANE_BRIDGE": true, "MIRROR_SESSION": true, "MPLS_TC_TO_TC_MAP": true,
	"MUX_CABLE": true, "MUX_LINKMGR": true, "NAT_BINDINGS": true, "NAT_GLOBAL": true, "NAT_POOL": true,
	"NEIGH": true, "NTP": true, "NTP_KEY": true, "NTP_SERVER": true, "NTP_SERVERS": true, "PASSWORD": true,
	"PASSW_HARDENING": true, "PBH_HASH": true, "PBH_HASH_FIELD": true, "PBH_RULE": true, "PBH_TABLE": true,
	"PEER_SWITCH": true, "PFC_PRIORITY_TO_QUEUE_MAP": true, "POLICER": true, "PORT_QOS_MAP_DEFAULT": true,
	"PORT_STORM_CONTROL": true, "PREFIX_LIST": true, "PREFIX_SET": true, "QOS_QUEUE": true, "RADIUS": true,
	"RADIUS_SERVER": true, "RESTAPI": true, "ROUTE_MAP": true, "ROUTE_REDISTRIBUTE": true, "SAG": true,
	"SERIAL_CONSOLE": true, "SFLOW": true, "SFLOW_COLLECTOR": true, "SFLOW_SESSION": true, "SMART_SWITCH": true,
	"SNMP": true, "SNMP_AGENT_ADDRESS_CONFIG": true, "SNMP_COMMUNITY": true, "SNMP_TRAP_CONFIG": true,
	"SNMP_USER": true, "SRV6_MY_LOCATORS": true, "SRV6_MY_SIDS": true, "SSH_SERVER": true, "STP": true,
	"STP_PORT": true, "STP_VLAN": true, "SUBNET_DECAP": true, "SUPPRESS_FIB": true, "SUPPRESS_VLAN_NEIGH": true,
	"SWITCH_HASH": true, "SWITCH_TRIMMING": true, "SYSLOG_CONFIG": true, "SYSLOG_CONFIG_FEATURE": true,
	"SYSLOG_SERVER": true, "SYSTEM_DEFAULTS": true, "SYSTEM_PORT": true, "TACPLUS": true, "TACPLUS_SERVER": true,
	"TC_TO_DOT1P_MAP": true, "TC_TO_DSCP_MAP": true, "TELEMETRY": true, "TELEMETRY_CLIENT": true,
	"TIMEZONE": true, "TUNNEL": true, "VERSIONS": true, "VLAN_SUB_INTERFACE": true, "VNET": true,
	"VNET_ROUTE": true, "VNET_ROUTE_TUNNEL": true, "VOQ_INBAND_INTERFACE": true, "VRF": true, "VRRP": true,
	"VXLAN_EVPN_NVO": true, "VXLAN_TUNNEL": true, "VXLAN_TUNNEL_MAP": true, "WARM_RESTART": true,
	"XCVRD_LOG": true, "ZTP": true, "bgpraw": true,
}

// fieldsOfNoMatter are those of tables that are read.
var fieldsOfNoMatter = map[string][]string{
	"PORT": {"index", "tpid", "asic_port_name", "role", "pfc_asym", "subport", "core_id", "core_port_id", "num_voq",
		"dom_polling", "laser_freq", "tx_power", "link_training", "adv_speeds", "interface_type",
		"adv_interface_types", "macsec", "mux_cable", "mode", "fast_linkup", "coreId", "corePortId", "numVoq",
		"parent_port", "valid_speeds"},
	"DEVICE_METADATA": {"buffer_model", "cloudtype", "default_bgp_status", "deployment_id", "hwsku", "mac",
		"platform", "region",
		"type", "synchronous_mode", "subtype", "sub_role", "asic_name", "asic_id", "peer_switch",
		"bgp_router_id", "frr_mgmt_framework_config", "timezone", "rack_mgmt_map", "yang_config_validation",
		"suppress-fib-pending", "create_only_config_db_buffers", "bgp_adv_lo_prefix_as_128", "resource_type",
		"t2_group_asn", "slice_type", "chassis_hostname", "switch_type", "switch_id", "max_cores", "qos",
		"dualtor", "storage_device", "cluster", "downstream_redundancy_types", "downstream_subrole",
		"hostname_alias", "orch_northbond_route_zmq_enabled", "ring_thread_enabled", "is_ecmp_group_configured",
		"supporting_bulk_counter_groups", "has_per_asic_scheduler_config", "enable_log"},
	"VLAN": {"members", "dhcp_servers", "dhcpv6_servers", "mac", "mtu", "admin_status", "description", "autostate",
		"host_ifname"},
	"INTERFACE": {"vrf_name", "mpls", "ipv6_use_link_local_only", "nat_zone", "scope", "family", "mac_addr",
		"vnet_name",
		"loopback_action"},
	"VLAN_INTERFACE": {"vrf_name", "proxy_arp", "grat_arp", "scope", "family", "mac_addr", "mpls",
		"ipv6_use_link_local_only",
		"secondary", "vnet_name", "nat_zone", "loopback_action"},
	"LOOPBACK_INTERFACE": {"vrf_name", "scope", "family", "admin_status", "nat_zone"},
	"PORT_QOS_MAP": {"dot1p_to_tc_map", "scheduler", "tc_to_dscp_map", "tc_to_dot1p_map", "dscp_to_fc_map",
		"exp_to_fc_map",
		"mpls_tc_to_tc_map"},
	"SCHEDULER":      {"meter_type", "pir", "cir", "pbs", "cbs", "priority"},
	"WRED_PROFILE":   {"wred_yellow_enable", "wred_red_enable", "ecn_red", "gmin", "gmax"},
	"BUFFER_POOL":    {"percentage"},
	"BUFFER_PROFILE": {"packet_discard_action", "buffer_headroom"},
	"PFC_WD":         {"BIG_RED_SWITCH", "pfc_stat_history"},
	"BGP_NEIGHBOR": {"peer_group_name", "vrf_name", "asn_type", "local_asn", "ebgp_multihop", "ebgp_multihop_ttl",
		"auth_password", "description", "conn_retry", "min_adv_interval"},
	"DEVICE_NEIGHBOR": {"local_port", "mgmt_addr"},
	"BUFFER_PG":       {"pg_profile"},
	"MCLAG_DOMAIN":    {"keepalive_interval", "session_timeout", "mclag_interface_list", "mclag_system_id"},
}

// defaultFrame is that of a port without mtu: 9,100 bytes of IP packet (sonic-swss, portsorch: DEFAULT_MTU; sonic-port.yang).
const defaultFrame = 9100*unit.Byte + 18

// defaults are what SONiC does where nothing is said.
var defaults = netconf.Defaults{SwitchedMTU: defaultFrame, RoutedMTU: defaultFrame, SVIMTU: defaultFrame, All: []netconf.Default{
	netconf.FrameDefault("a port", defaultFrame, "", "sonic-yang-models, sonic-port: mtu"),
	{What: "PFC watchdog", Value: "off: ports that PFC_WD has are looked at, whatever pfcwd_sw_enable says",
		Source: "SONiC, PFC watchdog design; Configuration Database Manual, PFC_WD"},
	{What: "traffic class of DSCPs", Value: "0 of all, without a DSCP_TO_TC_MAP at the port",
		Source: "SAI, QoS maps"},
	{What: "priority group of a traffic class", Value: "of its number, without a TC_TO_PRIORITY_GROUP_MAP",
		Source: "SAI, QoS maps"},
	{What: "equal paths of BGP", Value: "64", Source: "sonic-buildimage, docker-fpm-frr: bgpd templates"},
}}
