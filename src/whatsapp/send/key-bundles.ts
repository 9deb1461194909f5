/** The published keys of devices that there is no session with. */
import { jidDecode, jidEncode } from '../engine/jid.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../engine/nodes.ts';
import { parseAndInjectE2ESessions } from '../engine/baileys.ts';
import { refusalOf } from '../engine/asked.ts';
import type { WASocket } from '../engine/types.ts';
import { jidKind, jidUser, withoutDevice } from '../../domain/jid.ts';
import type { Logger } from '../../log.ts';
import type { DeviceLists } from '../identity/addressing.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

type Inject = WASocket['signalRepository']['injectE2ESession'];
type Asking = Pick<WASocket, 'query' | 'signalRepository'>;

/** Sessions are kept under the LID, and its keys are asked for where there is one; the engine asks for no others (rc14, `assertSessions`). */
const keyAddress = (mapping: Pick<LidMapping, 'peek'>, jid: string): string => {
  if (jidKind(jid) !== 'phone') return jid;
  const { lid } = mapping.peek(withoutDevice(jid));
  return lid === null ? jid : jidEncode(jidUser(lid), 'lid', jidDecode(jid)?.device);
};

/** The error code for a device that the network does not know: its account's list of devices is old. */
const unknownDevice = 406;

interface Answer {
  /** Devices with their keys. */
  readonly given: readonly BinaryNode[];
  readonly refused: readonly { readonly jid: string; readonly code: number }[];
}

/** One unknown device among a hundred takes 15 questions to find. */
const mostQuestions = 24;

interface Budget {
  /** Left. */
  questions: number;
}

/** A refusal of the whole question names nobody (whatsapp-rust #1143, 2026-07-27). */
const askHalves = async (sock: Asking, jids: readonly string[], budget: Budget): Promise<Answer> => {
  budget.questions -= 2;
  const middle = Math.ceil(jids.length / 2);
  const first = await ask(sock, jids.slice(0, middle), budget);
  const second = await ask(sock, jids.slice(middle), budget);
  return { given: [...first.given, ...second.given], refused: [...first.refused, ...second.refused] };
};

/** Throws where the network does not answer. */
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

export interface BeginSessionsParts {
  readonly sock: Asking;
  readonly mapping: Pick<LidMapping, 'peek'>;
  readonly lists: Pick<DeviceLists, 'forget'>;
  readonly log: Logger;
}

/** Sets up sessions with devices, as far as the network gives their keys. Throws where it does not answer. */
export type BeginSessions = (jids: readonly string[]) => Promise<void>;

/**
 * Rule: a device whose keys the network refuses is left out, and the message goes to the others; a question that is refused as a whole is asked in halves. With 406 the lists of
 * devices that name it are dropped: those of the accounts refused, or of all in the question. Source: whatsapp-rust #1139 and #1153 (2026-07-27),
 * #468 (2026-03-31, in production); whatsmeow `fetchPreKeysNoError` (2026-08-21) keeps the lists. Baileys rc14 fails for all.
 */
export const makeBeginSessions =
  ({ sock, mapping, lists, log }: BeginSessionsParts): BeginSessions =>
  async (jids) => {
    const asked = [...new Set(jids.map((jid) => keyAddress(mapping, jid)))];
    const { given, refused } = await ask(sock, asked, { questions: mostQuestions - 1 });
    if (refused.length > 0) {
      const codes = [...new Set(refused.map(({ code }) => code))].slice(0, 10);
      log.warn({ devices: refused.length, codes }, 'the network gives no keys of some devices');
    }
    const stale = new Set(refused.filter(({ code }) => code === unknownDevice).map(({ jid }) => jid));
    if (stale.size > 0) lists.forget(jids.filter((jid) => stale.has(jid) || stale.has(keyAddress(mapping, jid))));
    // Together, so that their writes share transactions.
    const begun: Promise<void>[] = [];
    const injectE2ESession: Inject = async (session) => {
      const work = sock.signalRepository.injectE2ESession(session);
      work.catch(() => {});
      begun.push(work);
    };
    const bundles = { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: [...given] }] };
    await parseAndInjectE2ESessions(bundles, { ...sock.signalRepository, injectE2ESession });
    // One bundle that is none must not keep the message from all others.
    const settled = await Promise.allSettled(begun);
    const failed = settled.filter((each) => each.status === 'rejected');
    if (failed.length > 0 && failed.length === settled.length) throw failed[0]!.reason;
  };
