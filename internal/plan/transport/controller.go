package transport

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/plan/scenario"
)

// Controller returns the parameters of the congestion control.
func Controller(sc *scenario.Scenario) cc.Params { return controllers[sc.Congestion.Algorithm](sc) }

// controllers make the parameters of each, by the names of scenario.CongestionAlgorithms.
var controllers = map[scenario.Controller]func(*scenario.Scenario) cc.Params{
	scenario.Uncontrolled: func(sc *scenario.Scenario) cc.Params { return cc.None{Window: window(sc)} },
	scenario.ByHPCC:       hpcc,
	scenario.ByTIMELY:     timely,
	scenario.ByDCTCP:      dctcp,
	scenario.BySwift:      swift,
	scenario.ByDCQCN:      dcqcn,
}

func window(sc *scenario.Scenario) cc.Window {
	w := sc.Transport.Window
	return cc.Window{Bytes: w.Value, BDP: w.Word == "bdp", Scale: sc.Transport.WindowScale}
}

func hpcc(sc *scenario.Scenario) cc.Params {
	h := &sc.Congestion.HPCC
	return cc.HPCC{
		Eta:        h.Eta,
		MaxStage:   int32(h.MaxStage),
		AI:         h.AI,
		RateAI:     h.RateAI.Or(0),
		BaseRTT:    h.BaseRTT.Or(0),
		MinRate:    h.MinRate,
		TxUnit:     h.TxUnit,
		QueueUnit:  h.QueueUnit,
		OncePerRTT: !h.FastReact,
	}
}

func timely(sc *scenario.Scenario) cc.Params {
	t := &sc.Congestion.TIMELY
	return cc.TIMELY{
		Alpha:       t.Alpha,
		Beta:        t.Beta,
		MaxDecrease: t.MaxDecrease,
		Low:         t.Low,
		High:        t.High,
		MinRTT:      t.MinRTT.Or(0),
		AI:          t.AI,
		HAI:         t.HAI.Or(0),
		HAIAfter:    int32(t.HAIAfter),
		HAIBelowLow: t.HAIBelowLow,
		Segment:     t.Segment.Or(0),
		MinRate:     t.MinRate,
		Window:      window(sc),
	}
}

func dctcp(sc *scenario.Scenario) cc.Params {
	d := &sc.Congestion.DCTCP
	if d.RateAI.Set {
		return cc.DCTCP{G: d.G, MSS: d.MSS, RateAI: d.RateAI.Value, MinRate: d.MinRate, Window: window(sc)}
	}
	return cc.DCTCP{G: d.G, MSS: d.MSS, InitialWindow: d.InitialWindow.Or(0), MaxWindow: d.MaxWindow.Or(0)}
}

func swift(sc *scenario.Scenario) cc.Params {
	s := &sc.Congestion.Swift
	return cc.Swift{
		Queueing:       s.Queueing,
		AI:             s.AI,
		Beta:           s.Beta,
		MaxDecrease:    s.MaxDecrease,
		MTU:            sc.Transport.MTU,
		MinWindow:      s.MinWindow,
		MaxWindow:      s.MaxWindow.Or(0),
		FlowScaleRange: s.FlowScaleRange,
		FlowScaleMin:   s.FlowScaleMin,
		FlowScaleMax:   s.FlowScaleMax,
	}
}

func dcqcn(sc *scenario.Scenario) cc.Params {
	c := &sc.Congestion
	first := unit.Ratio{Num: 1, Den: 1}
	if c.DecreaseInterval.Set {
		first = c.FirstCNPRate
	}
	return cc.DCQCN{
		G:                c.G,
		InitialAlpha:     c.InitialAlpha,
		AlphaTimer:       c.AlphaTimer,
		CNPInterval:      c.CNPInterval,
		AckCNP:           c.Notify == "ack",
		DecreaseInterval: c.DecreaseInterval.Or(0),
		DecreaseOffset:   c.DecreaseOffset,
		FirstCNPRate:     first,
		ClampTarget:      c.ClampTarget,
		MinDecFactor:     c.MinDecFactor,
		CutOnLoss:        c.CutOnLoss,
		IncreaseTimer:    c.IncreaseTimer,
		ByteCounter:      c.ByteCounter.Or(0),
		FastRecovery:     int32(c.FastRecovery),
		AI:               c.RateAI,
		HAI:              c.RateHAI,
		MinRate:          c.MinRate,
		Window:           window(sc),
	}
}
