/** Usage of devices, counted by the hour or the day (UTC). */

export const usageSteps = { hour: 3_600_000, day: 86_400_000 } as const;

export type UsageStep = keyof typeof usageSteps;

/** One interval; intervals are contiguous. */
export interface Usage {
  /** Its start, ms. */
  readonly from: number;
  /** Messages accepted by the network, from the interface and from the account's other devices. */
  readonly sent: number;
  readonly received: number;
  /** Messages that could not be sent. */
  readonly failed: number;
  /** Deliveries of events in this interval, by state. */
  readonly deliveries: { readonly delivered: number; readonly pending: number; readonly failed: number };
  /** Failed posts to webhooks, whatever became of their deliveries. */
  readonly failedPosts: number;
}

export interface UsageSpan {
  readonly by: UsageStep;
  /** ms; its interval is the first. */
  readonly since: number;
  /** ms; its interval is the last. */
  readonly until: number;
}

/** Starts of the intervals of a span, ms. */
export const intervalsOf = ({ by, since, until }: UsageSpan): readonly number[] => {
  const step = usageSteps[by];
  const first = Math.floor(since / step);
  return Array.from({ length: Math.floor(until / step) - first + 1 }, (_, index) => (first + index) * step);
};

export interface UsageStore {
  /** Oldest first, an entry for each interval, as far back as messages and deliveries are kept. */
  ofDevice(deviceId: number, span: UsageSpan): Promise<readonly Usage[]>;
  /** The sum over all devices of the user. */
  ofUser(userId: number, span: UsageSpan): Promise<readonly Usage[]>;
}
