/** How names become addresses: by DNS without a thread of the pool, so that one slow name holds up nothing else. */
import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** All addresses of a name. Rejects with an error whose `code` says why there are none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/**
 * The system's own lookup, which also knows the hosts file and the like. Each lookup blocks one of a few threads,
 * so it is used only when DNS has no answer or cannot be asked.
 */
const lookUpLocally: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** The name server did not answer, or could not: asking again in another way would only wait again. */
const silent = new Set<unknown>(['ETIMEOUT', 'ESERVFAIL', 'ECANCELLED']);

/** Names that only the machine or its network knows: single labels and what ends in `.localhost`. */
const isLocal = (hostname: string): boolean =>
  !hostname.replace(/\.$/, '').includes('.') || /\.localhost\.?$/.test(hostname);

type Settled = PromiseSettledResult<readonly string[]>;

const settled = async (asked: Promise<readonly string[]>): Promise<Settled> => (await Promise.allSettled([asked]))[0];

/** Some name servers never answer for IPv6: a name that has IPv4 does not wait for that. */
const withGrace = async (asked: Promise<Settled>, ms: number): Promise<Settled> => {
  const late: Settled = { status: 'fulfilled', value: [] };
  const timer = Promise.withResolvers<Settled>();
  const running = setTimeout(() => timer.resolve(late), ms);
  const answer = await Promise.race([asked, timer.promise]);
  clearTimeout(running);
  return answer;
};

export interface ResolveSettings {
  /** Name servers instead of the system's (`127.0.0.1:53`). */
  readonly servers?: readonly string[];
  /** How long to wait for an answer before the one repetition. */
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
