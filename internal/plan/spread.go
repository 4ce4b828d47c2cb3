package plan

// rounding is what sums in another order may differ by.
const Rounding = 1e-9
