/** Large pages: a log of 1,000 texts of 65,536 wide characters, and the page of them all, five at once. */
import type { MessageRecord } from '../../../src/domain/message.ts';
import type { Attack } from './attack.ts';

const wide = '\u{4E16}'.repeat(65_536);

const message = (n: number): MessageRecord => ({
  id: `M${n}`,
  chat: '4915112345678@s.whatsapp.net',
  chatNumber: '4915112345678',
  chatLid: null,
  direction: 'in',
  from: '4915112345678@s.whatsapp.net',
  fromNumber: '4915112345678',
  fromLid: null,
  pushName: null,
  isGroup: false,
  type: 'text',
  text: wide,
  quotedMessageId: null,
  media: null,
  content: null,
  state: 'delivered',
  timestamp: 1_700_000_000_000 + n,
  acceptedAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  deletedAt: null,
});

/** A log of 197 MB. */
export const seedLargeMessages: NonNullable<Attack['seed']> = async ({ changes }, deviceId) => {
  for (let n = 0; n < 1_000; n += 50)
    await changes.commit(deviceId, { messages: Array.from({ length: 50 }, (_, index) => message(n + index)) });
};

export const pages: Attack = {
  name: 'pages',
  seed: seedLargeMessages,
  async run({ url, attacker: { key, device } }, signal) {
    const read = async (): Promise<void> => {
      while (!signal.aborted) {
        const answer = await fetch(`${url}/v1/devices/${device}/messages?limit=1000`, {
          headers: { authorization: `Bearer ${key}` },
          signal,
        });
        await answer.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: 5 }, () => read().catch(() => undefined)));
  },
};
