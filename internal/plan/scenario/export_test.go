package scenario

// RoundTrip is for tests outside of the package.
var RoundTrip = roundTrip
