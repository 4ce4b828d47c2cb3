// Package manual makes a site of the documentation: a page of HTML for each page of Markdown and each example, an index,
// and a search that needs no server.
//
//	docs/*.md, examples/*  ─>  Pages  ─>  index.html  tune.html  format/tables.html  examples/incast.yaml.html
//	                                      search.html (text of all in it)  pictures/*
//
// It is a function of the files: the same files give the same bytes. It writes nothing; railyard docs does.
//
// Invariants, held by tests:
//   - a link leads to a page or a place that is there, or to another site; what a site has not (sources of the
//     program) is no link in it;
//   - no page asks for anything beside itself but its pictures, and only search.html has a script.
//
// Markdown is CommonMark (spec.commonmark.org) with the tables of GitHub's, read by goldmark; places of headings are named
// as GitHub names them, so that a link holds in both. (Texts of labs have a reader of their own, in lab: values stand in
// them.)
package manual
