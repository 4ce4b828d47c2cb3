// Package sonic is SONiC's config_db.json for quality of service, VLANs and addresses: tables of objects whose
// fields are texts; and FRR's own file beside it for BGP (package frr).
//
//	LOOPBACK_INTERFACE, VLAN_INTERFACE, INTERFACE    NAME, and NAME|ADDRESS for each address
//	VLAN, VLAN_MEMBER                                VlanN, and VlanN|PORT, untagged
//	PORT_QOS_MAP    a port's maps: DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP, TC_TO_PRIORITY_GROUP_MAP, and pfc_enable
//	QUEUE           of a port and queue: SCHEDULER, WRED_PROFILE
//	BUFFER_PG       of a port and priority group: BUFFER_PROFILE, in a BUFFER_POOL
//	PFC_WD          the watchdog
//
// A buffer profile's xoff is what is here called headroom; its dynamic_th n stands for an alpha of
// 2^n. Both styles of reference are read, NAME and [TABLE|NAME]. Tables and their sources are in docs/config.md.
//
// Invariants: tables, keys and fields are written in one order; a port's number is kept in its alias;
// nesting is bounded.
package sonic
