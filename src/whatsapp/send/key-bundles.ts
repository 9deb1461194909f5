/** Fetches published keys of devices without a session. */
import { jidDecode, jidEncode } from '../library/jid.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import { refusalOf } from '../socket/query.ts';
import type { Socket } from '../socket/socket.ts';
import { jidKind, jidUser, withoutDevice } from '../../domain/jid.ts';
import type { Clock } from '../../domain/clock.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { DeviceLists } from '../identity/addressing.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { Repository } from '../signal/repository.ts';
import type { KeyBundle } from '../signal/sessions.ts';

type Asking = Pick<Socket, 'query'>;

/** Sessions use the LID if there is one, so its keys are fetched. */
const keyAddress = (mapping: Pick<LidMapping, 'peek'>, jid: string): string => {
  if (jidKind(jid) !== 'phone') return jid;
  const { lid } = mapping.peek(withoutDevice(jid));
  return lid === null ? jid : jidEncode(jidUser(lid), 'lid', jidDecode(jid)?.device);
};

const unknownDevice = 406;

const bytesOf = (node: BinaryNode | undefined, tag: string): Uint8Array | undefined => {
  const content = getBinaryNodeChild(node, tag)?.content;
  return content instanceof Uint8Array ? content : undefined;
};

const numberOf = (node: BinaryNode | undefined, tag: string, length: number): number | undefined => {
  const bytes = bytesOf(node, tag);
  return bytes?.length === length ? Buffer.from(bytes).readUIntBE(0, length) : undefined;
};

const keyIn = (node: BinaryNode | undefined): KeyBundle['preKey'] =>
  node && { keyId: numberOf(node, 'id', 3), publicKey: bytesOf(node, 'value'), signature: bytesOf(node, 'signature') };

const bundleIn = (user: BinaryNode): KeyBundle => ({
  registrationId: numberOf(user, 'registration', 4),
  identityKey: bytesOf(user, 'identity'),
  signedPreKey: keyIn(getBinaryNodeChild(user, 'skey')),
  preKey: keyIn(getBinaryNodeChild(user, 'key')),
});

interface Answer {
  readonly given: readonly BinaryNode[];
  readonly refused: readonly { readonly jid: string; readonly code: number }[];
}

/** Finding one unknown device among a hundred takes 15 queries. */
const maxQuestions = 24;

interface Budget {
  questions: number;
}

/** A refused batch names nobody (whatsapp-rust #1143, 2026-07-27). */
const askHalves = async (sock: Asking, jids: readonly string[], budget: Budget): Promise<Answer> => {
  budget.questions -= 2;
  const middle = Math.ceil(jids.length / 2);
  const first = await ask(sock, jids.slice(0, middle), budget);
  const second = await ask(sock, jids.slice(middle), budget);
  return { given: [...first.given, ...second.given], refused: [...first.refused, ...second.refused] };
};

const ask = async (sock: Asking, jids: readonly string[], budget: Budget): Promise<Answer> => {
  const users = jids.map((jid) => ({ tag: 'user', attrs: { jid } }));
  const question: BinaryNode = {
    tag: 'iq',
    attrs: { xmlns: 'encrypt', type: 'get', to: S_WHATSAPP_NET },
    content: [{ tag: 'key', attrs: {}, content: users }],
  };
  let answer: BinaryNode;
  try {
    answer = await sock.query(question);
  } catch (error) {
    const code = refusalOf(error);
    if (code === null) throw error;
    if (code === unknownDevice && jids.length > 1 && budget.questions >= 2) return askHalves(sock, jids, budget);
    return { given: [], refused: jids.map((jid) => ({ jid, code })) };
  }
  const given: BinaryNode[] = [];
  const refused: { jid: string; code: number }[] = [];
  for (const user of getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user')) {
    const error = getBinaryNodeChild(user, 'error');
    if (error !== undefined) refused.push({ jid: user.attrs.jid ?? '', code: Number(error.attrs['code']) });
    else if (getBinaryNodeChild(user, 'identity') !== undefined) given.push(user);
  }
  return { given, refused };
};

/** A server that fails is asked once more: who has been left out of a message never learns of it. */
const failsFrom = 500;
const pauseMs = 1_000;

const askTwice = async (sock: Asking, clock: Pick<Clock, 'after'>, jids: readonly string[]): Promise<Answer> => {
  const budget = { questions: maxQuestions - 1 };
  const first = await ask(sock, jids, budget);
  const failed = first.refused.filter(({ code }) => code >= failsFrom);
  if (failed.length === 0) return first;
  await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
  try {
    const second = await ask(
      sock,
      failed.map(({ jid }) => jid),
      budget,
    );
    const refused = first.refused.filter(({ code }) => code < failsFrom);
    return { given: [...first.given, ...second.given], refused: [...refused, ...second.refused] };
  } catch {
    return first;
  }
};

export interface BeginSessionsParts {
  readonly sock: Asking;
  readonly clock: Pick<Clock, 'after'>;
  readonly repository: Pick<Repository, 'injectE2ESession'>;
  readonly mapping: Pick<LidMapping, 'peek'>;
  readonly lists: Pick<DeviceLists, 'forget'>;
  readonly log: Logger;
}

/** Sets up sessions, as far as the network gives keys. Returns the devices without usable ones; throws without an answer. */
export type BeginSessions = (jids: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Rule: a device whose keys are refused is left out, and the message goes to the others; a refused batch is split in halves. With 406 the
 * device lists of the refused accounts, or of the whole batch, are dropped. Source: whatsapp-rust #1139 and #1153 (2026-07-27), #468
 * (2026-03-31, in production); whatsmeow `fetchPreKeysNoError` (2026-08-21) keeps the lists. Both ask once.
 */
export const makeBeginSessions =
  ({ sock, clock, repository, mapping, lists, log }: BeginSessionsParts): BeginSessions =>
  async (jids) => {
    const addresses = jids.map((jid) => keyAddress(mapping, jid));
    const asked = [...new Set(addresses)];
    const { given, refused } = await askTwice(sock, clock, asked);
    if (refused.length > 0) {
      const codes = [...new Set(refused.map(({ code }) => code))].slice(0, 10);
      log.warn({ devices: refused.length, codes }, 'the network gives no keys of some devices');
    }
    const stale = new Set(refused.filter(({ code }) => code === unknownDevice).map(({ jid }) => jid));
    if (stale.size > 0) lists.forget(jids.filter((jid) => stale.has(jid) || stale.has(keyAddress(mapping, jid))));
    // Together, so that their writes share transactions. One malformed bundle must not keep the message from others.
    const settled = await Promise.allSettled(
      given.map((user) => repository.injectE2ESession({ jid: user.attrs.jid ?? '', session: bundleIn(user) })),
    );
    const failed = settled.filter((each) => each.status === 'rejected');
    if (failed.length > 0)
      log.warn(
        { devices: failed.length, error: messageOf(failed[0]!.reason) },
        'keys of some devices could not be used',
      );
    if (failed.length > 0 && failed.length === settled.length) throw failed[0]!.reason;
    const begun = new Set(
      given.filter((_, index) => settled[index]!.status === 'fulfilled').map(({ attrs }) => attrs.jid),
    );
    return new Set(jids.filter((_, index) => !begun.has(addresses[index])));
  };
