package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"railyard/internal/out/result"
)

// apiNames lists queues and queue pairs that the series knows, and collectives, those whose name or port holds a text.
func (s *Server) apiNames(w http.ResponseWriter, _ *http.Request, q query) error {
	return s.with(q, func(_ *show, t *tables) error {
		a := struct {
			Queues []queueName `json:"queues"`
			Flows  []flowName  `json:"flows"`
			Path   []string    `json:"path"` // ports that a queue pair's messages cross
			More   bool        `json:"more"`

			Collectives []collectiveName `json:"collectives"` // all that a filter names
		}{Queues: []queueName{}, Flows: []flowName{}, Path: []string{}, Collectives: []collectiveName{}}
		filter, port := strings.ToLower(q.text("filter")), q.text("port")
		on := func(at string) bool { return port == "" || at == port }
		if pair := q.text("pair"); pair != "" {
			a.Path = t.crossed(q.text("job"), pair)
			on = func(at string) bool { return slices.Contains(a.Path, at) }
		}
		if t.series != nil {
			for name := range t.series.queues {
				if on(name.Port) && strings.Contains(strings.ToLower(name.Port), filter) {
					a.Queues = append(a.Queues, name)
				}
			}
			slices.SortFunc(a.Queues, func(a, b queueName) int {
				return cmp.Or(compareNames(a.Port, b.Port), cmp.Compare(a.Class, b.Class))
			})
			for _, name := range t.series.names {
				if on(name.Port) && strings.Contains(strings.ToLower(name.Name), filter) {
					a.Flows = append(a.Flows, name)
				}
			}
		}
		if t.operations != nil && filter != "" {
			for _, name := range t.operations.collectives {
				if strings.Contains(strings.ToLower(name.Name), filter) && len(a.Collectives) < mostNames {
					a.Collectives = append(a.Collectives, name)
				}
			}
		}
		a.More = len(a.Queues) > mostNames || len(a.Flows) > mostNames
		a.Queues, a.Flows = a.Queues[:min(len(a.Queues), mostNames)], a.Flows[:min(len(a.Flows), mostNames)]
		return writeJSON(w, a)
	})
}

// crossed lists the ports that a queue pair's messages cross, as run.json has their path: none where they took several, or where
// cables in parallel leave open which port one of them is.
func (t *tables) crossed(job, pair string) []string {
	ports := []string{}
	if t.run == nil {
		return ports
	}
	flows := t.run.Summary.Flows
	i := slices.IndexFunc(flows, func(f result.FlowFigures) bool { // of a job that is alone it has no name
		return (f.Job == job || f.Job == "") && f.Name == pair
	})
	if i < 0 {
		return ports
	}
	nodes := strings.Split(flows[i].Path, ">")
	for k := range nodes[1:] {
		at := -1
		for n := range t.ports {
			if p := &t.ports[n]; p.From == nodes[k] && p.To == nodes[k+1] {
				if at >= 0 {
					at = -1
					break
				}
				at = n
			}
		}
		if at >= 0 {
			ports = append(ports, t.ports[at].Port)
		}
	}
	return ports
}
