/** Baileys' close codes and texts as the domain's closed set of reasons. */
import type { DisconnectReason } from '../domain/session-state.ts';

/** What is known of the connection that ended. */
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

const lostDetails: Readonly<Record<number, string>> = {
  408: 'the connection timed out or was lost',
  411: 'the network wants the account to use linked devices',
  428: 'the network closed the connection',
  429: 'the network asks to connect less often',
  500: 'the network reported an internal error',
  501: 'the network reported an internal error',
  503: 'the network is unavailable for now',
  515: 'the network asked for a restart of the connection',
};

const lost = ({ code, text }: CloseError): DisconnectReason => {
  const words = code === null ? undefined : lostDetails[code];
  const detail = words ?? 'the connection ended';
  return { kind: 'lost', detail: text === '' ? detail : `${detail} (${text})` };
};

/** The reason in the domain's terms. A close by ourselves never comes here. */
export const disconnectReason = (end: ConnectionEnd): DisconnectReason => {
  const close = closeErrorOf(end.error);
  if (close.text === qrEnded || (close.text === streamEnded && !end.linked)) return { kind: 'pairing_expired' };
  switch (close.code) {
    case 401:
      if (!end.linked) return { kind: 'pairing_failed', detail: close.text };
      return end.justPaired ? lost(close) : { kind: 'removed_by_phone' };
    case 402: // temporarily banned
    case 403:
    case 406:
      return { kind: 'banned' };
    case 405: // client too old
    case 409: // user agent refused
      return { kind: 'client_outdated' };
    case 440:
      return { kind: 'replaced' };
    default:
      return lost(close);
  }
};
