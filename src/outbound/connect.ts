/** Connects to checked addresses only: the socket's lookup resolves, checks, and returns exactly what it checked. */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressPolicy, literalOf } from './address.ts';
import type { Resolve } from './resolve.ts';

export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';

  constructor() {
    super('the host has a private or reserved address');
  }
}

const notFound = (hostname: string): Error =>
  Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });

/** One forbidden address forbids the name, as its owner controls which address is used. */
const resolveChecked = async (hostname: string, policy: AddressPolicy, resolve: Resolve): Promise<LookupAddress[]> => {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw notFound(hostname);
  for (const { address } of addresses) {
    if (!policy.allows(address, hostname)) throw new ForbiddenAddress();
  }
  return addresses.map(({ address }) => ({ address, family: isIP(address) }));
};

const checkedLookup =
  (policy: AddressPolicy, resolve: Resolve): LookupFunction =>
  async (hostname, options, callback) => {
    let addresses: LookupAddress[];
    try {
      addresses = await resolveChecked(hostname, policy, resolve);
    } catch (error) {
      callback(error instanceof Error ? error : notFound(hostname), '');
      return;
    }
    const wanted = Number(options.family ?? 0);
    const fitting = wanted === 4 || wanted === 6 ? addresses.filter(({ family }) => family === wanted) : addresses;
    const first = fitting[0];
    if (first === undefined) callback(notFound(hostname), '');
    else if (options.all === true) callback(null, fitting);
    else callback(null, first.address, first.family);
  };

export interface ConnectSettings {
  readonly policy: AddressPolicy;
  readonly resolve: Resolve;
  readonly timeoutMs: number;
  /** Replaces the system's certificate authorities. */
  readonly ca?: string;
  /** Bytes read ahead; default: undici's. */
  readonly highWaterMark?: number;
}

/** Connector for undici. TLS server name and Host header stay those of the URL. */
export const makeConnector = ({
  policy,
  resolve,
  timeoutMs,
  ca,
  highWaterMark,
}: ConnectSettings): buildConnector.connector => {
  const connect = buildConnector({
    lookup: checkedLookup(policy, resolve),
    autoSelectFamily: true,
    timeout: timeoutMs,
    ...(ca === undefined ? {} : { ca }),
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
  });
  return (options, callback) => {
    // A literal address is never looked up, so it is checked here.
    const literal = literalOf(options.hostname);
    if (literal !== null && !policy.allows(literal, options.hostname)) {
      callback(new ForbiddenAddress(), null);
      return;
    }
    connect(options, callback);
  };
};
