/** Baileys' close codes and texts as the domain's closed set of reasons. */
import type { DisconnectReason, Pace, TemporaryBan } from '../../domain/sessions/state.ts';
import { ProxyFailed } from '../../errors.ts';
import { meaningOf } from './close-codes.ts';

/** The facts about the connection that ended. */
export interface ConnectionEnd {
  readonly error: unknown;
  /** The device has credentials that the network confirmed. */
  readonly linked: boolean;
  /** First login after a pairing: a 401 here is not always a logout. */
  readonly justPaired: boolean;
}

/** Baileys has shown all refs. */
const qrEnded = 'QR refs attempts ended';
/** The network has ended the stream itself; without a link it does so when the refs have run out. */
const streamEnded = 'Connection Terminated by Server';

interface CloseError {
  readonly code: number | null;
  readonly text: string;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const codeOf = (error: unknown): number | null => {
  if (!isObject(error) || !('output' in error) || !isObject(error.output)) return null;
  const code = 'statusCode' in error.output ? error.output.statusCode : null;
  return typeof code === 'number' ? code : null;
};

/** Status code and text of the error that Baileys ends a socket with (a Boom, mostly). */
export const closeErrorOf = (error: unknown): CloseError => ({
  code: codeOf(error),
  text: error instanceof Error ? error.message : '',
});

/** The error below that of Baileys. */
const dataOf = (error: unknown): unknown => (isObject(error) && 'data' in error ? error.data : null);

/** The attributes of a `<failure>`, which Baileys hands over with its error. */
const attributesOf = (error: unknown): Readonly<Record<string, unknown>> => {
  const data = dataOf(error);
  return isObject(data) ? { ...data } : {};
};

const numberIn = (value: unknown): number | null => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number > 0 ? number : null;
};

/** Nobody is banned for longer than this for a time: what is more is no time. */
const longestBanS = 10 * 366 * 86_400;
/** As seconds since 1970 this is in 2001; as a duration it is 31 years. */
const firstMomentS = 1_000_000_000;

/**
 * `expire` of failure 402: seconds until the ban ends (whatsmeow, whatsapp-rust, both 2026-08). Contested: baileyrs
 * (pull request 20, 2026-08-07) reads seconds since 1970. The two cannot be mistaken for each other.
 */
const endOfBan = (expire: number | null, now: number): number | null => {
  if (expire === null) return null;
  const until = expire >= firstMomentS ? expire * 1000 : now + expire * 1000;
  return until - now <= longestBanS * 1000 ? until : null;
};

const temporaryBan = (error: unknown, now: number): TemporaryBan => {
  const { code, expire } = attributesOf(error);
  return { code: numberIn(code), until: endOfBan(numberIn(expire), now) };
};

const longestSaid = 300;

const textIn = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .slice(0, longestSaid)
        .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
        .trim()
    : '';

/**
 * The network's own words for an end: header and text of a failure (whatsmeow `handleConnectFailure`, for 403; whatsapp-rust `connect_failure.rs`, 2026-08),
 * or the `reason` of `<conflict>` in a stream error.
 */
const saidIn = (error: unknown): { readonly said?: string } => {
  const { logout_message_header: header, logout_message_subtext: subtext, message, ...more } = attributesOf(error);
  const { reason }: { readonly reason?: unknown } =
    isObject(more['attrs']) && more['tag'] === 'conflict' ? more['attrs'] : {};
  const told = [header, subtext].map(textIn).filter((text) => text !== '');
  const said = told.length > 0 ? told.join(': ') : textIn(message ?? reason);
  return said === '' ? {} : { said };
};

const lost = (text: string, pace: Pace, words: string): DisconnectReason => ({
  kind: 'lost',
  detail: text === '' ? words : `${words} (${text})`,
  ...(pace === 'slow' ? { pace } : {}),
});

/** The reason in the domain's terms, `now` in ms. A close by ourselves never comes here. */
export const disconnectReason = ({ error, linked, justPaired }: ConnectionEnd, now: number): DisconnectReason => {
  const cause = dataOf(error);
  // A caller that waits for a QR gets the answer at once.
  if (cause instanceof ProxyFailed) return { kind: linked ? 'lost' : 'pairing_failed', detail: cause.message };
  const { code, text } = closeErrorOf(error);
  if (text === qrEnded || (text === streamEnded && !linked)) return { kind: 'pairing_expired' };
  const meaning = meaningOf(code);
  switch (meaning.kind) {
    case 'lost':
      return lost(text, meaning.pace, meaning.words);
    case 'logged_out':
      if (!linked) return { kind: 'pairing_failed', detail: text };
      return justPaired ? lost(text, 'fast', 'the connection ended') : { kind: 'removed_by_phone', ...saidIn(error) };
    case 'temporarily_banned':
      return { kind: 'temporarily_banned', ban: temporaryBan(error, now) };
    case 'locked':
    case 'banned':
    case 'replaced':
      return { kind: meaning.kind, ...saidIn(error) };
    case 'client_outdated':
      return { kind: meaning.kind };
  }
};
