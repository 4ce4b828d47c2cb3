// Package cc holds congestion control: the state machines that tell a sender
// how fast it may send (a rate) and how much it may have in flight (a window).
//
// It is pure: no clock, socket, goroutine or randomness. A driver feeds it what
// happened (sent, acknowledged, congestion notified, lost) with the time, in
// order of time, and reads the rate and the window at the moment of sending.
// It is not the notification point (who sends a CNP, and how often: roce) nor
// the congestion point (which packet is marked: fabric).
//
//	       OnSent, OnAck, OnCNP, OnLoss            marks CE, stamps telemetry
//	driver ---------------------------> Controller      switch port
//	(nic)  <--------------------------- Rate, Window       |
//	  |                                                    |
//	  +-- data ------------------------------------------->+--> receiver
//	  ^                                                              |
//	  +-- ACK (RTT, mark, hops) / CNP -------------------------------+
//
// Timers are lazy. A controller schedules nothing: each call first replays the
// ticks due at or before its time, so that a queue pair nobody looks at costs
// nothing. Looking often and looking once give the same state, bit for bit.
//
// Invariants:
//   - the rate is between 1 b/s and the line rate;
//   - a tick due at the time of a call is replayed before the call acts;
//   - no call allocates, but where HPCC meets another path of a queue pair for the first time; the state of
//     all queue pairs lies in one slice;
//   - results do not depend on the processor: rates, windows and times are
//     integers or IEEE doubles, every product that is added is first rounded by
//     an explicit conversion (an assignment does not keep the compiler from a
//     fused multiply-add), and no library function with a processor-dependent
//     last bit is used.
//
// Sources: DCQCN, Zhu et al., "Congestion Control for Large-Scale RDMA
// Deployments", SIGCOMM 2015, section 3 and figure 7, and the timers-only
// reaction point of the HPCC authors' ns-3 model (what any reaction point of RoCEv2 must do is in the
// IBTA's annex A17, A17.9.3, CA17-45 and CA17-46); HPCC, Li et al., SIGCOMM 2019,
// algorithm 1; TIMELY, Mittal et al., SIGCOMM 2015, algorithm 1; DCTCP, Alizadeh
// et al., SIGCOMM 2010, section 3, and RFC 8257; Swift, Kumar et al., SIGCOMM
// 2020, algorithm 1; the fixed point of DCQCN, Zhu et al., "ECN or Delay: Lessons
// Learnt from Analysis of DCQCN and TIMELY", CoNEXT 2016, section 3.
package cc
