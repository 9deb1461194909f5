/**
 * The text about an account ("About"). The network keeps two: the old one, and one that may have an end, which apps show since 2026.
 *
 * Rule: written by both ways, the new one first; read by both, the new one where it has a text. Source: whatsmeow `SetStatusMessage` (user.go,
 * #1219, 2026-08: the new one alone), zapo `WaProfileCoordinator` (2026-08-19), Baileys #2798 (2026-09-04, LIVE: the old one alone changes nothing in
 * today's apps; WA Web writes both). Contested: apps let people write 50 characters at most (Baileys #2755, wwebjs #201863); a text that is refused
 * there goes the old way alone.
 */
import { mexAnswer, mexQuestion } from '../engine/mex.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import { refusalOf, asked, noAnswer } from '../engine/asked.ts';
import { USyncQuery, USyncUser } from '../engine/baileys.ts';
import type { PersonFacts } from '../../domain/chats/conversation.ts';
import type { Jid } from '../../domain/jid.ts';
import { HandsetError, invalidRequest, messageOf } from '../../errors.ts';
import type { Session } from '../session.ts';

type About = Pick<PersonFacts, 'about' | 'aboutExpiresAt'>;

/** `WAWebMexUpdateTextStatusJobMutation` of WA Web. */
const updateTextStatus = '9152604461510864';

const longestText = 1_000;
/** The end of the year 9999, in seconds: what is later is no time. */
const lastSecond = 253_402_300_799;

const none: About = { about: null, aboutExpiresAt: null };

const secondsIn = (text: string | undefined): number | null => {
  const seconds = Number(text);
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds <= lastSecond ? seconds : null;
};

/** `<text_status text ephemeral_duration_sec last_update_time>`; a hidden one has an error inside. */
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

/** Null where there is none, or it is hidden. */
export const askAbout = async ({ sock, deviceId, clock }: Session, jid: Jid): Promise<About> => {
  const query = new USyncQuery().withStatusProtocol().withUser(new USyncUser().withId(jid));
  query.protocols.push(textStatus);
  const answer = await asked(deviceId, {}, () => sock.executeUSyncQuery(query));
  if (answer === undefined) throw noAnswer();
  const { status: former, text_status: present }: Readonly<Record<string, unknown>> = answer.list[0] ?? {};
  const text: unknown = typeof former === 'object' && former !== null ? Reflect.get(former, 'status') : null;
  const old = typeof text === 'string' && text !== '' ? text : null;
  const newer = isAbout(present) ? present : none;
  if (newer.about === null) return { about: old, aboutExpiresAt: null };
  if (newer.aboutExpiresAt === null || newer.aboutExpiresAt > clock.now()) return newer;
  // Written by both ways, and the old one does not end.
  return newer.about === old ? none : { about: old, aboutExpiresAt: null };
};

/** False where the network refuses it. */
const writeTextStatus = async ({ sock, deviceId }: Session, text: string, seconds: number): Promise<boolean> => {
  const input = { text: text === '' ? null : text, ephemeral_duration_sec: seconds };
  const answer = await asked(deviceId, {}, async () => {
    try {
      return await sock.query(mexQuestion(updateTextStatus, { input }));
    } catch (error) {
      if (refusalOf(error) === null) throw error;
      return null;
    }
  });
  return mexAnswer(answer, 'xwa2_update_text_status') !== null;
};

/** An empty text takes it away. `expiresAt`: ms; null: it stays. */
export const setAbout = async (link: Session, text: string, expiresAt: number | null): Promise<void> => {
  const { sock, deviceId, clock, log } = link;
  const seconds = expiresAt === null || text === '' ? 0 : Math.max(1, Math.round((expiresAt - clock.now()) / 1_000));
  const isTaken = await writeTextStatus(link, text, seconds);
  if (!isTaken && seconds > 0)
    throw invalidRequest('The network takes no text with this end: leave out aboutExpiresAt');
  try {
    await asked(deviceId, {}, () => sock.updateProfileStatus(text));
  } catch (error) {
    const isRefused = error instanceof HandsetError && error.name === 'InvalidRequest';
    if (!isTaken || !isRefused) throw error;
    log.debug({ deviceId, error: messageOf(error) }, 'the network refused a text about the account by the old way');
  }
};
