// Package showcmd has railyard show, list, schema and completion: what a scenario comes to, a run's events and captures, and the
// names that there are. Values and their texts are package view's.
package showcmd
