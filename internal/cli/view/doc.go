// Package view has what commands and pages show of a scenario, a plan, a network, a device or a run: as a value with the
// names that --json prints, and as text on a sheet.
//
//	plan.Plan, plan.Job  -> TopoData, InventoryData, PlacementData, DagData, GroupsData, MemoryData, ModelData, CorpusData
//	                     -> TopoText, ... the same for a terminal; TopoForms for other tools
//	result.Run           -> ReadSpans -> Bars -> BarsText, Timetable (of a pipeline)
//	foresight.Inspection -> CheckData, EstimateText, ThresholdText; HashOf -> HashText
//	rib.Network          -> RibData, RibText
//	collected.Device     -> DeviceText; findings of lint and hostlint -> Findings, HostFindings: Data, Text
//	hostinfo.Host        -> HostText; intent.Host -> MeantText; board.Board -> BoardData, BoardText
//	pcapng, frames       -> ReadCapture -> Capture -> CaptureText
//	two sweeps of nccl-tests -> Compared -> ComparedText
//	judge.Verdict        -> Diagnosis -> DiagnosisText; trial.Found -> TuneText
//	scenario             -> ScenarioData, ScenarioText; its names -> NameLists; large models -> DecoderOf
//
// It reads no arguments, prints to no terminal, and keeps no colours: who calls it has a sheet as wide as the page.
//
// Invariant: text and data of a view come from the same value, so that they cannot disagree.
package view
