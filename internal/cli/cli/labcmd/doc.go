// Package labcmd has railyard lab and railyard docs: labs that are listed, run, checked and begun, and the documentation as a site.
// Labs are package lab's, the site is package manual's.
package labcmd
