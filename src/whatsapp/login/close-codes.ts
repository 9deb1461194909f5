/**
 * The codes with which the network ends or refuses a connection, and what each asks of a client. One table for stream
 * errors (`<stream:error code>`) and connect failures (`<failure reason>`), as Baileys throws both with the same numbers.
 *
 * Sources, as read in November 2026: whatsmeow `connectionevents.go` and `types/events/events.go` (2026-08-21), zapo
 * `protocol/stream.ts` (2026-08-19), whatsapp-rust `client.rs` (August 2026). Nobody has seen all of them on the real
 * network; contested rows say so.
 */
import type { Pace } from '../../domain/sessions/state.ts';

/** Consequence of a code for a linked device. */
type Meaning =
  /** Connect again, at this pace. */
  | { readonly kind: 'lost'; readonly pace: Pace; readonly words: string }
  /** The link is gone: the network's own client and whatsmeow delete the credentials. */
  | { readonly kind: 'logged_out' | 'locked' | 'banned' }
  /** The link is kept. */
  | { readonly kind: 'temporarily_banned' | 'client_outdated' | 'replaced' };

const soon = (words: string): Meaning => ({ kind: 'lost', pace: 'fast', words });
const slowly = (words: string): Meaning => ({ kind: 'lost', pace: 'slow', words });

const meanings: Readonly<Record<number, Meaning>> = {
  // Answers to a login: zapo names 400 GENERIC_FAILURE, and none of the three tries it again by itself.
  400: slowly('the network did not accept the login'),
  401: { kind: 'logged_out' },
  402: { kind: 'temporarily_banned' },
  // LOCKED in the network's own client; seen for bans and for an account that moved to another phone (whatsmeow).
  403: { kind: 'locked' },
  405: { kind: 'client_outdated' },
  // BANNED in the network's own client; whatsmeow calls it a log-out for an unknown reason.
  406: { kind: 'banned' },
  // Baileys' own code: the connection timed out or was lost.
  408: soon('the connection timed out or was lost'),
  409: { kind: 'client_outdated' },
  411: slowly('the network wants the account to use linked devices'),
  // Baileys' own code: the network, or the way to it, closed the connection.
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

/** `code` null: the connection ended without one. An unknown 4xx is a refusal, which no quick retry mends. */
export const meaningOf = (code: number | null): Meaning => {
  const known = code === null ? undefined : meanings[code];
  if (known !== undefined) return known;
  const refused = code !== null && code >= 400 && code < 500;
  return refused ? slowly('the network refused the connection') : soon('the connection ended');
};
