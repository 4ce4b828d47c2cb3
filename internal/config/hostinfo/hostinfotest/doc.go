// Package hostinfotest writes folders of hosts in which nothing is wrong, for the tests of what reads and judges them. The lines
// have the forms of public outputs (docs/hosts.md names them), typed anew with addresses of our own; no line is of a real host.
package hostinfotest
