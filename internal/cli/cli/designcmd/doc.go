// Package designcmd has railyard design: a requirement to networks side by side, their files, and slices that are played. Networks
// and their bills are package design's.
package designcmd
