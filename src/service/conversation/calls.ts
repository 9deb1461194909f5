/** Rejects a call that is still ringing, by its id in the event log. */
import type { IncomingCall } from '../../domain/chats/conversation.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { onSession } from './act.ts';

/** Ended calls that are remembered: a call that ended before them does not ring any more. */
const newestCalls = 200;

type CallData = Extract<DeviceEvent, { type: 'call' }>['data'];

const endings: Readonly<Record<Exclude<CallData['status'], 'offer'>, string>> = {
  accept: 'The call was answered on another device of the account',
  reject: 'The call was rejected already',
  timeout: 'The call has ended: nobody answered',
  terminate: 'The call has ended',
};

const callOf = async ({ stores }: LiveParts, deviceId: number, callId: string): Promise<IncomingCall> => {
  const { items } = await stores.events.listBefore(deviceId, { limit: newestCalls, cursor: null }, ['call']);
  const last = items.find(({ event }) => event.type === 'call' && event.data.callId === callId)?.event;
  if (last?.type !== 'call') throw notFound('Call');
  const { status, ...call } = last.data;
  if (status !== 'offer') throw invalidRequest(endings[status]);
  return call;
};

export const rejectCall = async (parts: LiveParts, scope: DeviceScope, callId: string): Promise<void> => {
  const call = await callOf(parts, scope.id, callId);
  await onSession(parts, scope, (acts) => acts.rejectCall(call));
};
