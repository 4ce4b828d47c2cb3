import { expect, test } from "vitest";
import { bytes, exactTime, figure, percent, rate, time } from "./units";

test("values carry their units", () => {
  expect(time(0)).toBe("0 ps");
  expect(time(999)).toBe("999 ps");
  expect(time(1_234_567)).toBe("1.235 us");
  expect(time(15_657_256_907)).toBe("15.66 ms");
  expect(time(999_999_999)).toBe("1.000 ms");
  expect(bytes(9_912_672)).toBe("9.913 MB");
  expect(rate(400e9)).toBe("400 Gb/s");
  expect(percent(0.0088)).toBe("0.88 %");
  expect(percent(0.834)).toBe("83.4 %");
  expect(exactTime(1234567890)).toBe("1 234 567 890 ps");
});

test("headline figures are printed by their unit", () => {
  expect(figure(14_965_578_460, "ps")).toBe("14.97 ms");
  expect(figure(16033, "")).toBe("16,033");
  expect(figure("NaN", "-")).toBe("NaN");
});
