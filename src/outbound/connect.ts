/** Connects to checked addresses only: the socket's lookup resolves, checks, and returns exactly what it checked. */
import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressPolicy, literalOf } from './address.ts';

export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';

  constructor() {
    super('the host has a private or reserved address');
  }
}

const notFound = (hostname: string): Error =>
  Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });

/** DNS look-ups without libuv's thread pool, so that a slow name delays nothing else. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** getaddrinfo, which also knows the hosts file. It blocks one of few threads, so it is used only after DNS. */
const lookUpLocally: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** The name server did not answer; asking another way would only wait again. */
const silent = new Set<unknown>(['ETIMEOUT', 'ESERVFAIL', 'ECANCELLED']);

/** Names known only locally: single labels and those ending in `.localhost`. */
const isLocal = (hostname: string): boolean =>
  !hostname.replace(/\.$/, '').includes('.') || /\.localhost\.?$/.test(hostname);

type Settled = PromiseSettledResult<readonly string[]>;

const settled = async (asked: Promise<readonly string[]>): Promise<Settled> => (await Promise.allSettled([asked]))[0];

/** Some name servers never answer for IPv6, so a name with IPv4 does not wait for it long. */
const withGrace = async (asked: Promise<Settled>, ms: number): Promise<Settled> => {
  const late: Settled = { status: 'fulfilled', value: [] };
  const timer = Promise.withResolvers<Settled>();
  const running = setTimeout(() => timer.resolve(late), ms);
  const answer = await Promise.race([asked, timer.promise]);
  clearTimeout(running);
  return answer;
};

interface ResolveSettings {
  readonly servers?: readonly string[];
  readonly timeoutMs?: number;
}

const ipv6GraceMs = 250;

export const makeResolve = ({ servers, timeoutMs = 2000 }: ResolveSettings = {}): Resolve => {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    if (isLocal(hostname)) return lookUpLocally(hostname);
    const askedSix = settled(resolver.resolve6(hostname));
    const four = await settled(resolver.resolve4(hostname));
    const six = four.status === 'fulfilled' ? await withGrace(askedSix, ipv6GraceMs) : await askedSix;
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) return found;
    const mute = [four, six].some((answer) => answer.status === 'rejected' && silent.has(codeOf(answer.reason)));
    if (mute) throw Object.assign(new Error(`no name server answers for ${hostname}`), { code: 'EAI_AGAIN' });
    return lookUpLocally(hostname);
  };
};

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
