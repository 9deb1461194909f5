/** Routing of calls. Signalling only, without voice. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../base/types.ts';
import { type HubState, sendNow } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { accountJid, deviceJid, modeOf, parseJid } from '../accounts/jid.ts';
import { childrenOf, element } from '../../base/nodes.ts';
import { pushNameOf } from './presence.ts';
import { deliver } from './queue.ts';
import { usernameIn } from '../accounts/usernames.ts';

const ELSEWHERE: Readonly<Record<string, string>> = { accept: 'accepted_elsewhere', reject: 'rejected_elsewhere' };

/** Call links, which stock clients request by a stanza of this kind, are refused. */
const refuseLink = (from: Device, node: BinaryNode): void => {
  const attrs = {
    class: 'call',
    id: node.attrs.id ?? '',
    from: node.attrs.to ?? '',
    type: 'link_create',
    error: '501',
  };
  sendNow(from, element('ack', attrs, [element('error', { code: '501', text: 'feature-not-implemented' })]));
};

const stopRinging = (hub: HubState, caller: Account, from: Device, signal: BinaryNode): void => {
  const reason = ELSEWHERE[signal.tag];
  if (reason === undefined) return;
  for (const own of from.account.devices.values()) {
    if (own === from) continue;
    const { 'call-id': callId = '', 'call-creator': creator = caller.jid } = signal.attrs;
    deliver(
      hub,
      own,
      element('call', { id: hub.nextId(), from: caller.jid, t: seconds(hub.clock) }, [
        element('terminate', { 'call-id': callId, 'call-creator': creator, reason }),
      ]),
    );
  }
};

export const routeCall = (hub: HubState, from: Device, node: BinaryNode): void => {
  const { to = '', id = '' } = node.attrs;
  const [signal] = childrenOf(node);
  if (signal?.tag === 'link_create') return refuseLink(from, node);
  const callee = hub.registry.find(to);
  const error: Record<string, string> = callee === null || signal === undefined ? { error: '404' } : {};
  const ack = { class: 'call', id, from: to, t: seconds(hub.clock), ...error };
  sendNow(from, element('ack', signal === undefined ? ack : { ...ack, type: signal.tag }));
  if (callee === null || signal === undefined) return;
  if (hub.registry.stateOf(callee).blocked.has(from.account)) return;
  const jid = parseJid(to);
  const mode = modeOf(jid?.server ?? '');
  const other = mode === 'lid' ? 'pn' : 'lid';
  const pushName = pushNameOf(hub, from);
  const attrs = {
    id,
    from: deviceJid(from, mode),
    ...(!(mode === 'lid' && from.account.hidesNumber) && { [`sender_${other}`]: accountJid(from.account, other) }),
    t: seconds(hub.clock),
    ...(pushName !== null && { notify: pushName }),
  };
  const names = mode === 'lid' && signal.tag === 'offer' ? usernameIn(from.account) : {};
  const content = childrenOf(node).map((child) => ({ ...child, attrs: { ...child.attrs, ...names } }));
  const only = jid === null || jid.device === 0 ? null : callee.devices.get(jid.device);
  for (const device of only === null ? callee.devices.values() : only === undefined ? [] : [only]) {
    if (device !== from) deliver(hub, device, element('call', attrs, content));
  }
  stopRinging(hub, callee, from, signal);
};
