package sizing

import (
	"fmt"

	"railyard/internal/unit"
)

// join finds the spines and super-spines of a network whose segments are known, with the fewest pods.
func (w *Network) join() *Refusal {
	var least *Refusal
	if w.Need.Pods <= 1 && w.Need.SuperSpines == 0 {
		if w.Design == "leaf-spine" && w.Segments == 1 && w.Need.Spines == 0 {
			return nil // its leaf has all hosts
		}
		why := w.joinPod()
		if why == nil || w.Need.Pods == 1 || w.Super.Ports == 0 {
			return why
		}
		least = why
	}
	if w.Super.Ports == 0 {
		return w.refuse("superspine", "%s, and no model of a super-spine", count(w.Need.Pods, "pod"))
	}
	segments, from, to := w.Segments, w.Need.Pods, w.Need.Pods
	if from == 0 {
		from = max(2, ceil(w.podLeaves(), w.Spine.links(w.SpineRate)))
		to = min(segments, w.Super.links(w.SuperRate)) // a super-spine has a link to each pod at least
	}
	for pods := from; pods <= to; pods++ {
		w.Pods, w.Segments = pods, ceil(segments, pods)*pods
		why := w.joinPods()
		if why == nil {
			return nil
		}
		least = nearest(least, why)
	}
	if from > to {
		return w.refuse("superspine", "superspine (%s): %s of a plane, at most %d in a pod, make %s at least, and a switch "+
			"has %d ports for them", w.Super.Model, count(w.podLeaves(), "leaf"), w.Spine.links(w.SpineRate),
			count(from, "pod"), w.Super.links(w.SuperRate))
	}
	return least
}

// podLeaves is how many leaves a pod has in each plane.
func (w *Network) podLeaves() int { return w.Segments / w.Pods * w.sets() / w.Planes }

// joinPod finds the spines of a network of two tiers.
func (w *Network) joinPod() *Refusal {
	return w.eachSpines(func() *Refusal {
		links := w.podLeaves() * w.Parallel
		return w.fits("spine", &w.Spine, links, w.SpineRate, 0, w.SpineRate, func() string { return w.spineSum(links) })
	})
}

// joinPods finds the spines and super-spines of a network of three tiers.
func (w *Network) joinPods() *Refusal {
	return w.eachSpines(func() *Refusal {
		down := w.podLeaves() * w.Parallel
		up := needed(down, w.SpineRate, w.SuperRate, w.SpineOversubscribed)
		why := w.fits("spine", &w.Spine, down, w.SpineRate, up, w.SuperRate, func() string {
			return w.spineSum(down) + " and " + rated(up, "uplink", w.SuperRate)
		})
		if why != nil {
			return why
		}
		return w.joinSuper(down, up)
	})
}

// spineSum says how a spine comes to its links.
func (w *Network) spineSum(links int) string {
	return fmt.Sprintf("%s in a pod with %s, %d to each: %s", count(w.podLeaves(), "leaf"), count(w.PodSpines, "spine"),
		w.Parallel, rated(links, "link", w.SpineRate))
}

// eachSpines tries numbers of spines of a pod and plane, the fewest first, until the rest of the
// network closes: rest is told by w.PodSpines and w.Parallel.
func (w *Network) eachSpines(rest func() *Refusal) *Refusal {
	down, base := w.Segment*w.perHost(), w.uplinks(w.Segment)
	from, to := w.LostSpines+1, w.LostSpines+base // with more, a leaf has but one link to each
	if all := w.Need.Spines; all > 0 {
		groups := w.Pods * w.Planes
		if all%groups != 0 || all/groups < from {
			return w.refuse("spine", "%s for %s of %s, want a multiple of %d and at least %d", count(all, "spine"),
				count(w.Pods, "pod"), count(w.Planes, "plane"), groups, groups*from)
		}
		from, to = all/groups, all/groups
	}
	var least *Refusal
	for s := from; s <= to; s++ {
		w.PodSpines, w.Parallel = s, ceil(base, s-w.LostSpines)
		up := s * w.Parallel
		why := w.fits("leaf", &w.Leaf, down, w.HostRate, up, w.SpineRate, func() string {
			return fmt.Sprintf("%s and %s (%d to each of %s)", rated(down, "host link", w.HostRate),
				rated(up, "uplink", w.SpineRate), w.Parallel, count(s, "spine"))
		})
		if why == nil {
			why = rest()
		}
		if why == nil {
			return nil
		}
		least = nearest(least, why)
	}
	return least
}

// joinSuper finds the super-spines of each plane, and their groups: spine i of a pod has links to those
// of group i, modulo the groups.
func (w *Network) joinSuper(down, up int) *Refusal {
	from := ceil(w.Pods*w.PodSpines*up, w.Super.links(w.SuperRate))
	to := from + 2*w.PodSpines
	if all := w.Need.SuperSpines; all > 0 {
		if all%w.Planes != 0 {
			return w.refuse("superspine", "%s for %s, want a multiple of that", count(all, "super-spine"),
				count(w.Planes, "plane"))
		}
		from, to = all/w.Planes, all/w.Planes
	}
	var least *Refusal
	for c := from; c <= to; c++ {
		for g := 1; g <= min(c, w.PodSpines); g++ {
			if c%g != 0 || w.PodSpines%g != 0 {
				continue
			}
			w.PlaneSupers, w.Groups, w.SuperParallel = c, g, ceil(up*g, c)
			why := w.superFits(down)
			if why == nil {
				return nil
			}
			least = nearest(least, why)
		}
	}
	return least
}

// superFits refuses super-spines, or their groups, for which spines or they themselves have too few ports.
func (w *Network) superFits(down int) *Refusal {
	each, spines := w.PlaneSupers/w.Groups, w.Pods*w.PodSpines/w.Groups
	up, links := each*w.SuperParallel, spines*w.SuperParallel
	why := w.fits("spine", &w.Spine, down, w.SpineRate, up, w.SuperRate, func() string {
		return fmt.Sprintf("%s and %s (%d to each of %s)", rated(down, "link", w.SpineRate),
			rated(up, "uplink", w.SuperRate), w.SuperParallel, count(each, "super-spine"))
	})
	if why != nil {
		return why
	}
	return w.fits("superspine", &w.Super, links, w.SuperRate, 0, w.SuperRate, func() string {
		return fmt.Sprintf("%s with %s, %d to each: %s", count(spines, "spine"), count(each, "super-spine"),
			w.SuperParallel, rated(links, "link", w.SuperRate))
	})
}

// fits refuses a switch that has fewer ports than its links take; sum says what they are.
func (w *Network) fits(tier string, sw *Switch, down int, downRate unit.Bitrate, up int, upRate unit.Bitrate,
	sum func() string) *Refusal {
	used, there, fit := sw.needs(down, downRate, up, upRate)
	if fit {
		return nil
	}
	r := w.refuse(tier, "%s (%s): %s take %d ports, %d there", tier, sw.Model, sum(), used, there)
	r.over = max(1, used-there)
	return r
}

// rated is so many things of a rate.
func rated(n int, what string, rate unit.Bitrate) string {
	return fmt.Sprintf("%s of %v", count(n, what), rate)
}
