/**
 * Maps the end of a connection to the domain's closed set of reasons: stream errors (`<stream:error code>`) and connect failures
 * (`<failure reason>`) in one table, as both use the same numbers.
 * Sources, read in November 2026: whatsmeow `connectionevents.go` and `types/events/events.go` (2026-08-21), zapo `protocol/stream.ts`
 * (2026-08-19), whatsapp-rust `client.rs` (August 2026). Nobody has seen all codes on the real network; contested rows say so.
 */
import type { Pace, DisconnectReason, TemporaryBan } from '../../domain/sessions/state.ts';
import { ProxyFailed } from '../../errors.ts';
import { ConnectionEnded, streamEnded } from '../socket/connection-ended.ts';

type Meaning =
  | { readonly kind: 'lost'; readonly pace: Pace; readonly words: string }
  /** The link is gone: the network's own client and whatsmeow delete the credentials. */
  | { readonly kind: 'logged_out' | 'locked' | 'banned' }
  | { readonly kind: 'temporarily_banned' | 'client_outdated' | 'replaced' };

const soon = (words: string): Meaning => ({ kind: 'lost', pace: 'fast', words });
const slowly = (words: string): Meaning => ({ kind: 'lost', pace: 'slow', words });

const meanings: Readonly<Record<number, Meaning>> = {
  // Answers to a login: zapo names 400 GENERIC_FAILURE, and none of the three retries it.
  400: slowly('the network did not accept the login'),
  401: { kind: 'logged_out' },
  402: { kind: 'temporarily_banned' },
  // LOCKED in the network's own client; seen for bans and for an account moved to another phone (whatsmeow).
  403: { kind: 'locked' },
  405: { kind: 'client_outdated' },
  // BANNED in the network's own client; whatsmeow calls it a log-out for an unknown reason.
  406: { kind: 'banned' },
  // Without a stanza: the connection timed out or was lost.
  408: soon('the connection timed out or was lost'),
  409: { kind: 'client_outdated' },
  411: slowly('the network wants the account to use linked devices'),
  // Without a stanza: the connection was closed by the other side.
  428: soon('the network closed the connection'),
  // whatsapp-rust adds five failures to its backoff.
  429: slowly('the network asks to connect less often'),
  440: { kind: 'replaced' },
  500: soon('the network reported an internal error'),
  501: soon('the network reported an internal error'),
  503: soon('the network is unavailable for now'),
  515: soon('the network asked for a restart of the connection'),
  // FORCE_LOGOUT (zapo), "device removed" (whatsapp-rust). Contested: whatsmeow keeps the credentials and stays away.
  516: { kind: 'logged_out' },
};

/** `code` null: ended without one. An unknown 4xx is a refusal that no quick retry fixes. */
const meaningOf = (code: number | null): Meaning => {
  const known = code === null ? undefined : meanings[code];
  if (known !== undefined) return known;
  const refused = code !== null && code >= 400 && code < 500;
  return refused ? slowly('the network refused the connection') : soon('the connection ended');
};

export interface ConnectionEnd {
  readonly error: unknown;
  readonly linked: boolean;
  /** First login after a pairing: a 401 here is not always a logout. */
  readonly justPaired: boolean;
}

interface CloseError {
  readonly code: number | null;
  readonly text: string;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const closeErrorOf = (error: unknown): CloseError => ({
  code: error instanceof ConnectionEnded ? error.code : null,
  text: error instanceof Error ? error.message : '',
});

const dataOf = (error: unknown): unknown => (error instanceof ConnectionEnded ? error.details : null);

const attributesOf = (error: unknown): Readonly<Record<string, unknown>> => {
  const data = dataOf(error);
  return isObject(data) ? { ...data } : {};
};

const numberIn = (value: unknown): number | null => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number > 0 ? number : null;
};

const longestBanS = 10 * 366 * 86_400;
/** As seconds since 1970 this is in 2001; as a duration it is 31 years. */
const firstMomentS = 1_000_000_000;

/** `expire` of failure 402: seconds until the end (whatsmeow, whatsapp-rust, 2026-08). Contested: since 1970 (baileyrs #20, 2026-08-07). */
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

/** Of a failure (whatsmeow `handleConnectFailure`; whatsapp-rust `connect_failure.rs`, 2026-08), or the `reason` of `<conflict>`. */
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

/** `now` in ms. Not for connections that we close. */
export const disconnectReason = ({ error, linked, justPaired }: ConnectionEnd, now: number): DisconnectReason => {
  const cause = dataOf(error);
  // A caller waiting for a QR gets the answer at once.
  if (cause instanceof ProxyFailed) return { kind: linked ? 'lost' : 'pairing_failed', detail: cause.message };
  const { code, text } = closeErrorOf(error);
  if (text === streamEnded && !linked) return { kind: 'pairing_expired' };
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
