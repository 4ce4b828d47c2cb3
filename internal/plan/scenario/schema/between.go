package schema

import (
	"slices"
	"strings"

	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// between returns the rules between the keys of a group that a schema can say. They
// follow the rules of the decoder; a test compares the two. (A variable would have every command
// work them out as it starts: tens of milliseconds.)
func between() map[string]object {
	return map[string]object{
		"": {{"oneOf", []any{object{{"required", []string{"job"}}}, object{{"required", []string{"jobs"}}}}}},
		"cluster.nic": {
			{"if", object{{"required", []string{"shared"}}, {"properties", object{{"shared", object{{"const", true}}}}}}},
			{"then", forbid("per_gpu", "shared_by")},
		},
		"fabric": {{"allOf", append(designs(), when("design", "custom", object{{"required", []string{"topology"}}}),
			balancer("conweave"),
			alike(balancer("flowlet"), balancer("glb"), balancer("spray"), balancer("resilient"),
				unconfigured(balancer("dlb", "glb"),
					object{{"properties", object{{"dlb", unless("mode", "flowlet", forbid("gap"))}}}}),
				object{{"properties", object{{"spray", only("pick", "drill", forbid("samples", "memory"))}}}}))}},
		"congestion": {{"allOf", []any{
			unless("algorithm", "dcqcn", forbid(keysOf("congestion")...)),
			only("algorithm", "hpcc", object{{"properties", object{{"hpcc", forbid(keysOf("congestion.hpcc")...)}}}}),
			only("algorithm", "timely", object{{"properties",
				object{{"timely", forbid(keysOf("congestion.timely")...)}}}}),
			only("algorithm", "dctcp", object{{"properties", object{{"dctcp", forbid(keysOf("congestion.dctcp")...)}}}}),
			only("algorithm", "swift", object{{"properties", object{{"swift", forbid(keysOf("congestion.swift")...)}}}}),
		}}},
		"transport": {{"allOf", []any{unless("recovery", "selective-repeat", forbid("timeout_low", "low_packets")),
			unless("receiver", "buffered", forbid("reorder_buffer")),
			unless("entropy", "recycled", forbid("entropy_cache", "entropy_freeze")),
			when("receiver", "in-order", forbid("reorder_window"))}}},
		"job": {
			{"oneOf", []any{object{{"required", []string{"train"}}}, object{{"required", []string{"replay"}}},
				object{{"required", []string{"model"}}}, object{{"required", []string{"collectives"}}},
				object{{"anyOf", []any{object{{"required", []string{"flows"}}},
					object{{"required", []string{"flows_csv"}},
						{"properties", object{{"flows_csv", object{{"not", object{{"const", "none"}}}}}}}}}}}}},
			{"if", object{{"anyOf", []any{object{{"required", []string{"flows"}}},
				object{{"required", []string{"flows_csv"}}}}}}},
			{"then", object{{"properties", object{{"parallel", forbid("dp")},
				{"collective", object{{"properties", object{{"schedule", false}, {"algorithm", false},
					{"channels", false},
					{"admission", forbid("slots", "bytes")}}}}}}}}},
			{"allOf", append(chosen(), object{{"if", object{{"anyOf", []any{object{{"required", []string{"train"}}},
				object{{"required", []string{"replay"}}}, object{{"required", []string{"model"}}},
				object{{"required", []string{"collectives"}}}}}}},
				{"then", forbid("flows_csv")}},
				object{{"if", object{{"required", []string{"collectives"}}}},
					{"then", object{{"properties", object{{"parallel", forbid("dp")},
						{"collective", forbid("schedule", "algorithm", "channels")}}}}}},
				object{{"if", object{{"required", []string{"replay"}}}},
					{"then", object{{"properties", object{{"parallel", forbid("dp")},
						{"collective", forbid("schedule")}}}}}})},
		},
		"job.train": {{"allOf", []any{
			object{{"if", has("model", "mlp", true)}, {"then", object{{"required", []string{"layers"}}}}},
			object{{"if", has("model", "file", false)}, {"then", object{{"required", []string{"network"}}}}},
			object{{"if", object{{"required", []string{"model"}},
				{"properties", object{{"model", object{{"enum", []string{"rnn", "lstm", "gru", "gpt"}}}}}}}},
				{"then", object{{"properties",
					object{{"data", object{{"type", "object"}, {"required", []string{"text"}}}}}}}}},
		}}},
		"job.train.cnn": {{"allOf", []any{object{{"properties",
			object{{"image", object{{"minItems", 3}, {"maxItems", 3}}}}}}}}},
		"job.train.data": {{"oneOf", []any{object{{"required", []string{"digits"}}}, object{{"required", []string{"shapes"}}},
			object{{"required", []string{"images"}}}, object{{"required", []string{"text"}}}}}},
		"job.train.data.text": {
			{"oneOf", []any{object{{"required", []string{"grammar"}}},
				object{{"required", []string{"path"}},
					{"properties", object{{"path", object{{"not", object{{"const", "none"}}}}}}}}}},
			{"if", object{{"required", []string{"grammar"}}}},
			{"then", forbid("start", "test")},
		},
		"job.replay": {{"required", []string{"buckets"}}},
		"job.collective": {
			{"if", object{{"required", []string{"schedule"}},
				{"properties", object{{"schedule", object{{"not", object{{"const", "none"}}}}}}}}},
			{"then", forbid("algorithm", "slices", "slots")},
			{"allOf", []any{when("algorithm", "nvls", forbidLines), when("algorithm", "nvls-tree", forbidLines), object{
				{"if", object{{"required", []string{"admission"}}, {"properties", object{{"admission",
					object{{"required", []string{"slots"}}, {"properties",
						object{{"slots", object{{"not", object{{"const", "none"}}}}}}}}}}}}},
				{"then", forbidLines}}}},
		},
		"job.flows[]": {
			{"allOf", []any{
				object{{"if", object{{"required", []string{"count"}}, {"properties", object{{"count", object{{"minimum", 2}}}}}}},
					{"then", object{{"required", []string{"every"}}}}},
				object{{"if", object{{"properties", object{{"pattern", object{{"enum", []string{"none"}}}}}}}},
					{"then", object{{"required", []string{"from", "to"}}}}},
				object{{"if", object{{"required", []string{"pattern"}},
					{"properties", object{{"pattern", object{{"enum", []string{"permutation", "all-to-all"}}}}}}}},
					{"then", forbid("to")}, {"else", object{{"required", []string{"to"}}}}},
				object{{"if", object{{"required", []string{"load"}},
					{"properties", object{{"load", object{{"not", object{{"const", "none"}}}}}}}}},
					{"then", forbid("count", "every")}},
			}},
		},
	}
}

// forbidLines is the schema of a group whose protocol is not one of lines.
var forbidLines = object{{"properties", object{{"protocol", object{{"enum", []string{"simple", "none"}}}}}}}

// when is the schema that holds then where a key has a value.
func when(key, value string, then object) object {
	return object{{"if", object{{"required", []string{key}},
		{"properties", object{{key, object{{"const", value}}}}}}}, {"then", then}}
}

// only is the schema that holds then unless a key has a value that is not its default.
func only(key, value string, then object) object {
	return object{{"if", object{{"not", object{{"required", []string{key}},
		{"properties", object{{key, object{{"const", value}}}}}}}}}, {"then", then}}
}

// designs are the schemas in which a design has its own keys only. Where none is named the default or a preset
// says which it is: what no design has that they may name is forbidden.
func designs() (all []any) {
	for _, d := range scenario.Designs {
		all = append(all, when("design", d.Name, forbidUnfit(scenario.Design(d.Name))))
	}
	return append(all, object{{"if", object{{"not", object{{"required", []string{"design"}}}}}},
		{"then", forbidUnfit(topo.DesignRailOptimized, topo.DesignRailOnly)}})
}

// forbidUnfit is the schema of a fabric without the keys that fit none of these designs.
func forbidUnfit(designs ...scenario.Design) object {
	groups := map[string][]string{}
	var order []string
	for _, f := range scenario.Table() {
		key, below := strings.CutPrefix(f.Path, "fabric.")
		unfit := below && !slices.ContainsFunc(designs, func(d scenario.Design) bool {
			var s scenario.Scenario
			s.Fabric.Design, s.Fabric.Upper.Pods, s.Cluster.NIC.Ports = d, 2, 2
			return f.Unfit(&s) == ""
		})
		group, _, nested := strings.Cut(key, ".")
		if !unfit || strings.Contains(key, "[]") || nested && !slices.Contains([]string{"links", "dragonfly"}, group) {
			continue
		}
		if !nested {
			group = ""
		}
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], strings.TrimPrefix(key, group+"."))
	}
	props := object{}
	for _, g := range order {
		if g != "" {
			props = append(props, member{g, forbid(groups[g]...)})
			continue
		}
		for _, k := range groups[g] {
			props = append(props, member{k, false})
		}
	}
	return object{{"properties", props}}
}

