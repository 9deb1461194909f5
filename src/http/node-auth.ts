/** How nodes know each other: a MAC over the request, keyed by the installation's secret, good for a minute. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const nodeHeader = 'x-handset-node';
/** On an answer: this node has lost the database, and with it soon its devices. */
export const awayHeader = 'x-handset-away';

/** Between two nodes' clocks. */
const skewMs = 60_000;

export interface NodeAuth {
  /** The header of a request to another node. */
  sign(method: string, path: string, authorization: string | undefined): string;
  verify(method: string, path: string, headers: IncomingHttpHeaders): boolean;
}

export const makeNodeAuth = (secret: string, now: () => number): NodeAuth => {
  const key = Buffer.from(hkdfSync('sha256', secret, 'handset', 'between nodes', 32));
  const macOf = (at: string, method: string, path: string, authorization = ''): string =>
    createHmac('sha256', key).update([at, method, path, authorization].join('\n')).digest('base64url');
  return {
    sign(method, path, authorization) {
      const at = String(now());
      return `${at}.${macOf(at, method, path, authorization)}`;
    },
    verify(method, path, headers) {
      const given = headers[nodeHeader];
      const [at = '', mac = ''] = typeof given === 'string' ? given.split('.') : [];
      if (!/^\d{1,16}$/.test(at) || Math.abs(now() - Number(at)) > skewMs) return false;
      const expected = Buffer.from(macOf(at, method, path, headers.authorization));
      const actual = Buffer.from(mac);
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
  };
};
