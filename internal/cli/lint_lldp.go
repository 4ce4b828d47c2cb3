package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"railyard/internal/input"
	"railyard/internal/lint"
	"railyard/internal/lldp"
)

// heard is how much of what devices hear by LLDP is of use.
type heard struct {
	Neighbours int      `json:"neighbours"`          // that are heard
	Here       int      `json:"ports_of_devices"`    // of them, ports of one of the devices
	Others     []string `json:"of_others,omitempty"` // who hears something, and is none of the devices
}

// String is the line about it.
func (h *heard) String() string {
	text := fmt.Sprintf("LLDP: %d of %s are ports of these devices", h.Here, count(h.Neighbours, "neighbour"))
	if len(h.Others) > 0 {
		text += "; what others hear is left out: " + lint.Some(h.Others)
	}
	return text
}

// mostLLDP bounds a file of neighbours.
const mostLLDP = 4 << 20

// readHeard gives devices what they hear by LLDP. A device is found by the prompt before its text, else by the name of the
// file; nil: there is no file.
func readHeard(ctx context.Context, devices []*lint.Device, paths []string) (*heard, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	h := &heard{}
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
			return nil, misuse("lint: --lldp: %w", err)
		}
	}
	if len(h.Others) > 0 && h.Neighbours == 0 {
		return nil, misuse("lint: --lldp: %s: none of the devices, want %s", lint.Some(h.Others), lint.Some(hosts(devices)))
	}
	h.Neighbours, h.Here = lint.Heard(devices)
	return h, nil
}

// give finds whose a text is.
func (h *heard) give(devices []*lint.Device, d *lldp.Dump) {
	for _, to := range devices {
		if to.Device.Name == d.Host || to.Switch != "" && to.Switch == d.Host {
			to.Heard = append(to.Heard, d.Neighbours...)
			h.Neighbours += len(d.Neighbours)
			return
		}
	}
	h.Others = append(h.Others, d.Host)
}

// hosts are the devices' names.
func hosts(devices []*lint.Device) (all []string) {
	for _, d := range devices {
		all = append(all, d.Device.Name)
	}
	return all
}

// cards says how many NICs of hosts were held against a port: of those that hear one and say what they pause.
type cards struct {
	All  int `json:"known"`
	Held int `json:"held_against_a_port"`
}

// String is the line about it.
func (c *cards) String() string {
	if c.All == 0 {
		return "NICs: of none is it known which port it hears and what it pauses (lldpctl, mlnx_qos): no port was held against one"
	}
	return fmt.Sprintf("NICs: %d of %d were held against the port that they hear", c.Held, c.All)
}
