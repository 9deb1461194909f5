/** Charts of messages, deliveries and failures over time, counted from the API's lists. */
import { useState } from 'react';
import { useAccount, useEvents } from '../account.tsx';
import type { Message } from '../api/message.ts';
import type { Delivery, Device } from '../api/types.ts';
import { clockTime, dayOf } from '../format.ts';
import { useLoad } from '../hooks.ts';
import { applyToMessages } from '../apply-to-messages.ts';
import { texts } from '../texts.ts';
import { BarChart, type Series } from '../ui/chart.tsx';
import { Await, Choice } from '../ui/parts.tsx';

const words = texts.activity;

type Range = 'hour' | 'day' | 'week';

const hourMs = 3_600_000;

/** The number of bars and the duration of each. */
const ranges: Readonly<Record<Range, { readonly bars: number; readonly ms: number }>> = {
  hour: { bars: 12, ms: hourMs / 12 },
  day: { bars: 24, ms: hourMs },
  week: { bars: 28, ms: 6 * hourMs },
};

const bins = (times: readonly string[], end: number, { bars, ms }: (typeof ranges)[Range]): readonly number[] => {
  const counts = Array.from({ length: bars }, () => 0);
  for (const time of times) {
    const index = bars - 1 - Math.floor((end - Date.parse(time)) / ms);
    if (index >= 0 && index < bars) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
};

const labelsOf = (end: number, range: Range): readonly string[] => {
  const { bars, ms } = ranges[range];
  return Array.from({ length: bars }, (_, index) => {
    const from = new Date(end - (bars - index) * ms);
    const time = clockTime(from.toISOString());
    return range === 'hour' ? time : `${dayOf(from)}, ${time}`;
  });
};

interface Facts {
  readonly messages: readonly Message[];
  readonly deliveries: readonly Delivery[];
  readonly end: number;
}

const chartsOf = ({ messages, deliveries, end }: Facts, range: Range) => {
  const series = (name: string, tone: Series['tone'], times: readonly string[]): Series => ({
    name,
    tone,
    values: bins(times, end, ranges[range]),
  });
  const written = (direction: Message['direction']): readonly string[] =>
    messages.filter((one) => one.direction === direction && one.state !== 'failed').map(({ timestamp }) => timestamp);
  const made = (state: Delivery['state']): readonly string[] =>
    deliveries.filter((one) => one.state === state).map(({ createdAt }) => createdAt);
  const failed = messages.filter(({ state }) => state === 'failed').map((one) => one.failedAt ?? one.timestamp);
  return [
    {
      title: words.messages,
      series: [series(words.sent, 'one', written('out')), series(words.received, 'two', written('in'))],
    },
    {
      title: words.deliveries,
      series: [series(words.delivered, 'one', made('delivered')), series(words.pending, 'three', made('pending'))],
    },
    {
      title: words.failures,
      series: [series(words.failedMessages, 'bad', failed), series(words.failedDeliveries, 'three', made('failed'))],
    },
  ];
};

export const Activity = ({ device }: { readonly device: Device }) => {
  const { client, generation } = useAccount();
  const [range, setRange] = useState<Range>('day');
  const facts = useLoad(async () => {
    const path = `/v1/devices/${device.id}`;
    const [{ messages }, { deliveries }] = await Promise.all([
      client.get<{ messages: readonly Message[] }>(`${path}/messages?limit=1000`),
      client.get<{ deliveries: readonly Delivery[] }>(`${path}/deliveries?limit=1000`),
    ]);
    return { messages, deliveries, end: Date.now() };
  }, `${device.id}:${generation}`);
  // Messages are live. Deliveries have no events and are updated with the button.
  useEvents(device.id, (event) => {
    facts.change((old) => ({ ...old, messages: applyToMessages(old.messages, event), end: Date.now() }));
  });
  return (
    <section className="stack" aria-labelledby="activity-title">
      <div className="row between">
        <h2 id="activity-title">{words.title}</h2>
        <Choice
          label={words.range}
          value={range}
          options={[
            ['hour', words.ranges.hour],
            ['day', words.ranges.day],
            ['week', words.ranges.week],
          ]}
          choose={setRange}
        />
        <button type="button" className="quiet" onClick={facts.reload}>
          {texts.deliveries.refresh}
        </button>
      </div>
      <Await of={facts}>
        {(value) => (
          <div className="charts">
            {chartsOf(value, range).map(({ title, series }) => (
              <BarChart key={title} title={title} labels={labelsOf(value.end, range)} series={series} />
            ))}
          </div>
        )}
      </Await>
      <p className="hint">{words.limit}</p>
    </section>
  );
};
