/** Invariants after the cluster's chaos; the result lists the violations. */
import type { Cluster } from '../../support/cluster.ts';
import { eventually } from '../../support/wait.ts';
import type { Troubles } from './troubles.ts';
import { type Linked, type Traffic, bob } from './world.ts';

interface Received {
  readonly type: string;
  readonly data: { readonly message?: { readonly text: string | null; readonly type: string } };
}

const eventsOf = async (cluster: Cluster, id: number): Promise<readonly Received[]> => {
  const all: Received[] = [];
  let after = '';
  for (;;) {
    const { events } = (await cluster.nodes[0]!.api.get(`/devices/${id}/events?limit=1000${after}`)).body;
    all.push(...events);
    if (events.length < 1000) return all;
    after = `&after=${events.at(-1).id}`;
  }
};

const textsOf = async (cluster: Cluster, id: number): Promise<readonly string[]> =>
  (await eventsOf(cluster, id)).flatMap(({ type, data }) =>
    type === 'message.received' ? [data.message?.text ?? `unreadable (${data.message?.type})`] : [],
  );

const countOf = (list: readonly string[], text: string): number => list.filter((each) => each === text).length;

/** Time for a login of another node that was on its way when the pause ended. */
const onTheWayMs = 2_000;

/** A login finds the device connected already only where a paused process could not close its sockets: once, and not after its pause. */
const checkLogins = async (cluster: Cluster, { pauses }: Troubles): Promise<string[]> => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const { number, at, replaced } of await cluster.phones.logins()) {
    if (!replaced) continue;
    const pause = pauses.findIndex(({ from, until }) => at >= from && at <= until + onTheWayMs);
    const name = `${pause} ${number}`;
    if (pause === -1 || seen.has(name)) {
      wrong.push(`${number} was connected twice at ${new Date(at).toISOString()}${pause === -1 ? '' : ', again'}`);
    }
    seen.add(name);
  }
  return wrong;
};

const checkPhones = async (cluster: Cluster): Promise<string[]> => {
  const stats = await cluster.phones.stats();
  return ['decryptFailures', 'reusedKeys', 'mediaFailures']
    .filter((name) => stats[name] !== 0)
    .map((name) => `the phones count ${String(stats[name])} ${name}`);
};

export const judge = async (
  cluster: Cluster,
  devices: readonly Linked[],
  traffic: Traffic,
  troubles: Troubles,
): Promise<readonly string[]> => {
  const wrong: string[] = [...(await checkLogins(cluster, troubles)), ...(await checkPhones(cluster))];
  for (const { id, number } of devices) {
    const expected = traffic.written.filter((each) => each.number === number).map(({ text }) => text);
    await eventually(
      `the events of device ${id}`,
      async () => {
        const texts = await textsOf(cluster, id);
        return expected.every((text) => texts.includes(text));
      },
      30_000,
    ).catch(() => undefined);
    const texts = await textsOf(cluster, id);
    for (const text of expected) {
      const count = countOf(texts, text);
      if (count !== 1) wrong.push(`device ${id}: "${text}" has ${count} events`);
    }
    for (const text of texts) if (!expected.includes(text)) wrong.push(`device ${id}: ${text}`);
  }
  const shown = (await cluster.phones.messages(bob)).map(({ text }) => text ?? 'unreadable');
  for (const { text, status } of traffic.sent) {
    const count = countOf(shown, text);
    if (count > 1 || (status === 200 && count === 0))
      wrong.push(`"${text}" (answer ${status}) is shown ${count} times`);
    if (status !== 200) wrong.push(`"${text}" was never answered with 200 (${status})`);
  }
  const unreadable = shown.filter((text) => text === 'unreadable').length;
  if (unreadable > 0) wrong.push(`${unreadable} messages could not be read by the phone`);
  return wrong;
};
