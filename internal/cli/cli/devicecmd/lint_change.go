package devicecmd

import (
	"context"
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/config/collected"
	"railyard/internal/config/lint"
	"railyard/internal/study/prove"
)

// devicesOf reads the devices that arguments name, as the design calls them.
func (a *lintCall) devicesOf(args []string) (devices []*lint.Device, err error) {
	for _, arg := range args {
		paths, err := collected.Paths(arg)
		if err != nil {
			return nil, call.Misuse("lint: %w", err)
		}
		for _, path := range paths {
			c, err := readDevice(a.App, path, a.f.dialect)
			if err != nil {
				return nil, err
			}
			devices = append(devices, &lint.Device{Parsed: c.Parsed, Dialect: c.Dialect, File: c.Files[0].Name})
		}
	}
	return devices, mapped(devices, a.f.maps)
}

// jobChanged runs the scenario's own job with configurations as they were and as they are. What that costs is said first.
func (a *lintCall) jobChanged(ctx context.Context, after []*lint.Device) (*prove.Change, error) {
	before, err := a.devicesOf([]string{a.f.before})
	if err != nil {
		return nil, err
	}
	sc, err := a.ReadScenario(a.f.scenario)
	if err != nil {
		return nil, err
	}
	e, err := prove.Forecast(ctx, sc)
	if err != nil {
		return nil, a.Located(a.f.scenario, sc, err)
	}
	a.Tell(fmt.Sprintf("2 runs of the job of %s, each of about %s packet-hops", a.f.scenario, unit.Count(e.PacketHops)))
	c, err := prove.Changed(ctx, sc, before, after, false)
	if err != nil {
		return nil, a.Located(a.f.scenario, sc, err)
	}
	return c, nil
}
