// Package topocmd has railyard topo, networks and insides of hosts in other tools' forms, and railyard hash, which of equal links
// headers fall on. The forms are those of view, containerlab and nccltopo.
package topocmd
