package lldp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// fromJSON reads lldpcli's json, in which a list of one is its element and names are keys, and json0, in which nothing
// depends on what there is.
func fromJSON(text string) (all []Neighbour, err error) {
	var root map[string]any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		return nil, fmt.Errorf("no JSON of lldpcli: %w", err)
	}
	for _, top := range listed(root["lldp"]) {
		for _, i := range listed(field(top, "interface")) {
			all = append(all, interfaces(i)...)
		}
	}
	return all, nil
}

// interfaces reads an element of the list: of json0 one with a name, of json one or several by their names.
func interfaces(of any) (all []Neighbour) {
	o, _ := of.(map[string]any)
	if name, is := o["name"].(string); is {
		return []Neighbour{heard(name, o)}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		for _, one := range listed(o[name]) {
			if inside, is := one.(map[string]any); is {
				all = append(all, heard(name, inside))
			}
		}
	}
	return all
}

// heard reads who is heard on a port.
func heard(port string, o map[string]any) Neighbour {
	n := Neighbour{Port: port}
	for _, c := range listed(o["chassis"]) {
		if name := value(field(c, "name")); name != "" {
			n.System = name
			continue
		}
		named, _ := c.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(named)) {
			if field(named[key], "id") != nil {
				n.System = key
			}
		}
	}
	for _, p := range listed(o["port"]) {
		n.FarPort, n.FarPortSay = value(field(p, "id")), value(field(p, "descr"))
	}
	return n
}

// listed is a list, of one that is none its only element, of nothing none.
func listed(of any) []any {
	switch of := of.(type) {
	case nil:
		return nil
	case []any:
		return of
	}
	return []any{of}
}

// field is a part of an object; nil: there is none.
func field(of any, key string) any {
	o, _ := of.(map[string]any)
	return o[key]
}

// value is the text of "x", {"value": "x"} or a list of such a one; "": there is none.
func value(of any) string {
	switch of := of.(type) {
	case string:
		return of
	case map[string]any:
		text, _ := of["value"].(string)
		return text
	case []any:
		if len(of) > 0 && len(of) <= 1 {
			if _, nested := of[0].([]any); !nested {
				return value(of[0])
			}
		}
	}
	return ""
}
