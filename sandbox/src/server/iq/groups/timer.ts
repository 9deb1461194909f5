/**
 * The timer of a group, which every member sets unless the group is locked: `<ephemeral expiration>` and `<not_ephemeral>`. The network takes those of its apps alone, and refuses
 * others with 400 (whatsmeow `SetDisappearingTimer`, send.go, 2026-08-21).
 */
import type { BinaryNode } from 'baileys';
import type { Device } from '../../../base/types.ts';
import type { Group } from '../../groups/group.ts';
import { childOf, element, errorOf, resultOf } from '../../../base/nodes.ts';
import { tellGroup } from './group-news.ts';
import type { HubState } from '../../state/state.ts';

const timers: ReadonlySet<number> = new Set([86_400, 604_800, 7_776_000]);

export const isTimer = (seconds: number): boolean => timers.has(seconds);

export const setGroupTimer = (hub: HubState, group: Group, device: Device, iq: BinaryNode): BinaryNode => {
  const wanted = childOf(iq, 'ephemeral');
  const seconds = wanted === undefined ? 0 : Number(wanted.attrs.expiration);
  if (wanted !== undefined && !isTimer(seconds)) return errorOf(iq, 400, 'bad-request');
  group.timer = seconds;
  const change = seconds === 0 ? element('not_ephemeral') : element('ephemeral', { expiration: String(seconds) });
  tellGroup(hub, group, device, change);
  return resultOf(iq);
};
