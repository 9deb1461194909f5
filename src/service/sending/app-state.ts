/** Writing application state: what the account's phone and its other companions are to show as this device does. */
import type { AppStateMutation } from '../../domain/app-state.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { retryOnSession } from './readiness.ts';

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
