// Package web shows run directories in a browser: a server for one page, which reads them.
//
//	run directories ──find──> runs ──┐
//	   run.json ─────────────────────┼─> /TOKEN/api/run, headline, topology      at once
//	   *.parquet ──scan, once──> pyramids ─> /TOKEN/api/tiles, series            when they are made
//	      |                          └─> /TOKEN/api/follow: how far that is      server-sent events
//	      └──row groups──> /TOKEN/api/tiles (level 0), events, timeline          what is looked at
//	   ui/dist ──────────────────────> /TOKEN/                                   the page, embedded
//
// It computes no figure that a run could know better: what it has to say is package report's, and what it draws are rows of
// tables. What is posted, package live runs; without one (serve without --run) the server only reads.
//
// Invariants:
//   - a number on the page is one of a row, or the least, the greatest or the mean of rows in a stated span:
//     nothing is interpolated, and what is finer than the run kept is said to be so;
//   - who does not have the token gets 403, as does a request that names another host, or comes from another
//     origin's page; a run is named by where it lies below the folder, and only one that was found there is read;
//   - memory is bounded: that of pyramids by budgets, lists by numbers of entries, requests by a number at a time;
//   - every goroutine ends when the server's context does, and that of a request when its connection goes.
//
// The interface is described in openapi.json, which a test compares with what is answered. Sources: HTML Living
// Standard, 9.2 (server-sent events); RFC 9110 (HTTP); RFC 6454 (origin); OWASP on DNS rebinding (why Host is checked).
package web
