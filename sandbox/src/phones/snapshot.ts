/** The saved form of a phone. */
import type { AppStateSnapshot } from './companions/app-state.ts';
import { Authenticator, type PasskeySnapshot } from './companions/authenticator.ts';
import {
  newCounters,
  type PhoneCounters,
  type Behaviour,
  type OldChats,
  type PhoneCall,
  type PhoneContext,
  type SentMessage,
} from './context/context.ts';
import { RecentMap } from './context/recent-map.ts';
import { type SignalSnapshot, snapshotSignal } from './signal/signal-state.ts';
import type { ViewStatus } from './context/statuses.ts';
import type { ViewMessage } from './context/view.ts';
import { base64 } from '../base/nodes.ts';

export interface PhoneSnapshot {
  readonly number: string;
  readonly signal: SignalSnapshot;
  readonly view: { readonly nextSeq: number; readonly messages: readonly ViewMessage[] };
  readonly sent: readonly (readonly [string, Omit<SentMessage, 'bytes'> & { readonly bytes: string }])[];
  readonly content: readonly (readonly [string, string])[];
  readonly secrets: readonly (readonly [string, string])[];
  readonly seen: readonly string[];
  readonly calls: readonly (readonly [string, PhoneCall])[];
  readonly behaviour: Behaviour;
  readonly counters: PhoneCounters;
  readonly appState: AppStateSnapshot;
  readonly oldChats: readonly OldChats[];
  readonly timers: readonly (readonly [string, number])[];
  readonly statuses?: readonly ViewStatus[];
  readonly passkey?: PasskeySnapshot | null;
}

export const snapshotPhone = (phone: PhoneContext): PhoneSnapshot => ({
  number: phone.account.number,
  signal: snapshotSignal(phone.keys.state),
  view: phone.view.snapshot(),
  sent: [...phone.sent.entries()].map(([id, sent]) => [id, { ...sent, bytes: base64(sent.bytes) }] as const),
  content: [...phone.content.entries()].map(([id, bytes]) => [id, base64(bytes)] as const),
  secrets: [...phone.secrets.entries()].map(([id, bytes]) => [id, base64(bytes)] as const),
  seen: [...phone.seen.entries()].map(([key]) => key),
  calls: [...phone.calls.entries()],
  statuses: [...phone.statuses.entries()].map(([, status]) => status),
  behaviour: { ...phone.behaviour },
  counters: { ...phone.counters },
  appState: phone.appState.saved,
  oldChats: phone.oldChats,
  timers: [...phone.timers],
  passkey: phone.authenticator.saved,
});

/** Number of sent messages kept. */
const sentMemory = 10_000;
const contentMemory = 5_000;
const secretMemory = 10_000;
const seenMemory = 60_000;
const callMemory = 1_000;
const statusMemory = 1_000;

const usual: Behaviour = {
  online: true,
  deliverReceipts: true,
  readReceipts: true,
  blockedBy: [],
  linking: 'plain',
};

export type PhoneMemory = Pick<
  PhoneContext,
  | 'sent'
  | 'content'
  | 'lostFiles'
  | 'secrets'
  | 'seen'
  | 'calls'
  | 'statuses'
  | 'timers'
  | 'behaviour'
  | 'counters'
  | 'authenticator'
  | 'oldChats'
>;

export const newMemory = (from: PhoneSnapshot | null, changed: () => void): PhoneMemory => {
  const sent = new RecentMap<SentMessage>(sentMemory);
  const content = new RecentMap<Uint8Array>(contentMemory);
  const secrets = new RecentMap<Uint8Array>(secretMemory);
  const seen = new RecentMap<true>(seenMemory);
  const calls = new RecentMap<PhoneCall>(callMemory);
  const statuses = new RecentMap<ViewStatus>(statusMemory);
  for (const [id, message] of from?.sent ?? [])
    sent.set(id, { ...message, bytes: Buffer.from(message.bytes, 'base64') });
  for (const [id, bytes] of from?.content ?? []) content.set(id, Buffer.from(bytes, 'base64'));
  for (const [id, bytes] of from?.secrets ?? []) secrets.set(id, Buffer.from(bytes, 'base64'));
  for (const key of from?.seen ?? []) seen.set(key, true);
  for (const [id, call] of from?.calls ?? []) calls.set(id, call);
  for (const status of from?.statuses ?? []) statuses.set(status.id, status);
  return {
    sent,
    content,
    lostFiles: new Set(),
    secrets,
    seen,
    calls,
    statuses,
    timers: new Map(from?.timers),
    behaviour: { ...usual, ...from?.behaviour },
    authenticator: new Authenticator(from?.passkey ?? null, changed),
    counters: { ...newCounters(), ...from?.counters },
    oldChats: [...(from?.oldChats ?? [])],
  };
};
