/** Charts of messages, deliveries and failures over time, as the service counts them. */
import { useState } from 'react';
import { useAccount, useEvents } from '../account/account.tsx';
import type { Device, HandsetEvent, Usage } from '../api/types.ts';
import { clockTime, dayOf } from '../base/format.ts';
import { useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { BarChart, type Series } from '../ui/chart.tsx';
import { Await, Choice } from '../ui/parts.tsx';

const words = texts.activity;

type Range = 'day' | 'week' | 'month';

const hourMs = 3_600_000;

/** The number of bars, and the intervals of the service in each. */
const ranges: Readonly<Record<Range, { readonly by: 'hour' | 'day'; readonly bars: number; readonly each: number }>> = {
  day: { by: 'hour', bars: 24, each: 1 },
  week: { by: 'hour', bars: 28, each: 6 },
  month: { by: 'day', bars: 30, each: 1 },
};

const sinceOf = ({ by, bars, each }: (typeof ranges)[Range]): string =>
  new Date(Date.now() - (bars * each - 1) * (by === 'hour' ? hourMs : 24 * hourMs)).toISOString();

/** The intervals of each bar; the last bar is still growing. */
const binned = (usage: readonly Usage[], { bars, each }: (typeof ranges)[Range]): readonly (readonly Usage[])[] =>
  Array.from({ length: bars }, (_, index) => {
    const end = usage.length - (bars - 1 - index) * each;
    return usage.slice(Math.max(0, end - each), Math.max(0, end));
  });

const labelOf = (interval: Usage | undefined, range: Range): string => {
  if (interval === undefined) return '';
  const day = dayOf(new Date(interval.from));
  return range === 'month' ? day : `${day}, ${clockTime(interval.from)}`;
};

const chartsOf = (bars: readonly (readonly Usage[])[]) => {
  const series = (name: string, tone: Series['tone'], count: (interval: Usage) => number): Series => ({
    name,
    tone,
    values: bars.map((intervals) => intervals.reduce((sum, interval) => sum + count(interval), 0)),
  });
  return [
    {
      title: words.messages,
      series: [
        series(words.sent, 'one', ({ sent }) => sent),
        series(words.received, 'two', ({ received }) => received),
      ],
    },
    {
      title: words.deliveries,
      series: [
        series(words.delivered, 'one', ({ deliveries }) => deliveries.delivered),
        series(words.pending, 'three', ({ deliveries }) => deliveries.pending),
      ],
    },
    {
      title: words.failures,
      series: [
        series(words.failedMessages, 'bad', ({ failed }) => failed),
        series(words.failedDeliveries, 'three', ({ deliveries }) => deliveries.failed),
        series(words.failedPosts, 'two', ({ failedPosts }) => failedPosts),
      ],
    },
  ];
};

/** Counts a message that was sent or received into the newest interval. */
const withEvent = (usage: readonly Usage[], { type }: HandsetEvent): readonly Usage[] => {
  const last = usage.at(-1);
  if (last === undefined) return usage;
  const before = usage.slice(0, -1);
  if (type === 'message.received') return [...before, { ...last, received: last.received + 1 }];
  return type === 'message.sent' ? [...before, { ...last, sent: last.sent + 1 }] : usage;
};

export const Activity = ({ device }: { readonly device: Device }) => {
  const { client, generation } = useAccount();
  const [range, setRange] = useState<Range>('day');
  const facts = useLoad(async () => {
    const query = new URLSearchParams({ by: ranges[range].by, since: sinceOf(ranges[range]) });
    const { usage } = await client.get<{ usage: readonly Usage[] }>(
      `/v1/devices/${device.id}/usage?${query.toString()}`,
    );
    return usage;
  }, `${device.id}:${generation}:${range}`);
  // Messages are live. Deliveries have no events and are updated with the button.
  useEvents(device.id, (event) => facts.change((old, isCounted) => (isCounted ? old : withEvent(old, event))));
  return (
    <section className="stack" aria-labelledby="activity-title">
      <div className="row between">
        <h2 id="activity-title">{words.title}</h2>
        <Choice
          label={words.range}
          value={range}
          options={[
            ['day', words.ranges.day],
            ['week', words.ranges.week],
            ['month', words.ranges.month],
          ]}
          choose={setRange}
        />
        <button type="button" className="quiet" onClick={facts.reload}>
          {texts.deliveries.refresh}
        </button>
      </div>
      <Await of={facts}>
        {(usage) => {
          const bars = binned(usage, ranges[range]);
          const labels = bars.map(([first]) => labelOf(first, range));
          return (
            <div className="charts">
              {chartsOf(bars).map(({ title, series }) => (
                <BarChart key={title} title={title} labels={labels} series={series} />
              ))}
            </div>
          );
        }}
      </Await>
    </section>
  );
};
