/** Floors of the figures rather than goals: above them the shorter code wins. */

export interface Bar {
  /** Whether more or less is better. */
  readonly better: 'more' | 'less';
  readonly bar: number;
}

/** Ratios are comparable between machines, so the short run in CI enforces them (docs/decisions/0036-floors-of-messages.md). */
export const bars: Readonly<Record<string, Bar>> = {
  sendRatio1: { better: 'more', bar: 1 },
  sendRatio20: { better: 'more', bar: 1.25 },
  receiveRatio: { better: 'more', bar: 0.6 },
  receiveRatio20: { better: 'more', bar: 0.9 },
  perCoreRatio: { better: 'more', bar: 1.3 },
  imageRatio: { better: 'more', bar: 0.75 },
  documentPeakMb: { better: 'less', bar: 16 },
  memoryRatio: { better: 'less', bar: 0.5 },
};

/** Times and sizes on two cores. */
export const goals: Readonly<Record<string, Bar>> = {
  oneDeviceRatio: { better: 'less', bar: 1.1 },
  groupReceiveCost: { better: 'less', bar: 1.15 },
  groupBacklogRatio: { better: 'more', bar: 0.8 },
  steadyMb: { better: 'less', bar: 220 },
  sendAddedP99Ms: { better: 'less', bar: 3 },
  reconnect1000Seconds: { better: 'less', bar: 10 },
  reconnect1000AfterKillSeconds: { better: 'less', bar: 10 },
  scheduledLateP99Ms: { better: 'less', bar: 2_000 },
  coldStartMs: { better: 'less', bar: 500 },
  commandMs: { better: 'less', bar: 300 },
};

export const isReached = ({ better, bar }: Bar, value: number): boolean =>
  better === 'more' ? value >= bar : value <= bar;

/** True below half of the bar, or above twice the limit, which a short run on a busy machine does not explain. */
export const hasFallen = ({ better, bar }: Bar, value: number): boolean =>
  better === 'more' ? value < bar / 2 : value > bar * 2;
