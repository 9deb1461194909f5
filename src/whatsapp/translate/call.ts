/** Call stanzas as facts. */
import type { BinaryNode } from '../library/nodes.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import type { Report } from '../../domain/changes.ts';
import { plainId, timeOf } from './parts/envelope.ts';
import { type Peek, personOf } from '../identity/people.ts';

type CallData = Extract<DeviceEvent, { type: 'call' }>['data'];

export interface CallOffer {
  readonly isVideo: boolean;
  readonly isGroup: boolean;
}

export interface CallMemory {
  get(callId: string): CallOffer | undefined;
  set(callId: string, offer: CallOffer): void;
}

const endings: Readonly<Record<string, CallData['status']>> = {
  timeout: 'timeout',
  accepted_elsewhere: 'accept',
  rejected_elsewhere: 'reject',
};

const statusOf = (info: BinaryNode): CallData['status'] | null => {
  switch (info.tag) {
    case 'offer':
    case 'offer_notice':
      return 'offer';
    case 'accept':
      return 'accept';
    case 'reject':
      return 'reject';
    case 'terminate':
      return endings[info.attrs.reason ?? ''] ?? 'terminate';
    default:
      return null; // ringing, transport, latency: not visible to people
  }
};

const offerOf = (info: BinaryNode): CallOffer => ({
  isVideo:
    info.attrs.media === 'video' ||
    (Array.isArray(info.content) && info.content.some((child) => child.tag === 'video')),
  isGroup: info.attrs.type === 'group' || info.attrs['group-jid'] !== undefined,
});

export const translateCall = (
  node: BinaryNode,
  context: { readonly peek: Peek; readonly calls: CallMemory; readonly now: number },
): readonly Report[] => {
  const info = Array.isArray(node.content) ? node.content[0] : undefined;
  const id = info?.attrs['call-id'];
  if (info === undefined || id === undefined) return [];
  const callId = plainId(id);
  const status = statusOf(info);
  if (status === null) return [];
  if (status === 'offer') context.calls.set(callId, offerOf(info));
  const offer = context.calls.get(callId) ?? { isVideo: false, isGroup: false };
  const { attrs } = info;
  const from = personOf(
    context.peek,
    attrs['call-creator'] ?? attrs.from ?? node.attrs.from,
    attrs.caller_pn,
    attrs.caller_lid,
    node.attrs.sender_pn,
    node.attrs.sender_lid,
  );
  const data = {
    callId,
    from: from.jid,
    fromNumber: from.number,
    fromLid: from.lid,
    ...(from.username && { fromUsername: from.username }),
    ...offer,
    status,
  };
  return [{ event: { type: 'call', data }, at: timeOf(node, context.now) }];
};
