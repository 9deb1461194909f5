/** A stranger's phone, which writes to the attacked account all the time: texts and protobufs that are dear to read, store or tell. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { proto } from 'baileys';
import { ask } from '../load/ask.ts';
import type { Attack, Stage } from './attack.ts';

const stranger = '4915550000002';
/** Between two messages. */
const everyMs = 100;

type Written = Readonly<Record<string, unknown>>;

/** Writes message after message until it is told to end. */
const writeAll = async (
  { controlUrl, number }: Stage,
  ended: AbortSignal,
  written: (n: number) => Written,
): Promise<void> => {
  const agent = new Agent({ keepAlive: true });
  // Exists already in a second round.
  await ask(agent, controlUrl, '', 'POST', '/phones', { number: stranger, name: 'stranger' });
  for (let n = 0; !ended.aborted; n += 1) {
    const body = { to: number, ...written(n) };
    const { status } = await ask(agent, controlUrl, '', 'POST', `/phones/${stranger}/messages`, body);
    if (status !== 200) throw new Error(`the stranger cannot write: ${status}`);
    await sleep(everyMs);
  }
  agent.destroy();
};

const rawOf = (bytes: Uint8Array): Written => ({ protobuf: Buffer.from(bytes).toString('base64') });

const vcard = `ORG:${';'.repeat(65_000)}x`;
const cards = proto.Message.encode({
  contactsArrayMessage: { contacts: Array.from({ length: 4 }, () => ({ vcard })) },
}).finish();

/** Contact cards that end in semicolons. */
export const card: Attack = {
  name: 'card',
  run: (stage, ended) => writeAll(stage, ended, () => rawOf(cards)),
};

const varint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];

/** A message in a message, as deep as it says. */
const nested = (depth: number): Buffer => {
  let bytes: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth; level += 1) {
    const inner = Buffer.concat([Buffer.from([10, ...varint(bytes.length)]), bytes]);
    // `ephemeralMessage`.
    bytes = Buffer.concat([Buffer.from([...varint(40 * 8 + 2), ...varint(inner.length)]), inner]);
  }
  return bytes;
};
const deep = nested(3_000);

/** Stanzas that cannot be read: nested beyond what a decoder takes. That they end no process is tested in `test/flows/kill-points/stuck.test.ts`. */
export const poison: Attack = {
  name: 'poison',
  run: (stage, ended) => writeAll(stage, ended, () => rawOf(deep)),
};

const marks = '\u0315\u0300'.repeat(32_768);

/** Marks out of order, where stop words are set; and searches over them, which the account's owner makes. */
export const unicode: Attack = {
  name: 'unicode',
  async prepare({ ask: call, attacker }) {
    const { status } = await call(attacker.key, 'PUT', `/v1/devices/${attacker.device}/settings`, {
      stopWords: ['stop'],
    });
    if (status !== 200) throw new Error(`stop words: ${status}`);
  },
  async run(stage, ended) {
    const { ask: call, attacker } = stage;
    const search = async (): Promise<void> => {
      while (!ended.aborted) {
        const path = `/v1/devices/${attacker.device}/messages?q=${encodeURIComponent('é')}`;
        await call(attacker.key, 'GET', path).catch(() => undefined);
        await sleep(700);
      }
    };
    await Promise.all([writeAll(stage, ended, () => ({ text: marks })), search()]);
  },
};

const long = 'x'.repeat(65_536);

/** A chat that never rests, with a webhook for each time after which it would count as settled. */
export const settled: Attack = {
  name: 'settled',
  settings: { HANDSET_ALLOW_PRIVATE_URLS: 'true' },
  async prepare({ ask: call, attacker }) {
    for (let settleSeconds = 1; settleSeconds <= 20; settleSeconds += 1) {
      const hook = { url: 'http://127.0.0.1:9/', events: ['chat.settled'], settleSeconds };
      const { status } = await call(attacker.key, 'POST', `/v1/devices/${attacker.device}/webhooks`, hook);
      if (status !== 200) throw new Error(`webhook ${settleSeconds}: ${status}`);
    }
  },
  run: (stage, ended) => writeAll(stage, ended, () => ({ text: long })),
};
