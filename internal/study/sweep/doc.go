// Package sweep runs many variants of a scenario in one process into one table: as many at once as
// there are cores, and never more than memory holds by their estimates. Rows are in the order of
// the variants and the same bytes however many ran at once. A sweep that was interrupted goes on
// where it stopped: each row lies in a file of its own, named by what the run was.
//
// Not here: what the changes mean (packages scenario, whatif) and what a single run leaves in its
// directory (result).
//
//	scenario x axes x seeds --> []Variant --forecast--> Each: core, core, core --> []Row --> Table
//	                                                      |                          ^
//	                                                      +--> DIR/rows/KEY.json ----+ (resumed)
//
// Read takes the table of a sweep's directory back, and Page says which variant is best, with a
// curve of each figure over the key that was changed.
//
// Percentiles are by nearest rank (Hyndman and Fan 1996, definition 1): a value that a run had,
// never one between two.
package sweep
