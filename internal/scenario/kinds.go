package scenario

import "strings"

// unitNames lists the units in which the values of a kind may be written.
var unitNames = map[Kind][]string{
	Rate:        {"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "B/s", "kB/s", "MB/s", "GB/s", "TB/s"},
	ByteRate:    {"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "B/s", "kB/s", "MB/s", "GB/s", "TB/s"},
	ComputeRate: {"FLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"},
	ByteCount:   {"B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"},
	Time:        {"ps", "ns", "us", "ms", "s", "min", "h"},
	Distance:    {"mm", "cm", "m", "km"},
}

// Kinds says how the values of each kind are written, for `list` and documentation.
func Kinds() []Choice {
	units := func(k Kind, eg string) Choice {
		return Choice{string(k), "a number and a unit: " + eg + "; units " + strings.Join(unitNames[k], ", ")}
	}
	return []Choice{
		{string(Whole), "plain digits: 8; no sign, no exponent, no leading zero"},
		{string(WholeList), "[784, 128, 10]"},
		{string(Number), "a decimal number: 0.1 or 1e-3"},
		{string(Bool), "true or false, in lower case, without quotes"},
		{string(Name), "one of the names listed with the key"},
		{string(Text), "as it is, or in quotes where YAML would read a number or true"},
		units(Rate, "400Gb/s (b is bits, B is bytes)"),
		units(ComputeRate, "495TFLOP/s"),
		units(ByteCount, "64MB (k, M, G are powers of 1000; Ki, Mi, Gi of 1024)"),
		units(Time, "1.5us"),
		units(Distance, "20m"),
		{string(Fraction), "1/8, 7% or 0.07"},
		{string(End), "hostN/gpuM or hostN/nicM: hosts count from 1, GPUs and NICs from 0"},
	}
}
