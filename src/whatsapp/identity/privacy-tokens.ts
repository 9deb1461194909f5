/** Messages carry the recipient's token (`tctoken`), else a `cstoken` if its key, the NCT salt, is known. Recipients get the account's weekly. */
import { isLidUser, jidNormalizedUser } from '../library/jid.ts';
import { createHmac } from 'node:crypto';
import { Mutex } from 'async-mutex';
import { type BinaryNode, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { AuthenticationCreds, SignalDataTypeMap, SignalKeyStore } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock } from '../../domain/clock.ts';
import { jidKind, jidUser, lidJid } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import { factsOf, isEnabled } from './account.ts';
import { plainJid } from './people.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

type Token = SignalDataTypeMap['tctoken'];

export interface ToldToken {
  readonly jid: string;
  readonly token: Uint8Array | null;
  readonly timestamp: number;
  readonly senderTimestamp: number | null;
}

export interface PrivacyTokensOptions {
  readonly sock: Pick<Socket, 'query'>;
  readonly keys: SignalKeyStore;
  readonly lidMapping: LidMapping;
  readonly creds: AuthenticationCreds;
  readonly clock: Clock;
  readonly log: Logger;
}

const week = 604_800;
const weeksValid = 4;
const maxAtOnce = 500;
/** Bytes; a token of the network has some dozens. */
const maxToken = 1_024;

const weekOf = (clock: Clock, seconds = clock.now() / 1000): number => Math.floor(seconds / week);

const childrenOf = (node: unknown): readonly BinaryNode[] => {
  if (typeof node !== 'object' || node === null || !('content' in node)) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list of stanzas, where it is a list
  return Array.isArray(node.content) ? (node.content as BinaryNode[]) : [];
};

export const isToken = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array && value.length > 0 && value.length <= maxToken;

const tokensIn = (answer: unknown): { readonly bytes: Buffer; readonly t: string }[] => {
  const list = childrenOf(answer).find(({ tag }) => tag === 'tokens');
  return childrenOf(list).flatMap(({ tag, attrs, content }) =>
    tag === 'token' && attrs.type === 'trusted_contact' && isToken(content) && Number(attrs.t) > 0
      ? [{ bytes: Buffer.from(content), t: attrs.t! }]
      : [],
  );
};

interface Known {
  readonly token: Token | null;
  csToken: Uint8Array | null;
  salt: Uint8Array | null;
}

const tokenOf = (token: Token | null): Known => ({ token, csToken: null, salt: null });

const csTokenInput = (recipientLid: string): string => lidJid(jidUser(recipientLid));

/**
 * The token for a first contact ("cstoken"): HMAC-SHA256 under the account's NCT salt.
 * Rule: the input is the recipient's LID without a device, `user@lid`. The node `<cstoken>` has the 32 bytes and replaces a missing
 * tctoken; none for the network's own account (0). It has its own switch, AB property 24941, not 10518 of tctokens (whatsapp-rust #966,
 * 2026-07; contested: whatsmeow and zapo ignore switches, so an unset one counts as on). Sources: whatsmeow cstoken.go and send.go
 * (August 2026), whatsapp-rust wacore/src/iq/tctoken.rs. Contested: zapo v1.8.0 (2026-08-19) hashes the account's own LID; `csTokenInput`
 * is the place to change. Null if the LID is unknown.
 */
export const csTokenFor = (address: string, salt: Uint8Array): Uint8Array | null => {
  if (jidKind(address) !== 'lid' || jidUser(address) === '0') return null;
  return createHmac('sha256', salt).update(csTokenInput(address)).digest();
};

export class PrivacyTokens {
  readonly #options: PrivacyTokensOptions;
  readonly #known = boundedCache<Known>(1_000);
  readonly #giving = new Set<string>();
  /** The week for which each person has the account's token. */
  readonly #given = boundedCache<number>(1_000);
  /** Writes read what they change, so they exclude each other. */
  readonly #writing = new Mutex();
  #changes = 0;

  constructor(options: PrivacyTokensOptions) {
    this.#options = options;
  }

  forget(): void {
    this.#changes += 1;
    this.#known.clear();
    this.#given.clear();
  }

  async nodeFor(to: string): Promise<BinaryNode | null> {
    const { creds } = this.#options;
    const name = isLidUser(to) ? to : await this.#nameOf(to);
    const known = this.#known.get(name) ?? (await this.#find(name));
    const content = isEnabled(creds, 10518) ? this.#validIn(known) : null;
    if (content !== null) return { tag: 'tctoken', attrs: {}, content };
    const salt = factsOf(creds).nctSalt;
    if (salt === undefined || !isEnabled(creds, 24941)) return null;
    if (known.salt !== salt) Object.assign(known, { salt, csToken: csTokenFor(name, salt) });
    return known.csToken === null ? null : { tag: 'cstoken', attrs: {}, content: known.csToken };
  }

  async of(person: string): Promise<Uint8Array | null> {
    return this.#validIn(await this.#find(await this.#nameOf(person)));
  }

