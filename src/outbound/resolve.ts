/** DNS look-ups without libuv's thread pool, so that a slow name delays nothing else. */
import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

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

export interface ResolveSettings {
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
