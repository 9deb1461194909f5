/** The open session that an operation needs, or the answer why there is none (docs/spec/messages.md, Sending); and the one loop that repeats what a lost link has cut off. */
import type { AppStateMutation } from '../../domain/app-state.ts';
import type { LiveParts, ServiceOptions } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { graceMs } from '../../domain/sessions/state.ts';
import { LeaseLost } from '../../domain/lease.ts';
import { deviceNotAuthenticated, deviceNotConnected, isRefusal, mayHaveBeenSent } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';

/**
 * Resolves once the network has taken the changes, and they are kept. A link that is lost meanwhile is waited for: to write the same again is
 * harmless. Throws InvalidRequest, Conflict, RequestTimeout, DeviceNotConnected and DeviceNotAuthenticated.
 */
export type WriteAppState = (scope: DeviceScope, mutations: readonly AppStateMutation[]) => Promise<void>;

export const makeWriteAppState =
  (parts: LiveParts): WriteAppState =>
  async (scope, mutations) => {
    const runtime = await scope.runtime();
    runtime.usedAt = parts.clock.now();
    await retryOnSession(parts, runtime, '', (session) => session.writeAppState(mutations));
  };

/** Appended to the 404 of the media routes (docs/spec/http-interface.md, Errors). */
export const adviceToConnect = '; restart the device or scan the QR code';

/** How long a request may wait for the network and still be answered in time. */
export const networkWaitMs = ({ requestTimeoutMs }: ServiceOptions): number =>
  Math.max(requestTimeoutMs * 0.9, requestTimeoutMs - 1_500);

export interface Wait {
  /** When the session was asked for, ms. */
  readonly asked: number;
  /** When the caller has no more time. */
  readonly until: number;
}

/** The wait of a request that begins now. */
export const waitOf = ({ clock, options }: LiveParts): Wait => {
  const asked = clock.now();
  return { asked, until: asked + networkWaitMs(options) };
};

/** How long it is worth waiting: 10 s from when it was asked for, or from when the link was lost since then. */
const waitMs = (session: Session, { asked, until }: Wait, now: number): number => {
  const since = session.state.kind === 'reconnecting' ? session.state.since : asked;
  return Math.max(0, Math.min(Math.max(asked, since) + graceMs, until) - now);
};

/**
 * Waits for a linked device that is reconnecting, up to 10 s and within the caller's time. Throws DeviceNotConnected or
 * DeviceNotAuthenticated.
 */
const reopenedSession = async (
  runtime: DeviceRuntime,
  advice: string,
  clock: Clock,
  { asked, until }: Wait,
): Promise<NetworkSession> => {
  const pick = ({ state, account }: Session): NetworkSession | undefined => {
    switch (state.kind) {
      case 'open':
        return runtime.networkSession ?? undefined;
      case 'pairing':
      case 'passkey_required':
        throw deviceNotAuthenticated();
      case 'closed':
        throw deviceNotConnected(runtime.id, advice);
      case 'connecting':
        if (account === null) throw deviceNotConnected(runtime.id, advice);
        return undefined;
      case 'reconnecting':
        if (state.ban !== undefined) throw deviceNotConnected(runtime.id, advice);
        return undefined;
    }
  };
  const session = await runtime.waitFor(pick, waitMs(runtime.session, { asked, until }, clock.now()));
  if (session === null) throw deviceNotConnected(runtime.id, advice);
  return session;
};

/** The session that is open, or as `reopenedSession`. */
export const openSession = async (
  runtime: DeviceRuntime,
  advice: string,
  clock: Clock,
  wait: Wait,
): Promise<NetworkSession> => {
  const session = runtime.networkSession ?? (await reopenedSession(runtime, advice, clock, wait));
  // `connection.open` is in the log before anything that is sent through it.
  await runtime.writes.settled;
  return session;
};

/** A send fails a moment before the end of its session is told. */
const momentMs = 500;

/** Whether the session in which something has failed is over. */
export const isLinkLost = async (runtime: DeviceRuntime, session: NetworkSession): Promise<boolean> =>
  (await runtime.waitFor(() => (runtime.networkSession === session ? undefined : true), momentMs)) !== null;

const maxTries = 3;

/**
 * Runs an act on the open session, and again on the next one if its link is lost meanwhile: `act` has to come to the same when it is done twice.
 * Throws DeviceNotConnected and DeviceNotAuthenticated; but once the network may have a message, what says so.
 */
export const retryOnSession = async <T>(
  parts: LiveParts,
  runtime: DeviceRuntime,
  advice: string,
  act: (session: NetworkSession, tries: number, until: number) => Promise<T>,
): Promise<T> => {
  const { clock } = parts;
  const wait = waitOf(parts);
  let mayBeSent: unknown = null;
  for (let tries = 1; ; tries += 1) {
    const session = await openSession(runtime, advice, clock, wait).catch((error: unknown) => {
      throw mayBeSent ?? error;
    });
    try {
      return await act(session, tries, wait.until);
    } catch (error) {
      if (mayHaveBeenSent(error)) mayBeSent ??= error;
      const isFinal = tries === maxTries || clock.now() >= wait.until || isRefusal(error) || error instanceof LeaseLost;
      if (isFinal || !(await isLinkLost(runtime, session))) throw mayBeSent ?? error;
    }
  }
};
