/** Usage of devices, counted by the hour or the day (UTC). */

export const usageSteps = { hour: 3_600_000, day: 86_400_000 } as const;

export type UsageStep = keyof typeof usageSteps;

export interface Usage {
  readonly from: number;
  readonly sent: number;
  readonly received: number;
  readonly failed: number;
  readonly deliveries: { readonly delivered: number; readonly pending: number; readonly failed: number };
  /** Failed posts, whatever became of their deliveries. */
  readonly failedPosts: number;
}

export interface UsageSpan {
  readonly by: UsageStep;
  readonly since: number;
  readonly until: number;
}

export const intervalsOf = ({ by, since, until }: UsageSpan): readonly number[] => {
  const step = usageSteps[by];
  const first = Math.floor(since / step);
  return Array.from({ length: Math.floor(until / step) - first + 1 }, (_, index) => (first + index) * step);
};

export interface UsageStore {
  ofDevice(deviceId: number, span: UsageSpan): Promise<readonly Usage[]>;
  /** Over all devices of the user, or those with these ids. */
  ofUser(userId: number, span: UsageSpan, only?: readonly number[] | null): Promise<readonly Usage[]>;
}
