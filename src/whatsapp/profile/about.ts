/**
 * The text about an account ("About"). The network keeps two: the old one, and one with an optional end, which apps show since 2026.
 * Rule: both are written, the new one first, as WhatsApp Web; both are read, preferring the new one. Apps may allow 50 characters: a longer
 * text, if refused, is written the old way alone. Sources: docs/internals/sources.md.
 */
import { mexAnswer, mexQuestion } from '../socket/mex.ts';
import { type BinaryNode, S_WHATSAPP_NET } from '../library/nodes.ts';
import { refusalOf, asked, noAnswer } from '../socket/query.ts';
import { USyncQuery, USyncUser } from '../library/protocol.ts';
import type { PersonFacts } from '../../domain/chats/conversation.ts';
import type { Jid } from '../../domain/jid.ts';
import { HandsetError, invalidRequest, messageOf } from '../../errors.ts';
import type { Session } from '../session.ts';

type About = Pick<PersonFacts, 'about' | 'aboutExpiresAt'>;

const longestText = 1_000;
const lastSecond = 253_402_300_799;

const none: About = { about: null, aboutExpiresAt: null };

const secondsIn = (text: string | undefined): number | null => {
  const seconds = Number(text);
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds <= lastSecond ? seconds : null;
};

/** `<text_status text ephemeral_duration_sec last_update_time>`; a hidden one contains an error. */
const readTextStatus = ({ attrs }: BinaryNode): About => {
  const about = (attrs['text'] ?? '').slice(0, longestText);
  if (about === '') return none;
  const [duration, since] = [secondsIn(attrs['ephemeral_duration_sec']), secondsIn(attrs['last_update_time'])];
  const end = duration === null || since === null ? null : secondsIn(String(since + duration));
  return { about, aboutExpiresAt: end === null ? null : end * 1_000 };
};

const textStatus = {
  name: 'text_status',
  getQueryElement: () => ({ tag: 'text_status', attrs: {} }),
  getUserElement: () => null,
  parser: readTextStatus,
};

const isAbout = (told: unknown): told is About => typeof told === 'object' && told !== null && 'aboutExpiresAt' in told;

export const askAbout = async ({ sock, deviceId, clock }: Session, jid: Jid): Promise<About> => {
  const query = new USyncQuery().withStatusProtocol().withUser(new USyncUser().withId(jid));
  query.protocols.push(textStatus);
  const answer = await asked(deviceId, {}, () => sock.usync(query));
  if (answer === null) throw noAnswer();
  const { status: former, text_status: present }: Readonly<Record<string, unknown>> = answer.list[0] ?? {};
  const text: unknown = typeof former === 'object' && former !== null ? Reflect.get(former, 'status') : null;
  const old = typeof text === 'string' && text !== '' ? text : null;
  const newer = isAbout(present) ? present : none;
  if (newer.about === null) return { about: old, aboutExpiresAt: null };
  if (newer.aboutExpiresAt === null || newer.aboutExpiresAt > clock.now()) return newer;
  // Written both ways, and the old one has no end.
  return newer.about === old ? none : { about: old, aboutExpiresAt: null };
};

/** `WAWebMexUpdateTextStatusJobMutation` of WA Web. False where the network refuses it. */
const writeTextStatus = async (
  { sock, deviceId, queryIds }: Session,
  text: string,
  seconds: number,
): Promise<boolean> => {
  const input = { text: text === '' ? null : text, ephemeral_duration_sec: seconds };
  const answer = await asked(deviceId, {}, async () => {
    try {
      return await sock.query(mexQuestion(queryIds.textStatus, { input }));
    } catch (error) {
      if (refusalOf(error) === null) throw error;
      return null;
    }
  });
  return mexAnswer(answer, 'xwa2_update_text_status') !== null;
};

const oldStatus = (text: string): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'status' },
  content: [{ tag: 'status', attrs: {}, content: Buffer.from(text) }],
});

export const setAbout = async (session: Session, text: string, expiresAt: number | null): Promise<void> => {
  const { sock, deviceId, clock, log } = session;
  const seconds = expiresAt === null || text === '' ? 0 : Math.max(1, Math.round((expiresAt - clock.now()) / 1_000));
  const isTaken = await writeTextStatus(session, text, seconds);
  if (!isTaken && seconds > 0)
    throw invalidRequest('The network takes no text with this end: leave out aboutExpiresAt');
  try {
    await asked(deviceId, {}, () => sock.query(oldStatus(text)));
  } catch (error) {
    const isRefused = error instanceof HandsetError && error.name === 'InvalidRequest';
    if (!isTaken || !isRefused) throw error;
    log.debug({ deviceId, error: messageOf(error) }, 'the network refused a text about the account by the old way');
  }
};
