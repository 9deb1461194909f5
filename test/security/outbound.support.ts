/** A listener on loopback that proves that nothing came, and the way out as it is in production. */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { type OutboundOptions, makeOutbound } from '../../src/outbound.ts';

export interface Tripwire extends AsyncDisposable {
  readonly port: number;
  /** Connections that were made to it. */
  readonly touched: number;
}

/** Listens on all loopback addresses, IPv4 and IPv6. */
export const tripwire = async (): Promise<Tripwire> => {
  let touched = 0;
  const server = createServer((socket) => {
    touched += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen({ host: '::', port: 0, ipv6Only: false }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    get touched() {
      return touched;
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
};

export const strict = (options: Partial<OutboundOptions> = {}) =>
  makeOutbound({ allowPrivateUrls: false, userAgent: 'Handset/test', ...options });

/** A name server of the test's own: names to addresses; everything else is not found. */
export const names =
  (table: Readonly<Record<string, readonly string[]>>) =>
  async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = table[hostname];
    if (addresses === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };

/** The error that a promise rejects with. */
export const failure = async (promise: Promise<unknown>): Promise<Error> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('expected a rejection with an Error');
};
