/**
 * As people run it: default settings, every event to a webhook, one request at a time from each of twelve callers, messages that arrive one
 * by one; counted until the last webhook has come. Beside it stock Baileys behind HTTP.
 */
import { join } from 'node:path';
import { type Child, startChild } from '../../test/system/support/child.ts';
import { inLines } from '../../test/system/support/lines.ts';
import { numbersFrom } from '../../test/system/support/settings.ts';
import { heardBy } from '../support/arrivals.ts';
import { type Compared, type Side, compare } from '../support/compare.ts';
import { type Measured, type Scale, rounded } from '../support/measured.ts';
import { Stage } from '../support/stage.ts';
import { peer, peerJid } from '../support/texts.ts';
import { phonesOf } from '../../test/support/phones.ts';
import { photograph } from '../support/photograph.ts';

const bench = join(import.meta.dirname, '..');
const callers = 12;
const devices = 10;
const writers = numbersFrom(4_915_582_000_000, callers);
/** In a group, beside the device. */
const members = writers.slice(0, 8);

interface Order {
  readonly count: number;
  readonly devices: number;
}

interface Given {
  readonly process: Child;
  readonly receiver: Child;
  readonly numbers: readonly string[];
  readonly send: (index: number, text: string) => Promise<unknown>;
  readonly sendToGroup: (text: string) => Promise<unknown>;
  readonly sendImage: () => Promise<unknown>;
}

type One = (line: number, left: number, order: Order) => Promise<unknown>;

const sidesOf = ({ requests, place }: Stage, given: Given) => {
  const { process, receiver, numbers, send, sendToGroup, sendImage } = given;
  const heard = heardBy(receiver);
  const side = (one: One, posts = 1): Side<Order> => ({
    work: async (order) => {
      const began = performance.now();
      const all = heard(order.count * posts);
      await inLines(order.count, callers, (line, left) => one(line, left, order));
      await all;
      return performance.now() - began;
    },
    cpu: () => process.ask('cpu'),
  });
  const receive: One = (line, left, order) =>
    requests.post(`${place.controlUrl}/phones/${writers[line]!}/messages`, {
      to: numbers[line % order.devices]!,
      text: `text ${left}`,
    });
  return {
    sends: side((line, left, order) => send(line % order.devices, `text ${left}`)),
    receives: side(receive),
    // Each member tells of its delivery.
    groupTexts: side((_, left) => sendToGroup(`text ${left}`), members.length),
    images: side(() => sendImage()),
  };
};

/** Commits of ours a message, beside the work itself. */
const withCommits = (side: Side<Order>, process: Child) => {
  const sum = { commits: 0, messages: 0 };
  const work: Side<Order>['work'] = async (order) => {
    const before = await process.ask<number>('commits');
    const ms = await side.work(order);
    sum.commits += (await process.ask<number>('commits')) - before;
    sum.messages += order.count;
    return ms;
  };
  return { side: { ...side, work }, each: () => sum.commits / sum.messages };
};

const figuresOf = (
  name: string,
  { ours, bare, cpuOurs, cpuBare, ratio }: Compared,
  commits: number,
): Record<string, number> => ({
  [`asRun${name}Ratio`]: rounded(ratio),
  [`asRun${name}PerSecond`]: rounded(ours),
  [`stock${name}PerSecond`]: rounded(bare),
  [`asRun${name}CpuMs`]: rounded(cpuOurs),
  [`stock${name}CpuMs`]: rounded(cpuBare),
  [`asRun${name}Commits`]: rounded(commits),
});

const measureWith = async (stage: Stage, stock: Child, { short }: Scale): Promise<Measured> => {
  const receivers = [startChild(join(bench, 'last-posts.ts')), startChild(join(bench, 'last-posts.ts'))] as const;
  const [oursReceiver, stockReceiver] = receivers;
  try {
    const oursNumbers = numbersFrom(4_915_581_000_000, devices);
    const stockNumbers = numbersFrom(4_915_583_000_000, devices);
    await stage.addPhones([peer, ...oursNumbers, ...stockNumbers, ...writers]);
    const stockUrl = await stock.ask<string>('start', stage.place);
    const webhookUrl = await oursReceiver.ask<string>('start');
    const ids = await stage.connectOurs(oursNumbers, { webhookUrl });
    const phones = phonesOf(stage.place.controlUrl);
    const groupOf = async (owner: string): Promise<string> => {
      const made = { subject: 'As run', owner, participants: members };
      return (await phones.request<{ jid: string }>('POST', '/groups', made)).jid;
    };
    const [oursGroup, stockGroup] = [await groupOf(oursNumbers[0]!), await groupOf(stockNumbers[0]!)];
    const image = (await photograph()).toString('base64');
    await stock.ask('connect', { numbers: stockNumbers, webhookUrl: await stockReceiver.ask<string>('start') });
    const ours = sidesOf(stage, {
      process: stage.ours,
      receiver: oursReceiver,
      numbers: oursNumbers,
      send: (index, message) => stage.ask(`/devices/${ids[index]!}/messages/text`, { toNumber: peer, message }),
      sendToGroup: (message) => stage.ask(`/devices/${ids[0]!}/messages/text`, { to: oursGroup, message }),
      sendImage: () => stage.ask(`/devices/${ids[0]!}/messages/media`, { toNumber: peer, mediaBase64: image }),
    });
    const beside = sidesOf(stage, {
      process: stock,
      receiver: stockReceiver,
      numbers: stockNumbers,
      send: (index, text) => stage.requests.post(`${stockUrl}/${index}`, { to: peerJid, text }),
      sendToGroup: (text) => stage.requests.post(`${stockUrl}/0`, { to: stockGroup, text }),
      sendImage: () => stage.requests.post(`${stockUrl}/0`, { to: peerJid, image }),
    });
    const figures: Record<string, number> = {};
    for (const [name, kind, over, count] of [
      ['Texts1', 'sends', 1, 600],
      ['Texts10', 'sends', devices, 600],
      ['Received1', 'receives', 1, 600],
      ['Received10', 'receives', devices, 600],
      ['GroupTexts', 'groupTexts', 1, 240],
      ['Images', 'images', 1, 96],
    ] as const) {
      const { side, each } = withCommits(ours[kind], stage.ours);
      const order = { count: short ? Math.ceil(count / 12) : count, devices: over };
      Object.assign(figures, figuresOf(name, await compare(side, beside[kind], order, short ? 2 : 5), each()));
    }
    return { figures };
  } finally {
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  }
};

export const measure = async (scale: Scale): Promise<Measured> => {
  await using stage = await Stage.open({ HANDSET_ALLOW_PRIVATE_URLS: 'true', HANDSET_LOG_LEVEL: 'info' });
  const stock = startChild(join(bench, 'stock.ts'));
  try {
    return await measureWith(stage, stock, scale);
  } finally {
    await stock.ask('end');
    await stock.stop();
  }
};
