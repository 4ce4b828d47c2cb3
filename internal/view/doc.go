// Package view has what commands and pages show of a plan, a network or a run: as a value with the names that --json
// prints, and as text on a sheet.
//
//	plan.Plan, plan.Job  -> TopoData, InventoryData, PlacementData, DagData, GroupsData, MemoryData, ModelData, CorpusData
//	                     -> TopoText, ... the same for a terminal
//	result.Run           -> ReadSpans -> Bars -> BarsText, Timetable (of a pipeline)
//	foresight.Inspection -> CheckData, EstimateText, ThresholdText; HashOf -> HashText
//	rib.Network          -> RibData, RibText
//	netconf, as parsed   -> Device -> DeviceText
//
// It reads no arguments, prints to no terminal, and keeps no colours: who calls it has a sheet as wide as the page.
//
// Invariant: text and data of a view come from the same value, so that they cannot disagree.
package view
