/** Devices, webhooks, events and users, and the kinds of events. */
import type { Schemas } from './schemas.ts';

export type Device = Schemas['Device'];
export type DeviceStatus = Device['status'];
export type LinkedAccount = Schemas['LinkedAccount'];
export type DeviceSettings = Schemas['DeviceSettings'];
export type Session = Schemas['Session'];
export type SessionState = Session['state'];
export type Passkey = Schemas['Passkey'];
/** One of several webhooks; `primary` is that of the fields of the device. */
export type AnyWebhook = Schemas['AdditionalWebhook'];
export type StatusPost = Schemas['StatusPost'];
export type Channel = Schemas['Channel'];
export type ChannelPost = Schemas['ChannelPost'];
export type Attempt = Schemas['Attempt'];
export type Limits = Schemas['Limits'];
export type Suppression = Schemas['Suppression'];
export type Delivery = Schemas['Delivery'];
export type DeliveryState = Delivery['state'];
export type HandsetEvent = Schemas['Event'];
export type EventOf<Kind extends HandsetEvent['type']> = Extract<HandsetEvent, { readonly type: Kind }>;
export type ApiKey = Schemas['ApiKey'];
export type KeyAction = NonNullable<ApiKey['actions']>[number];
export type User = Schemas['User'];
export type ClientVersion = Schemas['ClientVersion'];
export type Usage = Schemas['Usage'];

export const eventKinds = [
  'connection.open',
  'connection.closed',
  'connection.auth',
  'connection.timeout',
  'connection.logout',
  'message.received',
  'message.sent',
  'message.updated',
  'message.deleted',
  'call',
] as const satisfies readonly Schemas['EventKind'][];

/** The kinds that the webhooks of one device can get. */
export const kindsOfDevices = [
  ...eventKinds,
  'chat.presence',
  'chat.settled',
  'chat.updated',
  'chat.cleared',
  'chat.deleted',
  'contact.updated',
  'label.updated',
  'history.loaded',
  'account.limited',
  'group.updated',
  'group.joined',
  'group.left',
  'status.received',
  'status.deleted',
  'status.viewed',
  'channel.message',
  'channel.message.updated',
  'channel.updated',
] as const;

export const allKinds = [
  ...kindsOfDevices,
  'device.created',
  'device.deleted',
] as const satisfies readonly Schemas['AnyEventKind'][];

/** Kinds in a device's log. The log is deleted with the device. */
export const loggedKinds = [...kindsOfDevices, 'device.created'] as const;
