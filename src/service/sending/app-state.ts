/** Writing application state: what the account's phone and its other companions are to show as this device does. */
import type { AppStateMutation } from '../../domain/app-state.ts';
import { isRefusal } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { isLinkLost, openSession, waitOf } from './readiness.ts';

/**
 * Resolves once the network has taken the changes, and they are kept. A link that is lost meanwhile is waited for: to write the same again is
 * harmless. Throws InvalidRequest, Conflict, RequestTimeout, DeviceNotConnected and DeviceNotAuthenticated.
 */
export type WriteAppState = (scope: DeviceScope, mutations: readonly AppStateMutation[]) => Promise<void>;

const maxTries = 3;

export const makeWriteAppState =
  (parts: LiveParts): WriteAppState =>
  async (scope, mutations) => {
    const { clock } = parts;
    const runtime = await scope.runtime();
    const wait = waitOf(parts);
    runtime.usedAt = wait.asked;
    for (let tries = 1; ; tries += 1) {
      const session = await openSession(runtime, '', clock, wait);
      try {
        await session.writeAppState(mutations);
        return;
      } catch (error) {
        const again = tries < maxTries && clock.now() < wait.until && !isRefusal(error);
        if (!again || !(await isLinkLost(runtime, session))) throw error;
      }
    }
  };
