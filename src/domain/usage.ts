/** How much devices did, counted by the hour or the day (UTC). */

export const usageSteps = { hour: 3_600_000, day: 86_400_000 } as const;

export type UsageStep = keyof typeof usageSteps;

/** An interval, whole and without gaps to the next one. */
export interface Usage {
  /** Its start, ms. */
  readonly from: number;
  /** Messages that the network took, from the interface and from the account's other devices. */
  readonly sent: number;
  readonly received: number;
  /** Messages that could not be sent. */
  readonly failed: number;
  /** Deliveries of the events of that time, by what has become of them. */
  readonly deliveries: { readonly delivered: number; readonly pending: number; readonly failed: number };
  /** Posts to webhooks that failed, whatever became of their deliveries. */
  readonly failedPosts: number;
}

export interface UsageSpan {
  readonly by: UsageStep;
  /** ms; the interval that it is in comes first. */
  readonly since: number;
  /** ms; the interval that it is in comes last. */
  readonly until: number;
}

/** Starts of the intervals of a span, ms. */
export const intervalsOf = ({ by, since, until }: UsageSpan): readonly number[] => {
  const step = usageSteps[by];
  const first = Math.floor(since / step);
  return Array.from({ length: Math.floor(until / step) - first + 1 }, (_, index) => (first + index) * step);
};

export interface UsageStore {
  /** Oldest first, an entry for each interval. As far back as messages and deliveries are kept. */
  ofDevice(deviceId: number, span: UsageSpan): Promise<readonly Usage[]>;
  /** Counts those of all devices of the user together. */
  ofUser(userId: number, span: UsageSpan): Promise<readonly Usage[]>;
}
