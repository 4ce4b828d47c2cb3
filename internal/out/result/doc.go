// Package result is what a run leaves behind: the run directory with run.json
// and its tables, and the way to read all of it back.
//
//	runs/digits-8gpu-1/
//	  run.json             state, scenario, seed, version, kernel, figures
//	  steps.parquet        one row per step and rank
//	  operations.parquet   one row per operation of each rank's DAG
//	  flows.parquet        one row per RDMA message
//	  links.parquet        one row per egress port
//	  queues.parquet       one row per change of a sampled queue
//	  paths.parquet        one row per part of the critical path of some steps
//	  hops.parquet         one row per port that held up a message
//	  losses.parquet       one row per lost frame or timeout
//	  shares.parquet       one row per port and whose bytes waited there
//	  events.parquet       one row per mark, pause, drop, CNP, rate, ...; if wanted
//	  series.parquet       one row per link, queue, queue pair and interval; if wanted
//
//	    Create ──> Begin ──> tables: Add, Add, ... ──────> Finish
//	      |          |         |                             |
//	    mkdir     run.json   NAME.0001.parquet.part       NAME.parquet,
//	   run.json   + scenario   ─> NAME.0001.parquet, ...  run.json by rename
//
// It gives the same rows as CSV and as trace-event JSON, too.
//
// It is not the report: it computes no figure but the statistics of sampled
// queues, and it prints and draws nothing.
//
// Invariants:
//   - run.json is always whole: it is replaced by rename, never rewritten in
//     place. Its state is "running" until Finish, so a killed run is recognised;
//   - what has no ".part" at the end of its name is closed and can be read. The
//     closed parts of a table hold its first rows, and go away only after
//     NAME.parquet, which holds all, has its name;
//   - run.json says "complete" only when all tables are on the disk;
//   - the same rows give the same bytes: no date, no machine name, no map order,
//     and no trace of when parts were closed; of run.json only wall_seconds
//     differs between two runs of a scenario;
//   - a table holds at most one row group of RowGroupRows rows in memory.
//
// Tables follow the Apache Parquet format (parquet.apache.org/docs/file-format):
// times are INT64 picoseconds in columns named *_ps, byte counts INT64 in columns
// named *_bytes, names strings in DELTA_BYTE_ARRAY, pages compressed with Zstandard
// (RFC 8878). Names have no dictionary: parquet-go splits the runs of a dictionary's
// indices in another way where the processor has AVX2, and the bytes must be the same.
package result
