/** Pairing codes: who asked for one, whether it still holds, and what to answer when the network gives none. */
import type { PairingOffer } from '../../domain/sessions/state.ts';
import { invalidRequest } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';

/** A repeated request within this time gets the same code: somebody may be typing it on the phone. */
const sameCodeMs = 60_000;

/** The next connection asks for a code for this number, or for none. */
export const askForCode = (runtime: DeviceRuntime, number: string | null, now: number): void => {
  runtime.pairingNumber = number;
  runtime.codeAskedAt = now;
};

/** The code that was given for the same number a moment ago and still holds; null when there is none. */
export const presentCode = (runtime: DeviceRuntime, number: string | null, now: number): string | null => {
  const { state } = runtime.session;
  if (number === null || number !== runtime.pairingNumber || state.kind !== 'pairing') return null;
  const { code } = state.offer;
  return code !== null && code.expiresAt > now && now - runtime.codeAskedAt < sameCodeMs ? code.code : null;
};

/** Throws InvalidRequest when nobody has the number; what `failed` makes of the network's words when it refused otherwise. */
export const checkCode = ({ codeRefusal }: PairingOffer, failed: (why: string) => Error): void => {
  if (codeRefusal === undefined) return;
  if (codeRefusal.unknownNumber)
    throw invalidRequest('phoneNumber must be a number that is on the network', 'number_not_on_network');
  throw failed(`the network refused the pairing code: ${codeRefusal.detail}`);
};
