package collected

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"railyard/internal/base/input"
	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/lldp"
)

// Heard is how much of what devices hear by LLDP is of use.
type Heard struct {
	Neighbours int      `json:"neighbours"`          // that are heard
	Here       int      `json:"ports_of_devices"`    // of them, ports of one of the devices
	Others     []string `json:"of_others,omitempty"` // who hears something, and is none of the devices
}

// String is the line about it.
func (h *Heard) String() string {
	text := fmt.Sprintf("LLDP: %d of %s are ports of these devices", h.Here, unit.CountOf(int64(h.Neighbours), "neighbour"))
	if len(h.Others) > 0 {
		text += "; what others hear is left out: " + lint.Some(h.Others)
	}
	return text
}

// mostLLDP bounds a file of neighbours.
const mostLLDP = 4 << 20

// LLDP gives devices what they hear by LLDP. A device is found by the prompt before its text, else by the name of the
// file; nil: there is no file.
func LLDP(ctx context.Context, devices []*lint.Device, paths []string) (*Heard, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	h := &Heard{}
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := input.Read(ctx, name, mostLLDP)
			if err != nil {
				return fmt.Errorf("%s: %w", name, input.Cause(err))
			}
			all, err := lldp.Parse(string(text))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			base := filepath.Base(name)
			for i := range all {
				if all[i].Host == "" {
					all[i].Host = strings.TrimSuffix(base, filepath.Ext(base))
				}
				h.give(devices, &all[i])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(h.Others) > 0 && h.Neighbours == 0 {
		return nil, fmt.Errorf("%s: none of the devices, want %s", lint.Some(h.Others), lint.Some(named(devices)))
	}
	h.Neighbours, h.Here = lint.Heard(devices)
	return h, nil
}

// give finds whose a text is.
func (h *Heard) give(devices []*lint.Device, d *lldp.Dump) {
	for _, to := range devices {
		if to.Device.Name == d.Host || to.Switch != "" && to.Switch == d.Host {
			to.Heard = append(to.Heard, d.Neighbours...)
			h.Neighbours += len(d.Neighbours)
			return
		}
	}
	h.Others = append(h.Others, d.Host)
}

// named are the devices' names.
func named(devices []*lint.Device) (all []string) {
	for _, d := range devices {
		all = append(all, d.Device.Name)
	}
	return all
}
