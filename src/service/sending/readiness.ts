/** The open session an operation needs, or why there is none (docs/spec/messages.md, Sending); and the retry after a lost connection. */
import type { AppStateMutation } from '../../domain/app-state.ts';
import type { Conversation } from '../../domain/chats/conversation.ts';
import type { LiveParts, ServiceOptions } from '../parts.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { graceMs } from '../../domain/sessions/state.ts';
import { LeaseLost } from '../../domain/lease.ts';
import { deviceNotAuthenticated, deviceNotConnected, isRefusal, mayHaveBeenSent, HandsetError } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';

/** Idempotent. Throws InvalidRequest, Conflict, RequestTimeout, DeviceNotConnected and DeviceNotAuthenticated. */
export type WriteAppState = (scope: DeviceScope, mutations: readonly AppStateMutation[]) => Promise<void>;

export const makeWriteAppState =
  (parts: LiveParts): WriteAppState =>
  async (scope, mutations) => {
    const runtime = await scope.runtime();
    runtime.usedAt = parts.clock.now();
    await retryOnSession(parts, runtime, '', (session) => session.writeAppState(mutations));
  };

/** Appended to the error if media needs a device that is not connected (docs/spec/http-interface.md, Errors). */
export const adviceToConnect = '; restart the device or scan the QR code';

/** How long a request may wait for the network and still be answered in time. */
export const networkWaitMs = ({ requestTimeoutMs }: ServiceOptions): number =>
  Math.max(requestTimeoutMs * 0.9, requestTimeoutMs - 1_500);

export interface Wait {
  readonly asked: number;
  readonly until: number;
}

export const waitOf = ({ clock, options }: LiveParts): Wait => {
  const asked = clock.now();
  return { asked, until: asked + networkWaitMs(options) };
};

/** 10 s from the request, or from when the connection was lost since then. */
const waitMs = (session: Session, { asked, until }: Wait, now: number): number => {
  const since = session.state.kind === 'reconnecting' ? session.state.since : asked;
  return Math.max(0, Math.min(Math.max(asked, since) + graceMs, until) - now);
};

/** Waits for a reconnecting device, up to 10 s and within the caller's time. Throws DeviceNotConnected or DeviceNotAuthenticated. */
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

export const openSession = async (
  runtime: DeviceRuntime,
  advice: string,
  clock: Clock,
  wait: Wait,
): Promise<NetworkSession> => {
  const session = runtime.networkSession ?? (await reopenedSession(runtime, advice, clock, wait));
  // `connection.open` is in the log before anything is sent.
  await runtime.writes.settled;
  return session;
};

/** A send fails a moment before its session reports its end. */
const momentMs = 500;

/** Whether the session in which something failed has ended. */
const isLinkLost = async (runtime: DeviceRuntime, session: NetworkSession): Promise<boolean> =>
  (await runtime.waitFor(() => (runtime.networkSession === session ? undefined : true), momentMs)) !== null;

const maxTries = 3;

/** `act` must be idempotent: it is repeated if the connection is lost. Throws DeviceNotConnected and DeviceNotAuthenticated. */
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

export const onOpenSession = async <T>(
  parts: LiveParts,
  scope: DeviceScope,
  act: (session: NetworkSession) => Promise<T>,
): Promise<T> => {
  const runtime = await scope.runtime();
  return runtime.work(async () => {
    const session = await openSession(runtime, '', parts.clock, waitOf(parts));
    try {
      return await act(session);
    } catch (error) {
      const mayBeLost = !(error instanceof HandsetError) || error.name === 'SendFailed';
      throw mayBeLost && (await isLinkLost(runtime, session)) ? deviceNotConnected(scope.id) : error;
    }
  });
};

export const onSession = <T>(
  parts: LiveParts,
  scope: DeviceScope,
  act: (conversation: Conversation) => Promise<T>,
): Promise<T> => onOpenSession(parts, scope, ({ conversation }) => act(conversation));
