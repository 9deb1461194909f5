/**
 * The text status with an emoji and an end, separate from the old `about` (`WAWebMexUpdateTextStatusJob`,
 * `WAWebUsyncTextStatus` of WA Web; whatsmeow user.go, zapo `WaProfileCoordinator`, Baileys #2798; 2026-08 and 2026-09).
 */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../base/types.ts';
import { isObject } from '../../base/fields.ts';
import { element } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { permits } from './presence.ts';

/** UTF-16 units; about the limit of the apps (wwebjs #201863, 2026-07-28). */
const maxLength = 50;

export const UPDATE_TEXT_STATUS = '9152604461510864';

export const updateTextStatus = (hub: HubState, account: Account, variables: unknown): object | null => {
  const input = isObject(variables) && isObject(variables['input']) ? variables['input'] : null;
  if (input === null) return null;
  const { text, emoji, ephemeral_duration_sec: duration } = input;
  const shown = isObject(emoji) ? emoji['content'] : null;
  const isRight =
    (text === null || (typeof text === 'string' && text.length <= maxLength)) &&
    (shown === null || typeof shown === 'string') &&
    typeof duration === 'number' &&
    Number.isSafeInteger(duration) &&
    duration >= 0;
  if (!isRight) return null;
  const at = Number(seconds(hub.clock));
  const { profile } = hub.registry.stateOf(account);
  profile.textStatus =
    text === null && shown === null ? null : { text: text ?? '', emoji: shown, seconds: duration, at };
  return { xwa2_update_text_status: { result: 'OK' } };
};

/** Without a text if there is none or it has ended; with an error if it is hidden. */
export const textStatusOf = (hub: HubState, asker: Device, account: Account): BinaryNode => {
  if (!permits(hub, account, asker.account, 'status')) {
    return element('text_status', {}, [element('error', { code: '401', text: 'not-authorized' })]);
  }
  const status = hub.registry.stateOf(account).profile.textStatus;
  const isOver = status !== null && status.seconds > 0 && Number(seconds(hub.clock)) >= status.at + status.seconds;
  if (status === null || isOver) return element('text_status', {});
  const attrs = {
    text: status.text,
    ephemeral_duration_sec: String(status.seconds),
    last_update_time: String(status.at),
  };
  return element(
    'text_status',
    attrs,
    status.emoji === null ? undefined : [element('emoji', { content: status.emoji })],
  );
};
