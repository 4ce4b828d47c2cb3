package unit

// Power is in milliwatts.
type Power int64

// Units of power.
const (
	Milliwatt Power = 1
	Watt            = 1000 * Milliwatt
	Kilowatt        = 1000 * Watt
	Megawatt        = 1000 * Kilowatt
)

var powerScales = []scale{{"MW", int64(Megawatt)}, {"kW", int64(Kilowatt)}, {"W", int64(Watt)}, {"mW", 1}}

// ParsePower reads a power such as 700W or 14.3kW.
func ParsePower(s string) (Power, error) {
	v, err := parse(s, powerScales, "a power (mW, W, kW, MW)", "1 mW")
	return Power(v), err
}

// String prints exactly what ParsePower reads back.
func (p Power) String() string { return format(int64(p), powerScales, "W") }

// Human prints the power for people: "14.30 kW".
func (p Power) Human() string { return Scaled(float64(p)/float64(Watt), "W", "kW", "MW", "GW") }
