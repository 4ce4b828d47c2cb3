package hostinfo

import (
	"reflect"
	"strings"
)

// detach has a host hold its own few strings in place of pieces of the texts that it was read from, which would stay for them:
// a megabyte for each of a thousand hosts.
func (h *Host) detach() {
	d := detaching{met: map[uintptr]bool{}, own: map[string]string{}}
	d.value(reflect.ValueOf(h).Elem())
	reindex(h.pci, h.PCI, func(p *PCI) string { return p.Address })
	reindex(h.rdma, h.RDMA, func(r *RDMA) string { return r.Name })
	reindex(h.netdev, h.Netdevs, func(n *Netdev) string { return n.Name })
	reindex(h.gpu, h.GPUs, func(g *GPU) string { return g.Address })
}

// reindex makes the keys of an index anew, which are pieces of the texts too.
func reindex[T any](index map[string]*T, all []*T, key func(*T) string) {
	clear(index)
	for _, x := range all {
		index[key(x)] = x
	}
}

type detaching struct {
	met map[uintptr]bool  // what pointers lead to
	own map[string]string // each text once
}

func (d *detaching) text(s string) string {
	own, ok := d.own[s]
	if !ok {
		own = strings.Clone(s)
		d.own[own] = own
	}
	return own
}

// value goes through all that can be set: fields that are exported, and what they lead to.
func (d *detaching) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(d.text(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() && !d.met[v.Pointer()] {
			d.met[v.Pointer()] = true
			d.value(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				d.value(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Map:
		d.entries(v)
	}
}

// entries makes the keys and values of a map anew.
func (d *detaching) entries(v reflect.Value) {
	if v.IsNil() || !v.CanSet() {
		return
	}
	own := reflect.MakeMapWithSize(v.Type(), v.Len())
	for entries := v.MapRange(); entries.Next(); {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.Set(entries.Key())
		value.Set(entries.Value())
		d.value(key)
		d.value(value)
		own.SetMapIndex(key, value)
	}
	v.Set(own)
}
