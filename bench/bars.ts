/** Floors of the figures, not goals: above them the shorter code is better. */

export interface Bar {
  /** Better when it is more, or when it is less. */
  readonly better: 'more' | 'less';
  readonly bar: number;
}

/** Ratios mean the same on every machine: the short form in CI holds them (docs/decisions/0036-floors-of-messages.md). */
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

/** Times and sizes, on two cores. */
export const goals: Readonly<Record<string, Bar>> = {
  oneDeviceRatio: { better: 'less', bar: 1.1 },
  steadyMb: { better: 'less', bar: 220 },
  sendAddedP99Ms: { better: 'less', bar: 3 },
  reconnect1000Seconds: { better: 'less', bar: 10 },
  reconnect1000AfterKillSeconds: { better: 'less', bar: 10 },
  coldStartMs: { better: 'less', bar: 500 },
  commandMs: { better: 'less', bar: 300 },
};

export const isReached = ({ better, bar }: Bar, value: number): boolean =>
  better === 'more' ? value >= bar : value <= bar;

/** At less than half of its bar, or at twice its limit: what short runs on a busy machine do not explain. */
export const hasFallen = ({ better, bar }: Bar, value: number): boolean =>
  better === 'more' ? value < bar / 2 : value > bar * 2;