  #validIn({ token }: Known): Uint8Array | null {
    const { clock } = this.#options;
    const isValid = token?.token?.length && weekOf(clock) - weekOf(clock, Number(token.timestamp)) < weeksValid;
    return isValid ? token.token : null;
  }

  /** After a message: gives the person a token, unless they got one this week. Does not wait. */
  give(to: string): void {
    if (this.#given.get(to) === weekOf(this.#options.clock)) return;
    void this.#give(to).catch((error: unknown) =>
      this.#options.log.debug({ error: messageOf(error) }, 'failed to give a privacy token'),
    );
  }

  async #give(to: string): Promise<void> {
    const { clock } = this.#options;
    const name = await this.#nameOf(to);
    const last = (await this.#find(name)).token?.senderTimestamp;
    const now = Math.floor(clock.now() / 1000);
    if (last !== undefined && weekOf(clock, now) <= weekOf(clock, last)) {
      this.#given.set(to, weekOf(clock, now));
      return;
    }
    if (this.#giving.has(name)) return;
    this.#giving.add(name);
    try {
      await this.#issue(to, name, now);
    } finally {
      this.#giving.delete(name);
    }
  }

  async #issue(to: string, name: string, time: number): Promise<void> {
    const { sock, creds, lidMapping } = this.#options;
    const phone = isLidUser(to) ? await lidMapping.getPNForLID(to) : to;
    const target = isEnabled(creds, 14303) ? name : (phone ?? to);
    const token: BinaryNode = {
      tag: 'token',
      attrs: { jid: jidNormalizedUser(target), t: String(time), type: 'trusted_contact' },
    };
    const answer = await sock.query({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'privacy' },
      content: [{ tag: 'tokens', attrs: {}, content: [token] }],
    });
    await this.#write(name, { senderTimestamp: time }, tokensIn(answer));
  }

  /** After a change of identity: gives the last token again, as WhatsApp Web. */
  async giveAgain(to: string): Promise<void> {
    const name = await this.#nameOf(to);
    const given = (await this.#find(name)).token?.senderTimestamp;
    const { clock } = this.#options;
    if (given !== undefined && weekOf(clock) - weekOf(clock, given) < weeksValid) await this.#issue(to, name, given);
  }

  async told(notice: BinaryNode): Promise<void> {
    const { from = '', sender_lid: lid } = notice.attrs;
    const person = plainJid(lid !== undefined && isLidUser(lid) ? lid : from);
    const isPerson = ['lid', 'phone'].includes(jidKind(person)) && jidUser(person) !== '0';
    const got = tokensIn(notice);
    if (isPerson && got.length > 0) await this.#write(await this.#nameOf(person), {}, got);
  }

  async learn(told: readonly ToldToken[]): Promise<void> {
    for (let from = 0; from < told.length; from += maxAtOnce) {
      const some = told.slice(from, from + maxAtOnce);
      await this.#writing.runExclusive(() => this.#learn(some));
    }
  }

  async #learn(told: readonly ToldToken[]): Promise<void> {
    const { keys } = this.#options;
    const named = await Promise.all(told.map(async (each) => ({ ...each, name: await this.#nameOf(each.jid) })));
    const known = await keys.get(
      'tctoken',
      named.map(({ name }) => name),
    );
    const tctoken: Record<string, Token> = {};
    for (const { name, token, timestamp, senderTimestamp } of named) {
      const before = tctoken[name] ?? known[name];
      const given = Math.max(senderTimestamp ?? 0, before?.senderTimestamp ?? 0);
      const isNewer = token !== null && timestamp > Number(before?.timestamp ?? 0);
      if (!isNewer && given === (before?.senderTimestamp ?? 0)) continue;
      tctoken[name] = {
        token: Buffer.alloc(0),
        ...before,
        ...(isNewer ? { token: Buffer.from(token), timestamp: String(timestamp) } : {}),
        ...(given > 0 ? { senderTimestamp: given } : {}),
      };
    }
    if (Object.keys(tctoken).length === 0) return;
    await keys.set({ tctoken });
    this.forget();
  }

  async #nameOf(to: string): Promise<string> {
    const { lidMapping } = this.#options;
    if (isLidUser(to)) return to;
    const { lid } = await lidMapping.addressesOf(to);
    return lid ?? to;
  }

  async #find(name: string): Promise<Known> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const before = this.#changes;
    const found = tokenOf((await this.#options.keys.get('tctoken', [name]))[name] ?? null);
    // It may lack what was written meanwhile.
    if (before === this.#changes) this.#known.set(name, found);
    return found;
  }

  #write(name: string, given: Pick<Token, 'senderTimestamp'>, got: ReturnType<typeof tokensIn>): Promise<void> {
    const write = async (): Promise<void> => {
      const { keys } = this.#options;
      const { [name]: before } = await keys.get('tctoken', [name]);
      const newest = got.findLast(({ t }) => Number(t) >= Number(before?.timestamp ?? 0));
      const token: Token = {
        token: Buffer.alloc(0),
        ...before,
        ...(newest === undefined ? {} : { token: newest.bytes, timestamp: newest.t }),
        ...given,
      };
      await keys.set({ tctoken: { [name]: token } });
      this.#changes += 1;
      this.#known.set(name, tokenOf(token));
    };
    return this.#writing.runExclusive(write);
  }
}
