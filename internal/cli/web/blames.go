package web

import "railyard/internal/out/diagnose"

// blame is what the time was lost to.
type blame struct {
	diagnose.Blame
	Job   string  `json:"job"`
	Share float64 `json:"share"`
}

// blame adds those of a job.
func (a *runAnswer) blame(job string, g *diagnose.Diagnosis) {
	if g == nil {
		return
	}
	for i := range g.Blames {
		b := blame{g.Blames[i], job, g.Share(&g.Blames[i])}
		b.Felt = append([]diagnose.Felt{}, b.Felt...) // felt as nothing: the page takes a list
		a.Blames = append(a.Blames, b)
	}
}
