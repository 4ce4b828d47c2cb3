package scenario

// onlyCaptured says that a field belongs to captures.
func onlyCaptured(s *Scenario) string {
	if !s.Capture.On() {
		return "capture.links is none"
	}
	return ""
}

// captureFields: frames in a file. They come before those of transport, of which some have a meaning in captures alone.
var captureFields = []*Field{
	{Path: "capture", Meaning: "frames of some links as a file that Wireshark opens: capture.pcapng in the run directory"},
	{
		Path: "capture.links", Default: "none", Word: "none", Also: []string{"link", "ports"},
		value: in(linkNames, func(s *Scenario) *[]string { return &s.Capture.Links }),
		Meaning: "the links, both directions of each: node/peer, node/peer#2 for the second of parallel links, with * and ? for " +
			"several; [all]: every link",
	},
	{
		Path: "capture.payload", Default: "false", Also: []string{"data"}, applies: where(onlyCaptured),
		value: in(boolean, func(s *Scenario) *bool { return &s.Capture.Payload }),
		Meaning: "frames are whole: with the bytes that a training sends, zeros where nothing real is sent, and the ICRC; false: " +
			"up to the last header",
	},
	{
		Path: "capture.limit", Default: "100000", Min: "1", Max: "10000000", applies: where(onlyCaptured),
		value:   in(whole, func(s *Scenario) *int { return &s.Capture.Limit }),
		Meaning: "so many frames, the first of all links together; of the others, how many", Also: []string{"frames", "count"},
	},
}