// balancer is the schema in which the parameters of a balancer stand beside its name only, or that of others which
// have them too.
func balancer(name string, others ...string) object {
	names := append([]string{name}, others...)
	for also, is := range scenario.BalancerTiers {
		if slices.Contains(names, is) {
			names = append(names, also)
		}
	}
	slices.Sort(names)
	chosen := object{{"required", []string{"balance"}},
		{"properties", object{{"balance", object{{"enum", names}}}}}}
	forbidden := forbid(keysOf("fabric." + name)...)
	return object{{"if", object{{"not", chosen}}}, {"then", object{{"properties", object{{name, forbidden}}}}}}
}

// alike is the schema that holds rules of fabric where all switches are alike: those of fabric.switches may have other
// balancers.
func alike(rules ...any) object { return absent("switches", rules...) }

// unconfigured holds rules where no configurations say what switches do.
func unconfigured(rules ...any) object { return absent("config", rules...) }

// absent holds rules where a key is not given.
func absent(key string, rules ...any) object {
	return object{{"if", object{{"not", object{{"required", []string{key}}}}}}, {"then", object{{"allOf", rules}}}}
}

// keysOf lists the keys of a group that have no meaning without their algorithm.
func keysOf(group string) (keys []string) {
	var other scenario.Scenario // without an algorithm
	for _, f := range scenario.Table() {
		key, below := strings.CutPrefix(f.Path, group+".")
		if below && !strings.Contains(key, ".") && f.Unfit(&other) != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// unless is the schema that holds then where a key is given with another value. A key that is not
// given proves nothing: its
// default or a preset may be that value.
func unless(key, value string, then object) object {
	return object{{"if", object{{"required", []string{key}},
		{"properties", object{{key, object{{"not", object{{"const", value}}}}}}}}}, {"then", then}}
}

// forbid is the schema of a group that must not have these keys.
func forbid(keys ...string) object {
	props := object{}
	for _, k := range keys {
		props = append(props, member{k, false})
	}
	return object{{"properties", props}}
}
