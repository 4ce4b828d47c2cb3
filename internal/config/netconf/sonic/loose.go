package sonic

import (
	"strings"

	"railyard/internal/config/netconf"
)

// named are tables whose objects do nothing until another object names them.
var named = []string{"DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE", "SCHEDULER",
	"WRED_PROFILE", "BUFFER_PROFILE"}

// namedBy are the fields that name them: of tables that are read and of those that are of no matter.
var namedBy = map[string]string{"dscp_to_tc_map": "DSCP_TO_TC_MAP", "tc_to_queue_map": "TC_TO_QUEUE_MAP",
	"tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP", "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE", "scheduler": "SCHEDULER",
	"wred_profile": "WRED_PROFILE", "profile": "BUFFER_PROFILE", "profile_list": "BUFFER_PROFILE", "pg_profile": "BUFFER_PROFILE"}

// gather notes what the fields of a table name: NAME, [TABLE|NAME], or several with commas between them.
func (r *reader) gather(t *node) {
	for _, o := range t.below {
		for _, f := range o.below {
			table := namedBy[f.key]
			if table == "" {
				continue
			}
			for part := range strings.SplitSeq(f.text, ",") {
				r.uses[table+"|"+strings.TrimSuffix(strings.TrimPrefix(part, "["+table+"|"), "]")] = true
			}
		}
	}
}

// loose notes what nothing names. A file without ports is a part of one.
func (r *reader) loose() {
	if r.tables["PORT"] == nil {
		return
	}
	for _, table := range named {
		r.objects(table, func(o *node) {
			if !r.uses[table+"|"+o.key] {
				r.Loose = append(r.Loose, netconf.Loose{Place: netconf.Place{File: r.file, Line: o.line}, Text: table + " " + o.key,
					QoS: true})
			}
		})
	}
}
