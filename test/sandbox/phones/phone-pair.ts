/** Two phones on the real hub, for tests. */
import { Blobs } from '../../../sandbox/src/media/blobs.ts';
import type { Phone } from '../../../sandbox/src/phones/phone.ts';
import { Phones } from '../../../sandbox/src/phones/phones.ts';
import { type Clock, systemClock } from '../../../sandbox/src/base/clock.ts';
import { makeHub } from '../../../sandbox/src/server/hub.ts';

const directPath = (token: string): string => `/v/t62.7118-24/${token}.enc?x=1`;

export const startPhones = async (first: string, second: string, clock: Clock = systemClock) => {
  const blobs = await Blobs.open({ directory: null });
  const hub = makeHub({ mediaHost: () => 'media.test', clock });
  const phones = new Phones({
    hub,
    media: {
      blobs,
      urlOf: (token) => ({ url: `https://media.test${directPath(token)}`, directPath: directPath(token) }),
    },
    changed: () => undefined,
    report: (error) => {
      throw error;
    },
  });
  const pair: readonly [Phone, Phone] = [phones.create(first, 'Alice'), phones.create(second, 'Bob')];
  return {
    hub,
    blobs,
    all: phones,
    phones: pair,
    /** Resolves when nothing is under way any more. */
    async settled(): Promise<void> {
      for (let quiet = 0; quiet < 3; quiet += 1) {
        await Promise.all(phones.all().map((phone) => phone.idle()));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      phones.close();
      await blobs.close();
    },
  };
};
