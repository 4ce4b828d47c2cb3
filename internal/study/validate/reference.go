package validate

// The reference: alibaba-edu/High-Precision-Congestion-Control at commit 9f4be2a, built at -O3 and
// run. "ps" rows are the same library with its clock set to 1 ps; "shipped" rows have its 1 ns
// clock, which truncates.

// Single flows of 1,000-byte packets over one switch at 100 Gb/s, links of 1 us: completion time in
// ns.
var singleFlows = []struct {
	bytes    int64
	shipped  float64 // 0: not measured
	ps       float64
	perFrame float64 // the ps clock loses at most 1 ps a packet
}{
	{1_000, 4_174, 4_177, 0},
	{10_000, 4_921, 0, 0},
	{1_000_000, 87_091, 87_932, 0},
	{100_000_000, 8_304_091, 8_387_993, 0},
}

// incastRow is one measured incast of 10 MB flows, all starting at 0: completion times in us, queue
// in kB.
type incastRow struct {
	senders                   int
	variant                   string
	fctMin, fctMean, fctMax   float64
	queueMean, queueP99, qMax float64
	cnps, pauses              float64
}

// Rows with the ps clock: of the random ones, a single seed.
var incastPS = []incastRow{
	{2, "hpccdef", 2137, 2180, 2223, 163, 728, 740, 168, 0},
	{2, "paper", 1735, 1753, 1770, 323, 1145, 1145, 355, 0},
	{2, "vwin", 1681, 1681, 1681, 56, 57, 58, 0, 0},
	{2, "pfconly", 1681, 1681, 1681, 4544, 6716, 6719, 0, 140},
	{8, "hpccdef", 6416, 7372, 8027, 287, 1912, 2146, 3190, 0},
	{8, "paper", 5395, 6594, 7601, 990, 8317, 8426, 15697, 0},
	{8, "vwin", 6711, 6711, 6711, 383, 384, 385, 0, 0},
	{8, "pfconly", 6696, 6705, 6711, 14802, 16795, 16804, 0, 2001},
}

// shippedRow is the mean over ten seeds with the 1 ns clock, and the relative standard deviation
// over seeds.
type shippedRow struct {
	senders                                            int
	variant                                            string
	fctMean, fctMeanSD, fctMax, fctMaxSD, cnps, cnpsSD float64
	queueMean, queueMeanSD, queueP99, queueP99SD       float64
}

var incastShipped = []shippedRow{
	{2, "hpccdef", 2094, .044, 2137, .039, 152, .20, 162, .067, 716, .086},
	{2, "paper", 1744, .015, 1825, .033, 439, .22, 336, .115, 1239, .058},
	{8, "hpccdef", 7444, .014, 7949, .032, 3293, .089, 296, .088, 1863, .015},
	{8, "paper", 6472, .014, 7559, .051, 15974, .116, 1011, .069, 8291, .010},
}

// seeds is over how many seeds the shipped rows were taken.
const seeds = 10

// exactRow is a measured incast without randomness with the 1 ns clock, all flows starting at 0:
// completion times in ns. The congestion controls are the simulator's own, with the parameters of
// variants.
type exactRow struct {
	senders        int
	variant        string
	bytes          int64
	min, max, mean float64
	pauses         float64
	qMax           float64 // kB
}

var exactShipped = []exactRow{
	{8, "pfconly", 10_000_000, 6_636_123, 6_644_091, 6_641_103, 1938, 16_808.872},
	{16, "pfconly", 10_000_000, 13_249_480, 13_284_091, 13_268_175.75, 4170, 22_366.416},
	{32, "pfconly", 4_000_000, 10_553_640, 10_628_091, 10_599_048.781, 3088, 26_714.568},
	{8, "pfconly, 4 MiB", 10_000_000, 6_636_455, 6_644_091, 6_640_937, 1927, 2129.536},
	{8, "fixed window", 10_000_000, 6_643_510, 6_644_091, 6_643_800.5, 0, 383.568},
	{2, "HPCC", 10_000_000, 1_818_617, 1_841_645, 1_830_131, 0, 55.59},
	{8, "HPCC", 10_000_000, 5_211_550, 7_369_295, 6_678_429.25, 0, 393.49},
	{2, "TIMELY", 10_000_000, 4_590_926, 4_594_072, 4_592_499, 0, 1637.856},
	{8, "TIMELY", 10_000_000, 7_797_407, 8_485_843, 8_268_109.5, 60, 16_805.184},
}
