/** The form of the trigger, as n8n shows it. */
import type { INodeProperties } from 'n8n-workflow';
import type { Things } from '../../types/things.d.ts';

const events: readonly (readonly [string, Things['AnyEventKind']])[] = [
  ['Account Limited', 'account.limited'],
  ['Call', 'call'],
  ['Channel Message', 'channel.message'],
  ['Channel Message Updated', 'channel.message.updated'],
  ['Channel Updated', 'channel.updated'],
  ['Chat Cleared', 'chat.cleared'],
  ['Chat Deleted', 'chat.deleted'],
  ['Chat Presence', 'chat.presence'],
  ['Chat Settled', 'chat.settled'],
  ['Chat Updated', 'chat.updated'],
  ['Connection Authentication', 'connection.auth'],
  ['Connection Closed', 'connection.closed'],
  ['Connection Logout', 'connection.logout'],
  ['Connection Open', 'connection.open'],
  ['Connection Timeout', 'connection.timeout'],
  ['Contact Updated', 'contact.updated'],
  ['Device Created', 'device.created'],
  ['Device Deleted', 'device.deleted'],
  ['Group Joined', 'group.joined'],
  ['Group Left', 'group.left'],
  ['Group Updated', 'group.updated'],
  ['History Loaded', 'history.loaded'],
  ['Label Updated', 'label.updated'],
  ['Message Deleted', 'message.deleted'],
  ['Message Received', 'message.received'],
  ['Message Sent', 'message.sent'],
  ['Message Updated', 'message.updated'],
  ['Status Deleted', 'status.deleted'],
  ['Status Received', 'status.received'],
  ['Status Viewed', 'status.viewed'],
];

export const properties: INodeProperties[] = [
  {
    displayName: 'Device Name or ID',
    name: 'device',
    type: 'options',
    typeOptions: { loadOptionsMethod: 'getDevices' },
    default: '',
    description:
      'Leave empty for all devices. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
  },
  {
    displayName: 'Events',
    name: 'events',
    type: 'multiOptions',
    options: events.map(([name, value]) => ({ name, value })),
    default: ['message.received'],
    required: true,
    description:
      'Chat Settled reports all messages since the last answer once the person has stopped writing: made for bots. Device Created and Device Deleted need all devices.',
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    options: [
      {
        displayName: 'Except Chats',
        name: 'except',
        type: 'string',
        default: '',
        description: 'Chats whose events do not start the workflow, separated by commas',
      },
      {
        displayName: 'Only Chats',
        name: 'only',
        type: 'string',
        default: '',
        description: 'Chats whose events alone start the workflow, separated by commas',
      },
      {
        displayName: 'Seconds Until Settled',
        name: 'settleSeconds',
        type: 'number',
        typeOptions: { minValue: 1, maxValue: 60 },
        default: 8,
        description: 'How long a person must have written nothing for Chat Settled',
      },
    ],
  },
];
