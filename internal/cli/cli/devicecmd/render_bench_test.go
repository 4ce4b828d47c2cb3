package devicecmd_test

import (
	"testing"

	"railyard/internal/config/netconf/dialects"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// BenchmarkRenderThousand renders the switches of a network of 968 leaves and 32 spines: from the plan to the
// texts of each platform.
func BenchmarkRenderThousand(b *testing.B) {
	const text = `name: thousand
cluster: {hosts: 968, host: {gpus: 1}, nic: {speed: 400Gb/s}}
fabric: {design: leaf-spine, leaves: 968, spines: 32, switch: {buffer: 165MB, latency: 600ns}, links: {spine: 100Gb/s},
  qos: {cnp_priority: 6, pfc: {headroom: 100kB}}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}
`
	sc, err := scenario.Parse("thousand.yaml", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"nxos", "eos", "sonic", "nvue", "junos"} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				devices, err := configs.Devices(p)
				if err != nil {
					b.Fatal(err)
				}
				if len(devices) != 1000 {
					b.Fatal(len(devices))
				}
				for i := range devices {
					fitting, _ := dialects.All[name].Fit(&devices[i])
					if _, err := dialects.All[name].Render(fitting); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
